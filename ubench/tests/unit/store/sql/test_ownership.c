/* SPDX-License-Identifier: ISC */
#include "store/sql/ownership.h"

#include <string.h>

#include "tests/lib/check.h"

#define MARKED .marker = true, .others = true
#define LEASES MARKED, .lease = true

static const struct {
    const char *name;
    struct sql_contents contents;
    enum schema schema;
    bool keep;
    bool fits;
    enum sql_verdict verdict;
} cases[] = {
    { "nothing at all",
      { .marker = false },
      SCHEMA_KEA,
      false,
      true,
      SQL_MAKE },
    { "nothing to keep",
      { .marker = false },
      SCHEMA_KEA,
      true,
      true,
      SQL_ABSENT },
    { "tables of something else",
      { .others = true },
      SCHEMA_LEAN,
      false,
      true,
      SQL_REFUSE_OTHERS },
    { "nor are they kept",
      { .others = true },
      SCHEMA_LEAN,
      true,
      true,
      SQL_REFUSE_OTHERS },
    { "Kea's leases",
      { .others = true, .lease = true },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_LEASES },
    { "nor are those kept",
      { .others = true, .lease = true },
      SCHEMA_KEA,
      true,
      true,
      SQL_REFUSE_LEASES },
    { "other tables, but a marker",
      { MARKED },
      SCHEMA_LEAN,
      false,
      true,
      SQL_MAKE },
    { "a view",
      { LEASES, .not_a_table = true },
      SCHEMA_KEA,
      false,
      true,
      SQL_REFUSE_KIND },
    { "an owner's table", { LEASES }, SCHEMA_KEA, false, true, SQL_USE },
    { "an owner's table, kept", { LEASES }, SCHEMA_KEA, true, false, SQL_USE },
    { "it is not lean",
      { LEASES },
      SCHEMA_LEAN,
      false,
      true,
      SQL_REFUSE_SCHEMA },
    { "nor counted by ours",
      { LEASES },
      SCHEMA_KEA_STATS,
      false,
      true,
      SQL_REFUSE_SCHEMA },
    { "nor altered", { LEASES }, SCHEMA_KEA, false, false, SQL_REFUSE_OPTION },
    { "our own",
      { LEASES, .made = "lean" },
      SCHEMA_LEAN,
      false,
      true,
      SQL_USE },
    { "our own, kept",
      { LEASES, .made = "lean" },
      SCHEMA_KEA,
      true,
      false,
      SQL_USE },
    { "our own, of another schema",
      { LEASES, .made = "lean" },
      SCHEMA_KEA,
      false,
      true,
      SQL_MAKE_ANEW },
    { "our own, of another engine",
      { LEASES, .made = "kea+stats" },
      SCHEMA_KEA_STATS,
      false,
      false,
      SQL_MAKE_ANEW },
    { "our own, that is gone",
      { MARKED, .made = "kea" },
      SCHEMA_KEA,
      false,
      false,
      SQL_MAKE },
};

static void each_case_has_its_verdict(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct store_config config = { .schema = cases[i].schema,
                                             .keep = cases[i].keep };

        check(cases[i].name,
              sql_judge(&cases[i].contents, &config, cases[i].fits) ==
                  cases[i].verdict,
              "the verdict");
    }
}

static void a_refusal_names_what_is_there(void **state)
{
    const struct sql_contents contents = { .count = "2",
                                           .example = "orders",
                                           .leases = "625" };
    const struct store_config config = { .target = "shop" };
    struct err err;

    (void)state;
    assert_int_equal(sql_refuse(SQL_REFUSE_LEASES, &contents, &config, "pgsql",
                                "public.", &err),
                     -1);
    assert_string_equal(
        err.text,
        "pgsql: database shop: public.lease4 is there, with 625 leases, and no "
        "table public.ubench_marker: it is not ubench's and was not touched; "
        "name another database with -f, or mark a scratch copy as yours to "
        "lose with: CREATE TABLE ubench_marker (lease4 VARCHAR(16))");
    (void)sql_refuse(SQL_REFUSE_OTHERS, &contents, &config, "mysql", "", &err);
    assert_string_equal(
        err.text,
        "mysql: database shop has tables (2, orders is one) and no table "
        "ubench_marker: it is not ubench's and was not touched; name another, "
        "empty one with -f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_case_has_its_verdict),
        cmocka_unit_test(a_refusal_names_what_is_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
