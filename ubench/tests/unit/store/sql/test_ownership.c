/* SPDX-License-Identifier: ISC */
#include "store/sql/ownership.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/check.h"

enum { LISTED = 24 };

/* A catalogue in words: "r table", "v view", "c table.column", "t trigger" and
   "f key" of lease4; and "m lease4 lease6", a row of the marker, "-" for NULL.
   "lean" and "kea" stand for the columns of lease4. */
struct place {
    const char *name;
    const char *listed[LISTED];
};

#define SERVER_MARKER "r ubench_marker", "c ubench_marker.lease4"
#define FILE_MARKER                                                         \
    "r ubench_marker", "c ubench_marker.schema", "c ubench_marker.made_at", \
        "c ubench_marker.made_with"

static const struct {
    struct place place;
    enum schema schema;
    bool keep;
    bool fits;
    enum sql_verdict verdict;
} cases[] = {
    { { "nothing at all", { NULL } }, SCHEMA_KEA, false, true, SQL_MAKE },
    { { "nothing to keep", { NULL } }, SCHEMA_KEA, true, true, SQL_ABSENT },
    /* Without a marker. */
    { { "tables of something else", { "r orders" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_REFUSE_OTHERS },
    { { "nor are they kept", { "r orders" } },
      SCHEMA_LEAN,
      true,
      true,
      SQL_REFUSE_OTHERS },
    { { "Kea's leases", { "r lease4", "kea", "r lease6" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "nor are those kept", { "r lease4", "kea" } },
      SCHEMA_KEA,
      true,
      true,
      SQL_REFUSE_LEASES },
    { { "a view of leases", { "v lease4" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "Kea's other leases", { "r lease6" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_OTHERS },
    /* What is only called a marker. */
    { { "a marker of another shape",
        { "r lease4", "kea", "r ubench_marker", "c ubench_marker.note" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "a marker with a column more",
        { "r lease4", "kea", SERVER_MARKER, "c ubench_marker.note",
          "m kea -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "half a marker of a file",
        { "r lease4", "kea", "r ubench_marker", "c ubench_marker.schema" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "a marker without columns", { "r lease4", "kea", "r ubench_marker" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "a marker of a key alone",
        { "r lease4", "kea", "r ubench_marker", "c ubench_marker.row_id",
          "c ubench_marker.my_row_id", "m kea -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "a marker of a file with a key",
        { "r lease4", "kea", FILE_MARKER, "c ubench_marker.row_id",
          "m kea kea" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "an empty marker", { "r lease4", "kea", SERVER_MARKER } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "an empty marker of a file", { "r lease4", "kea", FILE_MARKER } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "an empty marker and other tables", { "r orders", SERVER_MARKER } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_OTHERS },
    { { "an empty marker and nothing", { SERVER_MARKER } },
      SCHEMA_KEA,
      false,
      true,
      SQL_MAKE },
    { { "a foreign marker and nothing",
        { "r ubench_marker", "c ubench_marker.note" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_OTHERS },
    { { "a row that is not ubench's",
        { "r lease4", "kea", SERVER_MARKER, "m mine -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "a row of another version",
        { "r lease4", "lean", SERVER_MARKER, "m lean -", "m lean2 -" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "a row of nothing", { "r lease4", "lean", SERVER_MARKER, "m - -" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "and no lease table", { SERVER_MARKER, "m mine -" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_REFUSE_OTHERS },
    { { "a marker that is a view",
        { "r lease4", "lean", "v ubench_marker", "c ubench_marker.lease4",
          "m lean -" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_REFUSE_LEASES },
    { { "a marker for the other table",
        { "r lease4", "kea", "r lease6", SERVER_MARKER,
          "c ubench_marker.lease6", "m - kea" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    /* Other case. */
    { { "Lease4", { "r Lease4" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_REFUSE_ALIKE },
    { { "UBENCH_MARKER", { "r lease4", "lean", "r UBENCH_MARKER" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_REFUSE_ALIKE },
    { { "LEASE4 beside lease4",
        { "r lease4", "r LEASE4", "lean", SERVER_MARKER, "m lean -" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_REFUSE_ALIKE },
    /* With a marker. */
    { { "other tables, but a marker",
        { "r orders", SERVER_MARKER, "m scratch_copy -" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_MAKE },
    { { "a view", { "v lease4", SERVER_MARKER, "m kea -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_KIND },
    { { "an owner's table",
        { "r lease4", "kea", SERVER_MARKER, "m scratch_copy -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_USE },
    { { "an owner's table, kept",
        { "r lease4", "kea", SERVER_MARKER, "m scratch_copy -" } },
      SCHEMA_KEA,
      true,
      false,
      SQL_USE },
    { { "it is not lean",
        { "r lease4", "kea", SERVER_MARKER, "m scratch_copy -" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_REFUSE_SCHEMA },
    { { "nor counted by ours",
        { "r lease4", "kea", SERVER_MARKER, "m scratch_copy -" } },
      SCHEMA_KEA_STATS,
      false,
      true,
      SQL_REFUSE_SCHEMA },
    { { "nor altered",
        { "r lease4", "kea", SERVER_MARKER, "m scratch_copy -" } },
      SCHEMA_KEA,
      false,
      false,
      SQL_REFUSE_OPTION },
    { { "with Kea's triggers",
        { "r lease4", "kea", "t lease4_AINS", SERVER_MARKER,
          "m scratch_copy -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_USE },
    { { "not with rows that would go with its own",
        { "r lease4", "kea", "f orders", SERVER_MARKER, "m scratch_copy -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_TIED },
    { { "with a reference of Kea's own",
        { "r lease4", "kea", "f a of lease6_relay_id", SERVER_MARKER,
          "m scratch_copy -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_USE },
    { { "ours with one",
        { "r lease4", "kea", "f a of lease6_relay_id", SERVER_MARKER,
          "m kea -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_TIED },
    { { "our own", { "r lease4", "lean", SERVER_MARKER, "m lean -" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_USE },
    { { "our own, with a key",
        { "r lease4", "lean", SERVER_MARKER, "c ubench_marker.row_id",
          "m lean -" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_USE },
    { { "our own, with a key of the server's",
        { "r lease4", "lean", SERVER_MARKER, "c ubench_marker.my_row_id",
          "m lean -" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_USE },
    { { "our own, of two families",
        { "r lease4", "lean", SERVER_MARKER, "c ubench_marker.lease6",
          "m - kea", "m lean -" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_USE },
    { { "our own, kept", { "r lease4", "lean", SERVER_MARKER, "m lean -" } },
      SCHEMA_KEA,
      true,
      false,
      SQL_USE },
    { { "our own, of another schema",
        { "r lease4", "lean", SERVER_MARKER, "m lean -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_MAKE_ANEW },
    { { "our own, of another engine",
        { "r lease4", "kea", "t ubench_lease4_inserted", SERVER_MARKER,
          "m kea+stats -" } },
      SCHEMA_KEA_STATS,
      false,
      false,
      SQL_MAKE_ANEW },
    { { "our own, that is gone", { SERVER_MARKER, "m kea -" } },
      SCHEMA_KEA,
      false,
      false,
      SQL_MAKE },
    { { "our own file", { "r lease4", "kea", FILE_MARKER, "m kea kea" } },
      SCHEMA_LEAN,
      false,
      false,
      SQL_MAKE_ANEW },
    /* Ours no longer. */
    { { "with a trigger of another",
        { "r lease4", "lean", "t audit", SERVER_MARKER, "m lean -" } },
      SCHEMA_LEAN,
      false,
      true,
      SQL_REFUSE_TIED },
    { { "with a foreign key to it",
        { "r lease4", "lean", "f orders", SERVER_MARKER, "m lean -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_TIED },
    { { "with a column more, not dropped",
        { "r lease4", "lean", "c lease4.color", SERVER_MARKER, "m lean -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_SHAPE },
    { { "Kea's columns where ubench had made lean",
        { "r lease4", "kea", SERVER_MARKER, "m lean -" } },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_SHAPE },
    { { "with other columns",
        { "r lease4", "c lease4.address", FILE_MARKER, "m lean lean" } },
      SCHEMA_LEAN,
      false,
      false,
      SQL_REFUSE_SHAPE },
};

static void list_columns(struct sql_contents *contents, enum schema schema)
{
    const struct store_config config = { .schema = schema };
    struct sql_table table;

    sql_table_init_whole(&table, &config);
    for (enum sql_column i = SQL_ADDRESS; i < SQL_COLUMNS; i++) {
        const struct sql_listing listing = {
            SQL_IS_COLUMN, "lease4", sql_column_name(LEASE_FAMILY_V4, i), ""
        };

        if (table.has[i])
            sql_contents_list(contents, &listing);
    }
}

/* A row of the marker: two words, with spaces as underscores. */
static void list_row(struct sql_contents *contents, const char *row)
{
    char words[2][16];

    assert_int_equal(sscanf(row, "%15s %15s", words[0], words[1]), 2);
    for (int i = 0; i < 2; i++) {
        if (strchr(words[i], '_') != NULL)
            *strchr(words[i], '_') = ' ';
    }
    sql_contents_row(contents, strcmp(words[0], "-") == 0 ? NULL : words[0],
                     strcmp(words[1], "-") == 0 ? NULL : words[1]);
}

static void list(struct sql_contents *contents, const char *listed)
{
    char table[32] = "lease4";
    const char *name = listed + 2;
    struct sql_listing listing = { .table = table, .kind = "the thing" };

    if (strcmp(listed, "lean") == 0 || strcmp(listed, "kea") == 0) {
        list_columns(contents, listed[0] == 'l' ? SCHEMA_LEAN : SCHEMA_KEA);
        return;
    }
    if (listed[0] == 'm') {
        list_row(contents, name);
        return;
    }
    listing.what = (enum sql_listed)listed[0];
    if (listed[0] == 'r' || listed[0] == 'v') {
        listing.what = SQL_IS_RELATION;
        listing.kind = listed[0] == 'r' ? "a table" : "a view";
        (void)snprintf(table, sizeof table, "%s", name);
    } else if (listed[0] == 'c') {
        (void)snprintf(table, sizeof table, "%.*s", (int)strcspn(name, "."),
                       name);
        name += strcspn(name, ".") + 1;
    }
    listing.name = name;
    sql_contents_list(contents, &listing);
}

static struct sql_contents contents_of(const struct place *place)
{
    struct sql_contents contents = { .family = LEASE_FAMILY_V4 };

    for (size_t i = 0; place->listed[i] != NULL; i++)
        list(&contents, place->listed[i]);
    return contents;
}

TEST(each_case_has_its_verdict)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct sql_contents contents = contents_of(&cases[i].place);
        const struct store_config config = { .schema = cases[i].schema,
                                             .keep = cases[i].keep };

        check_number(cases[i].place.name,
                     sql_judge(&contents, &config, cases[i].fits),
                     cases[i].verdict);
    }
}

static const struct {
    struct place place;
    enum lease_family family;
    const char *sql; /* "": none */
} queries[] = {
    { { "none", { "r lease4" } }, LEASE_FAMILY_V4, "" },
    { { "foreign", { SERVER_MARKER, "c ubench_marker.note" } },
      LEASE_FAMILY_V4,
      "" },
    { { "a view", { "v ubench_marker", "c ubench_marker.lease4" } },
      LEASE_FAMILY_V4,
      "" },
    { { "a server's", { SERVER_MARKER } },
      LEASE_FAMILY_V4,
      "SELECT lease4, NULL FROM p.ubench_marker LIMIT 99" },
    { { "the same for lease6", { SERVER_MARKER } },
      LEASE_FAMILY_V6,
      "SELECT NULL, lease4 FROM p.ubench_marker LIMIT 99" },
    { { "a file's", { FILE_MARKER } },
      LEASE_FAMILY_V6,
      "SELECT schema, schema FROM p.ubench_marker LIMIT 99" },
};

TEST(the_marker_is_read_if_it_can_be_one)
{
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        struct sql_contents contents = contents_of(&queries[i].place);
        char sql[SQL_MARKER_QUERY_SIZE];

        contents.family = queries[i].family;
        const bool is_one = sql_contents_marker_query(&contents, "p.", sql);
        check_text(queries[i].place.name, is_one ? sql : "", queries[i].sql);
    }
}

static const struct {
    struct place place;
    const char *leases;
    const char *text;
} refusals[] = {
    { { "leases", { "r lease4", "kea" } },
      "625",
      "pgsql: database shop: public.lease4 is there, with 625 leases, and "
      "no table public.ubench_marker: it is not ubench's and was not "
      "touched; name another database with -f, or mark a scratch copy as "
      "yours to lose with: CREATE TABLE ubench_marker (id INT) AS SELECT "
      "'scratch copy' AS lease4" },
    { { "uncounted, an empty marker", { "r lease4", SERVER_MARKER } },
      "",
      "pgsql: database shop: public.lease4 is there, and an empty table "
      "public.ubench_marker: it is not ubench's and was not touched; name "
      "another database with -f, or mark a scratch copy as yours to lose "
      "with: INSERT INTO ubench_marker (lease4) VALUES ('scratch copy')" },
    { { "others", { "r shoes", "r orders" } },
      "",
      "pgsql: database shop has tables (2, orders is one) and no table "
      "public.ubench_marker: it is not ubench's and was not touched; name "
      "another, empty one with -f" },
    { { "another row", { SERVER_MARKER, "m lean2 -" } },
      "",
      "pgsql: database shop has a table public.ubench_marker that this "
      "ubench did not write ('lean2' in a row): it is not ubench's and was "
      "not touched; name another, empty one with -f" },
    { { "another shape", { "r ubench_marker", "c ubench_marker.id" } },
      "",
      "pgsql: database shop has a table public.ubench_marker with other "
      "columns than ubench's: it is not ubench's and was not touched; name "
      "another, empty one with -f" },
    { { "case", { "r LEASE4" } },
      "",
      "pgsql: database shop has public.LEASE4, a name of ubench's in other "
      "case: it was not touched; name another database with -f" },
    { { "a trigger",
        { "r lease4", "lean", "t audit", SERVER_MARKER, "m lean -" } },
      "",
      "pgsql: database shop: public.lease4 has the thing audit, which "
      "ubench did not make: it was not touched; name another database "
      "with -f" },
    { { "a column",
        { "r lease4", "kea", "c lease4.color", SERVER_MARKER, "m kea -" } },
      "",
      "pgsql: database shop: public.lease4 is not as ubench made it (see "
      "its column color): it was not touched; name another database with "
      "-f" },
    { { "a view", { "v lease4", SERVER_MARKER, "m lean -" } },
      "",
      "pgsql: database shop: public.lease4 is a view, not a table" },
};

TEST(a_refusal_names_what_is_there)
{
    const struct sql_place place = { "pgsql", "public.",
                                     "CREATE TABLE ubench_marker (id INT)" };
    const struct store_config config = { .target = "shop" };

    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        struct sql_contents contents = contents_of(&refusals[i].place);
        struct err err;

        (void)snprintf(contents.leases, sizeof contents.leases, "%s",
                       refusals[i].leases);
        assert_int_equal(sql_refuse(sql_judge(&contents, &config, false),
                                    &contents, &config, &place, &err),
                         -1);
        check_text(refusals[i].place.name, err.text, refusals[i].text);
    }
}
