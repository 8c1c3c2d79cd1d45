/* SPDX-License-Identifier: ISC */
/* Opening a store: the leases that are there, and refusals. */
#include "tests/conformance/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/check.h"

TEST(reset_removes_everything)
{
    struct fixture *const fixture = fixture_begin_test(state);

    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < fixture_odd_leases(fixture); i++) {
            const struct lease lease = fixture_odd_lease(fixture, i);

            fixture_create(fixture, odd_lease_name(i), &lease, OUTCOME_HIT);
        }
        fixture_count(fixture, "before reset", fixture_odd_leases(fixture));
        if (the_backend.reset(fixture->session, &fixture->err) != 0)
            fail_msg("reset: %s", fixture->err.text);
        fixture_count(fixture, "after reset", 0);
        for (size_t i = 0; i < fixture_odd_leases(fixture); i++) {
            const struct lease lease = fixture_odd_lease(fixture, i);

            fixture_find_none(fixture, odd_lease_name(i), &lease);
        }
        fixture_list_expired(fixture, "after reset", store_limits().expire_most_s, 8, NULL, 0);
    }
    fixture_close(fixture);
}

TEST(opening_again_empties)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);

    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_close(fixture);
    fixture_open(fixture);
    fixture_count(fixture, "opened again", 0);
    fixture_create(fixture, "first again", &lease, OUTCOME_HIT);
    fixture_find_all(fixture, "first again", &lease);
    fixture_close(fixture);
}

/* Opens the test's store again as --verify does; NULL with fixture->err. */
static struct store *open_what_is_there(struct fixture *fixture)
{
    static const struct opt_settings none = { .count = 0 };
    struct store_config config = fixture->variant->config;

    config.keep = true;
    config.sync = SYNC_SERVER;
    if (!the_backend.set_says_where)
        config.settings = &none;
    return the_backend.open(&config, &fixture->err);
}

TEST(opening_to_keep_changes_nothing)
{
    struct fixture *const fixture = fixture_begin_test(state);
    char text[TEXT_SIZE] = "";
    struct lease removed = fixture_lease(fixture, 2);
    struct lease lease = fixture_lease(fixture, 1);

    fixture_create(fixture, "first", &lease, OUTCOME_HIT);
    fixture_create(fixture, "second", &removed, OUTCOME_HIT);
    fixture_remove(fixture, "second", removed.address, lease_expire_s(&removed), OUTCOME_HIT);
    const int64_t expire_s = lease_expire_s(&lease);
    lease.cltt_s += 100;
    fixture_update(fixture, "first", &lease, expire_s, OUTCOME_HIT);
    fixture_close(fixture);
    for (int i = 0; i < 2; i++) {
        struct lease found;

        fixture->store = open_what_is_there(fixture);
        if (fixture->store == NULL)
            fail_msg("open: %s", fixture->err.text);
        fixture->session = the_backend.session_open(fixture->store, &fixture->err);
        if (fixture->session == NULL)
            fail_msg("session_open: %s", fixture->err.text);
        fixture_count(fixture, "kept", 1);
        assert_int_equal(
            the_backend.find(fixture->session, LOOKUP_ADDRESS, &lease, &found, &fixture->err),
            OUTCOME_HIT);
        assert_int_equal(lease_expire_s(&found), lease_expire_s(&lease));
        if (the_backend.check != NULL) {
            if (the_backend.check(fixture->session, text, sizeof text, &fixture->err) !=
                OUTCOME_HIT)
                fail_msg("check: %s%s", text, fixture->err.text);
            assert_string_not_equal(text, "");
        }
        fixture_close(fixture);
    }
}

/* The first process has the store's lock, and its leases stay. */
TEST(joining_shares_what_is_there)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct store_config config = fixture->variant->config;
    const struct lease first = fixture_lease(fixture, 1);
    const struct lease second = fixture_lease(fixture, 2);
    struct store *store = NULL;
    struct session *session = NULL;
    struct lease found;

    config.joins = true;
    fixture_create(fixture, "first", &first, OUTCOME_HIT);
    if ((the_backend.scope & OPT_SCOPE_SHARED) != 0) {
        store = the_backend.open(&config, &fixture->err);
        if (store != NULL)
            session = the_backend.session_open(store, &fixture->err);
        if (session == NULL)
            fail_msg("joining: %s", fixture->err.text);
        assert_int_equal(the_backend.find(session, LOOKUP_ADDRESS, &first, &found, &fixture->err),
                         OUTCOME_HIT);
        check_same_lease("first", "find by address, joined", &first, &found);
        assert_int_equal(the_backend.create(session, &second, &fixture->err), OUTCOME_HIT);
        the_backend.session_close(session);
        assert_int_equal(the_backend.close(store, &fixture->err), 0);
        fixture_find_all(fixture, "second", &second);
        fixture_count(fixture, "by both", 2);
    }
    fixture_close(fixture);
}

TEST(what_is_not_there_cannot_be_kept)
{
    struct fixture *const fixture = fixture_begin_test(state);

    fixture_close(fixture);
    if (!fixture->suite->file)
        return; /* nor can a server's table be taken away from here */
    assert_int_equal(unlink(fixture->variant->config.target), 0);
    assert_null(open_what_is_there(fixture));
    assert_int_equal(fixture->err.kind, ERR_OTHER);
    assert_int_not_equal(access(fixture->variant->config.target, F_OK), 0);
}

/* In the middle: what a crash cuts off at the end is another matter. */
TEST(damage_is_told)
{
    struct fixture *const fixture = fixture_begin_test(state);
    char text[TEXT_SIZE] = "";
    char noise[64];

    if (!fixture->suite->file || the_backend.check == NULL)
        return; /* a server's files are not ours to damage */
    for (uint32_t i = 1; i <= 200; i++) {
        const struct lease lease = fixture_lease(fixture, i);

        fixture_create(fixture, "one of many", &lease, OUTCOME_HIT);
    }
    fixture_close(fixture);
    memset(noise, 0xa5, sizeof noise);
    FILE *const file = fopen(fixture->variant->config.target, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long middle = ftell(file) / 2 / 4096 * 4096;
    assert_int_equal(fseek(file, middle, SEEK_SET), 0);
    assert_int_equal(fwrite(noise, sizeof noise, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    fixture->store = open_what_is_there(fixture);
    if (fixture->store == NULL) {
        assert_int_equal(fixture->err.kind, ERR_CORRUPT);
        return;
    }
    fixture->session = the_backend.session_open(fixture->store, &fixture->err);
    assert_non_null(fixture->session);
    const enum outcome outcome =
        the_backend.check(fixture->session, text, sizeof text, &fixture->err);
    /* A log ends at its first unreadable record; then it must say so. */
    if (outcome == OUTCOME_HIT && strstr(text, "dropped") == NULL)
        fail_msg("damage was not seen: %s", text);
    if (outcome == OUTCOME_ERROR)
        assert_int_equal(fixture->err.kind, ERR_CORRUPT);
    /* The next test finds a file that it may empty. */
    fixture_close(fixture);
}

TEST(schemas_may_take_turns)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct variant *const variant = fixture->variant;
    struct variant other = *variant;
    const struct lease lease = fixture_lease(fixture, 1);

    other.config.schema = (enum schema)((variant->config.schema + 1) % (schema_max() + 1));
    for (int i = 0; i < 4; i++) {
        fixture_count(fixture, "opened", 0);
        fixture_create(fixture, "first", &lease, OUTCOME_HIT);
        fixture_find_all(fixture, "first", &lease);
        fixture_close(fixture);
        fixture->variant = i % 2 == 0 ? &other : variant;
        fixture_open(fixture);
    }
    fixture->variant = variant;
    fixture_close(fixture);
}

/* Fails to open, with a sentence that begins with the store's name and has
   words in it. */
static void check_refused(struct fixture *fixture, const char *what,
                          const struct store_config *config, const char *words)
{
    fixture->store = the_backend.open(config, &fixture->err);
    check(what, fixture->store == NULL, "it is refused");
    if (strstr(fixture->err.text, words) == NULL)
        fail_msg("%s: no \"%s\" in: %s", what, words, fixture->err.text);
    fixture->err = (struct err){ 0 };
}

TEST(a_target_that_cannot_be_is_refused)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct suite *const suite = fixture->suite;
    struct store_config config = fixture->variant->config;

    fixture_close(fixture);
    config.target = suite->missing;
    check_refused(fixture, "missing", &config, suite->missing);
    if (fixture->suite->file) {
        config.target = suite->folder;
        check_refused(fixture, "a folder", &config, suite->folder);
        config.target = "/dev/null";
        check_refused(fixture, "a device", &config, "/dev/null");
    }
    fixture_open(fixture);
    fixture_close(fixture);
}

TEST(unknown_settings_are_refused)
{
    static const struct opt_settings settings = {
        .count = 1,
        .items = { { "no_such_setting", "1" } },
    };
    struct fixture *const fixture = fixture_begin_test(state);
    struct store_config config = fixture->variant->config;
    const char *const target = config.target;
    struct stat status;

    fixture_close(fixture);
    if (fixture->suite->file)
        assert_int_equal(unlink(target), 0);
    config.settings = &settings;
    check_refused(fixture, "unknown setting", &config, "no_such_setting");
    /* Nothing is left behind that was not there before. */
    if (fixture->suite->file)
        assert_int_equal(stat(target, &status), -1);
}

/* A file that ubench did not write stays as it is, whatever it looks like. */
TEST(foreign_files_are_refused)
{
    static const char *const contents[] = {
        "somebody's notes\n", "lease 1.0.0.0 {\n}\n", "# ubench\n", "SQLite format 3", "\n",
    };
    struct fixture *const fixture = fixture_begin_test(state);
    const char *const target = fixture->variant->config.target;

    fixture_close(fixture);
    if (!fixture->suite->file)
        return;
    for (size_t i = 0; i < COUNT_OF(contents); i++) {
        char text[TEXT_SIZE] = "";
        FILE *file = fopen(target, "w");

        assert_non_null(file);
        assert_true(fputs(contents[i], file) >= 0);
        assert_int_equal(fclose(file), 0);
        check_refused(fixture, contents[i], &fixture->variant->config, target);
        file = fopen(target, "r");
        assert_non_null(file);
        assert_true(fread(text, 1, sizeof text - 1, file) > 0);
        assert_int_equal(fclose(file), 0);
        check_text("the file", text, contents[i]);
    }
    assert_int_equal(unlink(target), 0);
}

/* A user's own configuration of a client library must not change what goes
   over the wire: names are bytes. */
TEST(home_changes_nothing)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const char *const home = getenv("HOME");
    char *const before = home == NULL ? NULL : strdup(home);
    char folder[] = "/tmp/ubench-home-XXXXXX";
    char path[64];

    fixture_close(fixture);
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/.my.cnf", folder);
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("[client]\ndefault-character-set=utf8mb4\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    (void)setenv("HOME", folder, 1);
    fixture_open(fixture);
    if (before == NULL)
        (void)unsetenv("HOME");
    else
        (void)setenv("HOME", before, 1);
    free(before);
    (void)unlink(path);
    (void)rmdir(folder);
    for (size_t i = 0; i < fixture_odd_leases(fixture); i++) {
        const struct lease lease = fixture_odd_lease(fixture, i);

        fixture_create(fixture, odd_lease_name(i), &lease, OUTCOME_HIT);
        fixture_find_all(fixture, odd_lease_name(i), &lease);
    }
    fixture_close(fixture);
}
