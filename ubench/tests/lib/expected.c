/* SPDX-License-Identifier: ISC */
#include "tests/lib/expected.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/lib/check.h"

FILE *expected_open(const char *name, const char *mode)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "ubench/tests/%s", name);
    FILE *const file = fopen(path, mode);
    if (file == NULL)
        fail_msg("%s: %s", path, strerror(errno));
    return file;
}

void expected_check(const char *name, const char *text)
{
    char wanted[1 << 16];

    if (getenv("UBENCH_UPDATE") != NULL) {
        FILE *const out = expected_open(name, "we");
        (void)fputs(text, out);
        assert_int_equal(fclose(out), 0);
    }
    FILE *const in = expected_open(name, "re");
    wanted[fread(wanted, 1, sizeof wanted - 1, in)] = '\0';
    (void)fclose(in);
    check_text(name, text, wanted);
}
