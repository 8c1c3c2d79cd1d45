/* SPDX-License-Identifier: ISC */
/* The backend's members and properties. */
#include "tests/conformance/fixture.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/file_system.h"
#include "tests/lib/check.h"

TEST(the_backend_is_complete)
{
    const char *const missing = backend_missing(&the_backend);

    if (missing != NULL)
        fail_msg("struct backend has no %s", missing);
    assert_true(the_backend.keeps_leases);
    assert_true((the_backend.scope & OPT_SCOPE_STORES) != 0);
    assert_true((the_backend.scope & OPT_SCOPE_FILE) != 0 ||
                (the_backend.scope & OPT_SCOPE_SERVER) != 0);
    assert_true((the_backend.sync_levels & SYNC_BIT(SYNC_YES)) != 0);
}

TEST(nothing_can_be_closed)
{
    struct fixture *const fixture = *state;

    the_backend.session_close(NULL);
    assert_int_equal(the_backend.close(NULL, &fixture->err), 0);
    assert_string_equal(fixture->err.text, "");
}

/* A run asks this for its baselines. */
TEST(answers_without_work)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const bool server = !fixture->suite->file;
    char path[PATH_MAX] = "unset";

    check("ping", (the_backend.ping != NULL) == ((the_backend.scope & OPT_SCOPE_SERVER) != 0),
          "a server has one");
    for (int i = 0; the_backend.ping != NULL && i < 3; i++)
        check("ping", the_backend.ping(fixture->session, &fixture->err) == !server,
              fixture->err.text);
    if (the_backend.data_path != NULL) {
        the_backend.data_path(fixture->store, path, sizeof path);
        check("data_path", path[0] == '\0' || access(path, F_OK) == 0,
              "it is there if it is known");
    }
    fixture_close(fixture);
}

/* What is sampled beside a load: a figure that is known stays known, and a counter does not fall.
 */
TEST(says_what_it_does)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);
    struct activity activity = { .samples = NULL };

    for (int i = 0; the_backend.sample != NULL && i < 2; i++) {
        assert_non_null(activity_add(&activity, 0));
        the_backend.sample(fixture->store, &activity.samples[i]);
        if (i == 0)
            fixture_create(fixture, "between two samples", &lease, OUTCOME_HIT);
    }
    for (size_t i = 0; activity.count > 0 && i < ACTIVITY_FIGURES; i++) {
        const uint64_t before = activity.samples[0].figures[i];
        const uint64_t after = activity.samples[1].figures[i];

        check(activity_names[i], before == ACTIVITY_UNKNOWN || after != ACTIVITY_UNKNOWN,
              "it stays known");
        check(activity_names[i],
              i >= ACTIVITY_COUNTERS || before == ACTIVITY_UNKNOWN || after >= before,
              "it does not fall");
    }
    const enum activity_figure known =
        fixture->suite->file ? ACTIVITY_DATA_BYTES : ACTIVITY_LOG_BYTES;
    check(activity_names[known],
          activity.count == 0 || activity.samples[1].figures[known] != ACTIVITY_UNKNOWN,
          "it is known without a privilege");
    activity_release(&activity);
    fixture_close(fixture);
}

/* Each setting has a name and a value, and what is less than safe has a reason. */
static void check_promise(const struct store *store)
{
    struct promise promise = { .stores_nothing = false };
    char text[TEXT_SIZE];

    the_backend.durability(store, &promise);
    promise_text(&promise, text, sizeof text);
    const enum durability class = promise_class(&promise);
    check("class", class > DURABILITY_NONE, "it stores leases");
    check("class", text[0] != '\0', "it has a text");
    check("settings", promise.setting_count > 0, "some decide");
    for (size_t i = 0; i < promise.setting_count; i++)
        check(promise.settings[i].name,
              promise.settings[i].name[0] != '\0' && promise.settings[i].value[0] != '\0',
              "a setting has a name and a value");
    check("reasons", class == DURABILITY_POWER_SAFE || promise.reason_count > 0, text);
}

TEST(describes_itself)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct properties *const properties = calloc(1, sizeof *properties);
    char text[TEXT_SIZE] = "";

    assert_non_null(properties);
    if (the_backend.library != NULL) {
        the_backend.library(text, sizeof text);
        assert_true(text[0] != '\0');
    }
    the_backend.describe(fixture->store, properties);
    assert_true(properties->count >= 1);
    for (size_t i = 0; i < properties->count; i++) {
        check("fact", properties->items[i].key[0] != '\0', "it has a key");
        check(properties->items[i].key, properties->items[i].value[0] != '\0', "it has a value");
    }
    check_promise(fixture->store);
    if (the_backend.check_class != NULL)
        check("class", the_backend.check_class(fixture->store, &fixture->err) == 0,
              fixture->err.text);
    if (the_backend.node_loss != NULL)
        check("node loss", /* a cluster may be what is tested */
              the_backend.node_loss(fixture->store) != NODE_LOSS_UNKNOWN, "it is not known");
    free(properties);
    fixture_close(fixture);
}

/* The class that a level's name promises; DURABILITY_NONE: any. */
static enum durability class_of(enum sync_level level)
{
    switch (level) {
    case SYNC_YES:
    case SYNC_POWER_SAFE:
        return DURABILITY_POWER_SAFE;
    case SYNC_BOUNDED:
        return DURABILITY_BOUNDED;
    case SYNC_PROCESS_SAFE:
        return DURABILITY_PROCESS_SAFE;
    case SYNC_VOLATILE:
        return DURABILITY_VOLATILE;
    case SYNC_NO:
    case SYNC_SERVER:
        break;
    }
    return DURABILITY_NONE;
}

/* The class that has to come out: no file is safer than its file system. */
static enum durability promised(const struct suite *suite, enum sync_level level)
{
    struct promise promise = { .stores_nothing = false };

    if (!suite->file)
        return class_of(level);
    file_system_promise(suite->folder, &promise);
    return promise_class(&promise) < class_of(level) ? promise_class(&promise) : class_of(level);
}

TEST(has_the_durability_that_was_asked_for)
{
    struct fixture *const fixture = fixture_begin_test(state);
    const struct lease lease = fixture_lease(fixture, 1);
    unsigned levels = 0;

    fixture_close(fixture);
    for (enum sync_level level = SYNC_YES; level <= SYNC_POWER_SAFE; level++) {
        char text[TEXT_SIZE];

        if ((the_backend.sync_levels & SYNC_BIT((unsigned)level)) == 0 ||
            !fixture_open_at(fixture, level))
            continue;
        levels++;
        struct promise promise = { .stores_nothing = false };

        the_backend.durability(fixture->store, &promise);
        const enum durability class = promise_class(&promise);
        promise_text(&promise, text, sizeof text);
        const enum durability wanted = promised(fixture->suite, level);
        if (wanted != DURABILITY_NONE && class != wanted)
            fail_msg("level %d: got %s (%s), wanted %s", (int)level, durability_classes[class].name,
                     text, durability_classes[wanted].name);
        fixture_create(fixture, "at every level", &lease, OUTCOME_HIT);
        fixture_find_all(fixture, "at every level", &lease);
        fixture_close(fixture);
    }
    assert_in_range(levels, 2, SYNC_POWER_SAFE + 1);
}
