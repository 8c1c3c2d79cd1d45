/* SPDX-License-Identifier: ISC */
/* Files of statements: an error has a text, and what was read of a file is read as the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/sql/session.h"
#include "store/statement_file.h"
#include "tests/fuzz/fuzz.h"

/* The sections as a file. */
static char *write_sections(const struct sql_file *file, size_t *size)
{
    char *text = NULL;
    FILE *const out = open_memstream(&text, size);

    if (out == NULL)
        abort();
    for (size_t i = 0; i < file->count; i++)
        (void)fprintf(out, "%s:\n%s\n", file->sections[i].name, file->sections[i].sql);
    (void)fclose(out);
    return text;
}

static void try_again(const struct sql_file *file, const struct sql_dialect *dialect,
                      const struct store_config *config)
{
    struct sql_file same = { .count = 0 };
    struct err err = { .kind = ERR_OTHER };
    size_t size;
    char *const text = write_sections(file, &size);

    if (sql_file_read(&same, fuzz_file((const uint8_t *)text, size), dialect, config, &err) != 0 ||
        same.count != file->count)
        abort();
    for (size_t i = 0; i < same.count; i++) {
        if (strcmp(same.sections[i].name, file->sections[i].name) != 0 ||
            strcmp(same.sections[i].sql, file->sections[i].sql) != 0)
            abort();
    }
    sql_file_release(&same);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct sql_dialect dialects[] = {
        { .store = "sqlite", .mark = '?' },
        { .store = "pgsql", .mark = '$', .on_conflict = true, .sets_key = true },
    };

    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        const struct store_config config = { .schema = SCHEMA_KEA, .reservations = true };
        struct sql_file file = { .count = 0 };
        struct err err = { .kind = ERR_OTHER };

        if (sql_file_read(&file, fuzz_file(data, size), &dialects[i], &config, &err) != 0) {
            if (err.text[0] == '\0' || file.text != NULL)
                abort();
            continue;
        }
        try_again(&file, &dialects[i], &config);
        sql_file_release(&file);
    }
    return 0;
}
