/* SPDX-License-Identifier: ISC */
/* What a bad disk could have kept: each record of what was done, and all that
   any seed leaves of it. */
#include "load/crash/disk_rebuild.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "load/crash/disk_record.h"
#include "tests/lib/check.h"

enum { SEEDS = 200, OUTCOMES_MAX = 16, OUTCOME_MAX = 16 };

static char folder[] = "/tmp/test_rebuild.XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(path, sizeof path, "%s/f", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)unlink(path);
    return rmdir(folder);
}

/*
 * Writes down what is done to the file f, begun_ns being 10.  The steps are a
 * text: + and - make and remove the file; A02 writes As into 2 sectors from
 * sector 0 on; =1 leaves one sector; s1 and e1 begin and end sync 1, and s1/
 * and e1/ one of the folder.  What stands before | was done before the load.
 */
static size_t make_record(const char *steps, char *record)
{
    static const char letters[] = "+-=se";
    static const enum disk_kind kinds[] = { DISK_CREATE, DISK_REMOVE,
                                            DISK_TRUNCATE, DISK_SYNC,
                                            DISK_SYNCED };
    char *end = record;
    bool before = true;

    for (; *steps != '\0'; steps += strspn(steps, " ")) {
        char step[4] = "";
        const size_t length = strcspn(steps, " ");

        memcpy(step, steps, length);
        steps += length;
        if (step[0] == '|') {
            before = false;
            continue;
        }
        const char *const letter = strchr(letters, step[0]);
        const bool is_sync = step[0] == 's' || step[0] == 'e';
        const bool is_folder = step[length - 1] == '/';
        const uint64_t number = length > 1 ? (uint64_t)(step[1] - '0') : 0;
        const struct disk_header header = {
            .kind = letter != NULL ? kinds[letter - letters] : DISK_WRITE,
            .name_length = !is_folder,
            .at_ns = before ? 9 : 10,
            .offset = is_sync ? number : number * DISK_SECTOR,
            .length =
                letter == NULL ? (uint64_t)(step[2] - '0') * DISK_SECTOR : 0,
        };

        memcpy(end, &header, sizeof header);
        end += sizeof header;
        if (!is_folder)
            *end++ = 'f';
        memset(end, step[0], header.length);
        end += header.length;
    }
    return (size_t)(end - record);
}

/* What is there: "-" for no file, else a letter for each sector, "." if it is
   zeros, behind "=". */
static void look(char outcome[OUTCOME_MAX])
{
    char sector[DISK_SECTOR];
    FILE *const file = fopen(path, "r");
    size_t length = 0;

    outcome[length++] = file == NULL ? '-' : '=';
    while (file != NULL && length < OUTCOME_MAX - 1 &&
           fread(sector, 1, sizeof sector, file) == sizeof sector)
        outcome[length++] = sector[0] == '\0' ? '.' : sector[0];
    if (file != NULL)
        (void)fclose(file);
    outcome[length] = '\0';
}

static int by_text(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* All outcomes that there are, in order. */
static void try_seeds(const char *record, size_t size, char *all)
{
    char outcomes[OUTCOMES_MAX][OUTCOME_MAX];
    size_t count = 0;
    struct err err = { 0 };

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        char outcome[OUTCOME_MAX];
        size_t i = 0;

        if (disk_rebuild(folder, "record", record, size, 10, seed, &err) != 0)
            fail_msg("seed %" PRIu64 ": %s", seed, err.text);
        look(outcome);
        while (i < count && strcmp(outcomes[i], outcome) != 0)
            i++;
        assert_true(i < OUTCOMES_MAX);
        if (i == count)
            memcpy(outcomes[count++], outcome, sizeof outcome);
    }
    qsort(outcomes, count, sizeof outcomes[0], by_text);
    all[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        (void)strcat(all, i > 0 ? " " : "");
        (void)strcat(all, outcomes[i]);
    }
}

TEST(what_is_left)
{
    static const struct {
        const char *name;
        const char *steps;
        const char *outcomes;
    } cases[] = {
        { "before the load all is safe", "+ A02", "=AA" },
        { "sectors of a write, in any order", "+ | A02", "= =.A =A =AA" },
        { "a later write without the one before it", "+ | A01 B11",
          "= =.B =A =AB" },
        { "one over another", "+ A01 | B01 C01", "=A =B =C" },
        { "a sync", "+ | A01 s1 B11 e1", "=A =AB" },
        { "a sync that did not end", "+ | A01 s1", "= =A" },
        { "two at a time: only the end of the later counts", "+ | s1 A01 s2 e1",
          "= =A" },
        { "the later has ended", "+ | s1 A01 s2 e1 e2", "=A" },
        { "a sync over the beginning of the load", "+ A01 s1 | B11 e1",
          "=A =AB" },
        { "a truncation", "+ A02 | =1", "=A =AA" },
        { "a sync of the file is none of its name", "| + A01 s1 e1", "- =A" },
        { "a sync of the folder is none of its files", "| + A01 s1/ e1/",
          "= =A" },
        { "a removal", "+ A01 | -", "- =A" },
        { "a removal that is safe", "+ A01 | - s1/ e1/", "-" },
        { "another file of the same name", "+ A01 | - + B01 s1 e1", "- =A =B" },
    };
    static char record[65536];
    char all[OUTCOMES_MAX * (OUTCOME_MAX + 1)];

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const size_t size = make_record(cases[i].steps, record);

        try_seeds(record, size, all);
        if (strcmp(all, cases[i].outcomes) != 0)
            fail_msg("%s: '%s', not '%s'", cases[i].name, all,
                     cases[i].outcomes);
    }
}

/* A record that ends anywhere in its last piece is that without it. */
TEST(a_last_piece_that_was_cut_off_was_never_done)
{
    static const char steps[] = "+ A01 B01";
    static char record[4096];
    char all[OUTCOMES_MAX * (OUTCOME_MAX + 1)];
    const size_t size = make_record(steps, record);
    const size_t piece = sizeof(struct disk_header) + 1 + DISK_SECTOR;

    for (size_t cut = 1; cut <= piece; cut += 9) {
        try_seeds(record, size - cut, all);
        assert_string_equal(all, "=A");
    }
    try_seeds(record, size, all);
    assert_string_equal(all, "=B");
}

TEST(a_record_without_files_is_refused)
{
    struct err err = { 0 };

    assert_int_equal(disk_rebuild(folder, "record", "", 0, 10, 1, &err), -1);
    assert_string_equal(err.text,
                        "the record has no files: was the shim loaded?");
}

/* A piece that a kill did not write: what it does is refused by name. */
TEST(a_damaged_record_is_refused)
{
    static const struct {
        struct disk_header header;
        char bytes[8]; /* the name, and what follows it */
        const char *complaint;
    } cases[] = {
        { { 1, 7, 1, 0, 0 },
          "../evil",
          "record: byte 33: '../evil' is not the name of a file in the "
          "folder" },
        { { 1, 2, 1, 0, 0 },
          "..",
          "record: byte 33: '..' is not the name of a file in the folder" },
        { { 1, 3, 1, 0, 0 },
          "a\0b",
          "record: byte 33: 'a' is not the name of a file in the folder" },
        { { 1, 0, 1, 0, 0 },
          "",
          "record: byte 33: the length of the name is 0, not in 1..255" },
        { { 2, 256, 1, 0, 0 },
          "",
          "record: byte 33: the length of the name is 256, not in 1..255" },
        { { 7, 1, 1, 0, 0 },
          "f",
          "record: byte 33: the kind is 7, not in 1..6" },
        { { 4, 1, 1, 0, 5 },
          "f",
          "record: byte 33: the number of bytes written is 5, not 0" },
        /* Behind it the next piece would begin before it. */
        { { 3, 1, 1, 0, UINT64_MAX - 32 },
          "f",
          "record: byte 33: the number of bytes written is "
          "18446744073709551583, not in 0..2147479552" },
        { { 3, 1, 1, UINT64_MAX - 5, 1 },
          "fX",
          "record: byte 33: the place in the file is 18446744073709551610, not "
          "in 0..1099511627776" },
        { { 3, 1, 1, UINT64_C(1) << 40, 1 },
          "fX",
          "record: byte 33: the number of bytes never written is "
          "1099511627776, "
          "not in 0..67108864" },
        { { 4, 1, 1, UINT64_C(1) << 31, 0 },
          "f",
          "record: byte 33: the number of bytes never written is 2147483648, "
          "not in 0..67108864" },
    };
    const struct disk_header first = { DISK_CREATE, 1, 1, 0, 0 };
    char record[256];

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct disk_header *const header = &cases[i].header;
        struct err err = { 0 };
        char *end = record;

        memcpy(end, &first, sizeof first);
        end += sizeof first;
        *end++ = 'f';
        memcpy(end, header, sizeof *header);
        end += sizeof *header;
        memset(end, 0, 16);
        memcpy(end, cases[i].bytes, sizeof cases[i].bytes);
        end += 16;
        assert_int_equal(disk_rebuild(folder, "record", record,
                                      (size_t)(end - record), 10, 1, &err),
                         -1);
        check_text("complaint", err.text, cases[i].complaint);
    }
}

/* As many names as there may be, and one more. */
TEST(too_many_names_are_refused)
{
    static char record[70 * (sizeof(struct disk_header) + 1)];
    struct err err = { 0 };
    char *end = record;

    for (char name = '0'; name < '0' + 65; name++) {
        const struct disk_header header = { DISK_CREATE, 1, 1, 0, 0 };

        if (name == '.' || name == '/')
            continue;
        memcpy(end, &header, sizeof header);
        end += sizeof header;
        *end++ = name;
    }
    assert_int_equal(disk_rebuild(folder, "record", record,
                                  (size_t)(end - record), 10, 1, &err),
                     -1);
    assert_string_equal(err.text,
                        "record: byte 2112: 'p' is one file more than 64");
}

FIXTURE(make_folder, remove_folder);
