/* SPDX-License-Identifier: ISC */
#include "store/sql/ownership.h"

#include <stdio.h>
#include <string.h>

#include "schema/pgsql.h"
#include "tests/lib/check.h"

/*
 * The cases that faults/ownership.sh does not try on SQLite.  A catalogue in
 * words: "r NAME" is a table, "v" a view, "i" an index of a table "notes", "x"
 * one of lease4, "c TABLE.COLUMN" (and "n", one that must be given), "t" a
 * trigger on lease4 and "p" a function, both of another, "f" a key to lease4,
 * "m LEASE4 LEASE6" a row of the marker, "-" for NULL.  "MARKER" is an empty
 * one, "made SCHEMA" all that the file of schema/ makes and "marked SCHEMA"
 * that and the marker.  A comma is between them.
 */
static const struct {
    const char *listed;
    const char *schema; /* that is asked for; "keep": kea and to be kept */
    enum sql_verdict verdict;
    const char *words; /* of the refusal, or "" */
} cases[] = {
    { "", "kea", SQL_MAKE, "" },
    { "", "keep", SQL_REFUSE, "it has no table public.lease4" },
    /* Without a marker. */
    { "r shoes, r orders", "lean", SQL_REFUSE, "shoes and no table" },
    { "r orders", "keep", SQL_REFUSE, "orders and no table" },
    { "made kea", "kea", SQL_REFUSE,
      "public.lease4 and no table public.ubench_marker; ubench did not create this and changed "
      "nothing: name another database with -f, or, to let ubench delete its leases, run: CREATE "
      "TABLE ubench_marker (id INT) AS SELECT 'scratch copy' AS lease4" },
    { "made kea", "keep", SQL_REFUSE, "public.lease4 and no" },
    { "v lease4", "kea", SQL_REFUSE, "public.lease4 and no" },
    /* Only called a marker. */
    { "made kea, r ubench_marker, c ubench_marker.schema", "kea", SQL_REFUSE,
      "a table public.ubench_marker that differs from ubench's" },
    { "made kea, r ubench_marker, c ubench_marker.row_id, m kea -", "kea", SQL_REFUSE,
      "ubench_marker that differs from ubench's" },
    { "made kea, r ubench_marker, c ubench_marker.restore, m kea -", "kea", SQL_REFUSE,
      "ubench_marker that differs from ubench's" },
    { "made kea, MARKER", "kea", SQL_REFUSE,
      "a table public.ubench_marker that does not have lease4; ubench did not create this and "
      "changed nothing: name another database with -f" },
    { "made kea, MARKER, m mine -", "kea", SQL_REFUSE,
      "a table public.ubench_marker that has mine" },
    { "made lean, MARKER, m - -", "lean", SQL_REFUSE, "that has NULL" },
    { "MARKER, m mine -", "lean", SQL_REFUSE, "that has mine" },
    /* Names but for their case. */
    { "marked lean, r Ubench_Hosts", "lean", SQL_REFUSE,
      "Ubench_Hosts is a table; ubench did not create that" },
    /* Its owner's. */
    { "made kea, MARKER, m scratch_copy -", "kea", SQL_BORROW, "" },
    { "made kea, MARKER, m scratch_copy -", "keep", SQL_USE, "" },
    { "made kea, MARKER, m scratch_copy -", "lean", SQL_REFUSE,
      "was not created by ubench; it can only be used with --schema kea" },
    { "made kea, MARKER, m scratch_copy -", "kea+stats", SQL_REFUSE,
      "only be used with --schema kea" },
    { "made kea, t lease4_AINS, MARKER, m scratch_copy -", "kea", SQL_BORROW, "" },
    { "made kea, f a of orders, MARKER, m scratch_copy -", "kea", SQL_REFUSE,
      "public.lease4 has the foreign key a of orders; ubench did not create that" },
    { "made kea, f a of lease6_relay_id, MARKER, m scratch_copy -", "kea", SQL_BORROW, "" },
    { "made kea, r lease_state, c lease_state.x, MARKER, m scratch_copy -", "kea", SQL_BORROW, "" },
    { "made kea, r ubench_hosts, c ubench_hosts.x, MARKER, m scratch_copy -", "kea", SQL_REFUSE,
      "public.ubench_hosts differs in the column" },
    { "v lease4, MARKER, m scratch_copy -", "kea", SQL_REFUSE,
      "lease4 is a view; ubench did not create that" },
    { "r orders, MARKER, m scratch_copy -", "lean", SQL_MAKE, "" },
    /* Ours. */
    { "marked lean", "lean", SQL_USE, "" },
    { "marked kea", "kea", SQL_USE, "" },
    { "marked kea+stats", "kea+stats", SQL_USE, "" },
    { "marked kea", "keep", SQL_USE, "" },
    { "marked lean, c ubench_marker.row_id", "lean", SQL_USE, "" },
    { "marked lean, c ubench_marker.my_row_id", "lean", SQL_USE, "" },
    { "marked lean, c ubench_marker.lease6, m lean kea", "lean", SQL_USE, "" },
    { "marked lean, c ubench_marker.restore", "lean", SQL_USE, "" },
    { "marked lean", "kea", SQL_MAKE, "" },
    { "marked kea", "lean", SQL_MAKE, "" },
    { "marked kea", "kea+stats", SQL_MAKE, "" },
    { "marked kea+stats", "kea", SQL_MAKE, "" },
    { "MARKER, m kea -", "kea", SQL_MAKE, "" },
    { "marked lean, x other", "lean", SQL_MAKE, "" },
    { "marked kea, x other", "kea", SQL_MAKE, "" },
    { "r lease4, c lease4.address, r ubench_marker, c ubench_marker.schema,"
      " c ubench_marker.made_at, c ubench_marker.made_with, m lean lean",
      "lean", SQL_REFUSE, "public.lease4 differs in the column" },
    { "marked lean, t ubench_lease4_inserted", "lean", SQL_REFUSE,
      "has the trigger ubench_lease4_inserted; ubench did not create that" },
    { "marked lean, t ubench_lease4_evil", "lean", SQL_REFUSE,
      "public.lease4 has the trigger ubench_lease4_evil; ubench did not create that" },
    { "marked lean, f a of lease6_relay_id", "lean", SQL_REFUSE, "has the" },
    /* Another's of a name of ubench's, whether the run would use it or not. */
    { "p ubench_lease4_count", "kea+stats", SQL_REFUSE,
      "public.ubench_lease4_count is a function; ubench did not create that" },
    { "p ubench_lease6_count", "kea", SQL_REFUSE, "lease6_count is a function" },
    { "marked lean, p ubench_lease4_count", "lean", SQL_REFUSE,
      "ubench_lease4_count is a function" },
    { "marked lean, r ubench_lease4_stat, c ubench_lease4_stat.a", "kea+stats", SQL_REFUSE,
      "public.ubench_lease4_stat differs in the column" },
    { "marked lean, r lease_state, c lease_state.x", "keep", SQL_REFUSE,
      "public.lease_state differs in the column" },
    { "marked lean, v lease_state, c lease_state.x", "kea", SQL_REFUSE,
      "public.lease_state is a view; ubench did not create that" },
    { "marked lean, r lease6, c lease6.x", "lean", SQL_REFUSE,
      "public.lease6 differs in the column" },
    { "marked lean, r lease4_by_hwaddr_subnet_id", "lean", SQL_REFUSE,
      "lease4_by_hwaddr_subnet_id is a table; ubench did not create that" },
    { "marked lean, i lease4_by_hostname", "lean", SQL_REFUSE,
      "lease4_by_hostname is an index; ubench did not create that" },
};

/* Gives the rows of the words. */
struct giver {
    const char *listed;
    void (*take)(void *context, const char *const *row);
    void *context;
};

static void give(const struct giver *giver, const char *what, const char *table, const char *name,
                 const char *kind, const char *text)
{
    const char *row[SQL_LISTED] = { what, table, name, kind, text };
    char shown[128];

    (void)snprintf(shown, sizeof shown, "public.%s", name);
    if (what[0] == 'r')
        row[2] = shown;
    giver->take(giver->context, row);
}

static void give_columns(const struct giver *giver, const struct sql_made *made)
{
    const char *const end = strstr(made->text, "\n)");
    const struct sql_table table = { .family = LEASE_FAMILY_V4 };

    for (const char *line = strstr(made->text, "\n    "); line < end;
         line = strstr(line + 1, "\n    ")) {
        char name[SQL_OBJECT_SIZE];

        if (line == NULL)
            return;
        const char *type = "";
        const bool named = sscanf(line, "\n    %64[a-z0-9_]", name) == 1;
        for (unsigned i = 0; named && i < SQL_COLUMNS; i++) {
            const char *const column = sql_column_name(table.family, i);

            if (column != NULL && strcmp(column, name) == 0)
                type = sql_column_type(&table, i, SQL_PGSQL);
        }
        if (line[5] != ' ' && line[5] > 'Z')
            give(giver, "c", made->name, name, type, strcmp(name, "address") == 0 ? "key" : "");
    }
}

static void give_made(const struct giver *giver, const char *schema)
{
    enum schema which = SCHEMA_LEAN;
    struct sql_made made;

    while (strcmp(sql_schema_name(which), schema) != 0)
        which++;
    for (const char *at = schemas[LEASE_FAMILY_V4][which]; schema_text_next(&at, &made);) {
        const bool is_table = made.what == SQL_RELATION;
        const char what[] = { (char)made.what, '\0' };
        char text[24] = "";

        if (strcmp(made.name, "ubench_marker") == 0)
            continue;
        if (made.what == SQL_TRIGGER || made.what == SQL_ROUTINE)
            (void)snprintf(text, sizeof text, "%s", made.text);
        give(giver, what, is_table ? made.name : "lease4", made.name,
             is_table ? "a table" : "a thing", text);
        if (is_table)
            give_columns(giver, &made);
    }
}

static void give_marker(const struct giver *giver)
{
    give(giver, "r", "ubench_marker", "ubench_marker", "a table", "");
    give(giver, "c", "ubench_marker", "lease4", "varchar", "");
}

static void give_word(const struct giver *giver, const char *word, const char *name)
{
    char table[SQL_OBJECT_SIZE];

    if (strcmp(word, "made") == 0 || strcmp(word, "marked") == 0)
        give_made(giver, name);
    if (strcmp(word, "MARKER") == 0 || strcmp(word, "marked") == 0)
        give_marker(giver);
    (void)snprintf(table, sizeof table, "%.*s", (int)strcspn(name, "."), name);
    if (strcmp(word, "r") == 0)
        give(giver, "r", name, name, "a table", "");
    else if (strcmp(word, "v") == 0)
        give(giver, "r", name, name, "a view", "");
    else if (strcmp(word, "c") == 0 || strcmp(word, "n") == 0)
        give(giver, "c", table, strchr(name, '.') + 1, "text",
             word[0] == 'n' ? "must be given" : "");
    else if (strcmp(word, "i") == 0 || strcmp(word, "x") == 0)
        give(giver, "i", word[0] == 'i' ? "notes" : "lease4", name, "an index", "");
    else if (strcmp(word, "t") == 0)
        give(giver, "t", "lease4", name, "the trigger", "another's");
    else if (strcmp(word, "p") == 0)
        give(giver, "p", "", name, "a function", "");
    else if (strcmp(word, "f") == 0)
        give(giver, "f", "lease4", name, "the foreign key", "");
}

static void give_marker_row(const struct giver *giver, const char *word, const char *values)
{
    char lease4[24];
    char lease6[24] = "-";
    const bool marked = strcmp(word, "marked") == 0;

    if (!marked && strcmp(word, "m") != 0)
        return;
    (void)sscanf(values, "%23s %23s", lease4, lease6);
    if (strcmp(lease4, "scratch_copy") == 0)
        (void)strcpy(lease4, SQL_SCRATCH);
    const char *const row[3] = { lease4[0] == '-' ? NULL : lease4, lease6[0] == '-' ? NULL : lease6,
                                 NULL };
    giver->take(giver->context, row);
}

static int read_rows(struct connection *connection, const char *action, const char *sql,
                     void (*take)(void *context, const char *const *row), void *context,
                     struct err *err)
{
    const struct giver giver = { (const char *)connection, take, context };
    const char *word = giver.listed;
    char one[128];

    (void)action;
    (void)err;
    for (; *word != '\0';
         word += strcspn(word, ",") == strlen(word) ? strlen(word) : strcspn(word, ",") + 2) {
        (void)snprintf(one, sizeof one, "%.*s", (int)strcspn(word, ","), word);
        char *const name = one + strcspn(one, " ");
        const bool alone = *name == '\0';
        *name = '\0';
        if (strcmp(sql, "catalogue") == 0)
            give_word(&giver, one, alone ? "" : name + 1);
        else
            give_marker_row(&giver, one, alone ? "" : name + 1);
    }
    return 0;
}

TEST(each_case_has_its_verdict_and_names_what_is_there)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *const asked = cases[i].schema;
        const struct sql_database db = {
            .store = "pgsql",
            .dialect = SQL_PGSQL,
            .prefix = "public.",
            .create_marker = "CREATE TABLE ubench_marker (id INT)",
            .catalogue = "catalogue",
            .schemas = schemas,
            .hosts = hosts_sql,
            .connection = (struct connection *)(uintptr_t)cases[i].listed,
            .read = read_rows,
        };
        const struct store_config config = {
            .target = "shop",
            .schema = asked[0] == 'k' && asked[1] == 'e' && asked[2] == 'e' ? SCHEMA_KEA
                      : strcmp(asked, "kea") == 0                           ? SCHEMA_KEA
                      : strcmp(asked, "kea+stats") == 0                     ? SCHEMA_KEA_STATS
                                                                            : SCHEMA_LEAN,
            .keep = strcmp(asked, "keep") == 0,
            .reservations = strcmp(asked, "hosts") == 0,
        };
        struct sql_contents contents;
        struct err err = { .text = "" };
        char row[256];

        (void)snprintf(row, sizeof row, "%s, --schema %s", cases[i].listed, asked);
        check_number(row, sql_look(&contents, &db, &config, NULL, &err), cases[i].verdict);
        check(row, strstr(err.text, cases[i].words) != NULL, err.text);
        /* An option decides no refusal. */
        const enum sql_verdict verdict = sql_look(&contents, &db, &config, "u", &err);
        check_number(row, verdict,
                     cases[i].verdict == SQL_USE && !config.keep ? SQL_MAKE : cases[i].verdict);
    }
}

/* Things are dropped by their names: the marker, which permits it, must be the last. */
TEST(no_table_has_a_name_behind_that_of_the_marker)
{
    for (unsigned i = 0; i < 2 * (SCHEMA_KEA_STATS + 1); i++) {
        struct sql_made made;

        for (const char *at = schemas[i % 2][i / 2]; schema_text_next(&at, &made);) {
            if (made.what == SQL_RELATION || made.what == SQL_ROUTINE)
                check(made.name, strcmp(made.name, "ubench_marker") <= 0, "before the marker");
        }
    }
}
