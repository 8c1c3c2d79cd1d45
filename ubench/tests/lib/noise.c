/* SPDX-License-Identifier: ISC */
#include "tests/lib/noise.h"

#include "tests/lib/check.h"
#include "tests/lib/expected.h"

static const char *const names[NOISES] = {
    "memfile volatile",
    "memfile power-safe",
    "pgsql volatile",
};

/* The next line of figures, without comments and empty lines. */
static void read_run(FILE *file, double rates[NOISE_PHASES])
{
    char line[128];

    do {
        assert_non_null(fgets(line, sizeof line, file));
    } while (line[0] == '#' || line[0] == '\n');
    assert_int_equal(sscanf(line, "%lf %lf %lf %lf", &rates[0], &rates[1],
                            &rates[2], &rates[3]),
                     NOISE_PHASES);
}

void noise_read(struct noise noises[NOISES])
{
    FILE *const file = expected_open("lib/noise.txt", "re");

    for (size_t n = 0; n < NOISES; n++) {
        noises[n].name = names[n];
        for (size_t b = 0; b < NOISE_BLOCKS; b++) {
            for (size_t r = 0; r < NOISE_RUNS; r++)
                read_run(file, noises[n].rates[b][r]);
        }
    }
    (void)fclose(file);
}
