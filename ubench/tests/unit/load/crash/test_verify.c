/* SPDX-License-Identifier: ISC */
/*
 * The ledger and the judgment by it, on a store of a few leases that a test
 * fills as a crash might have left it.
 */
#include "load/crash/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lease/generator.h"
#include "tests/lib/check.h"

enum { KEYS = 4, PATH_SIZE = 64 };

/* The content at the address of lease i: nothing, version 0 or 1, or nonsense. */
enum has { HAS_NONE, HAS_V0, HAS_V1, HAS_NONSENSE };

struct session {
    struct generator generator;
    enum has has[KEYS];
    uint64_t strangers;
    enum outcome check;
    enum err_class fails; /* each search, unless ERR_OTHER */
};

static enum outcome find(struct session *session, enum lookup by, const struct lease *like,
                         struct lease *found, struct err *err)
{
    if (session->fails != ERR_OTHER)
        return err_set_class(err, session->fails, "as told");
    for (uint64_t i = 0; i < KEYS; i++) {
        if (!lease_address_equal(generator_address(&session->generator, i), like->address) ||
            session->has[i] == HAS_NONE)
            continue;
        generator_make(&session->generator, i, session->has[i] == HAS_V1, found);
        if (session->has[i] == HAS_NONSENSE)
            found->hwaddr[0] ^= 1;
        return OUTCOME_HIT;
    }
    return OUTCOME_MISS;
}

static int count(struct session *session, uint64_t *counted, struct err *err)
{
    *counted = session->strangers;
    for (int i = 0; i < KEYS; i++)
        *counted += session->has[i] != HAS_NONE;
    return 0;
}

static enum outcome look_after(struct session *session, char *text, size_t size, struct err *err)
{
    (void)snprintf(text, size, "as told");
    return session->check;
}

static const struct backend fake = {
    .name = "fake",
    .find = find,
    .count = count,
    .check = look_after,
};

/* A ledger in a file that is gone again, and a store without a lease. */
struct scene {
    char path[PATH_SIZE];
    struct ledger ledger;
    struct session session;
    struct verify_result result;
    struct err err;
};

static void begin(struct scene *scene)
{
    static const struct ledger_about about = { .seed = 7, .store = "fake" };

    *scene = (struct scene){ .session = { .check = OUTCOME_HIT } };
    (void)snprintf(scene->path, sizeof scene->path, "/dev/shm/test_verify.%ld", (long)getpid());
    if (ledger_create(&scene->ledger, scene->path, "", &about, KEYS, &scene->err) != 0)
        fail_msg("%s", scene->err.text);
    assert_int_equal(unlink(scene->path), 0);
    generator_init(&scene->session.generator, LEASE_FAMILY_V4, LEASE_PROFILE_TYPICAL, about.seed);
    atomic_store(&scene->ledger.header->begun_ns, 1);
}

static int verify(struct scene *scene)
{
    return verify_run(&scene->ledger, &fake, &scene->session, &scene->result, &scene->err);
}

/* Sets when an operation was submitted and acknowledged; 0: it was not. */
static void note(struct scene *scene, uint64_t key, enum change operation, uint64_t submitted_ns,
                 uint64_t acknowledged_ns)
{
    struct ledger_event *const event = &scene->ledger.keys[key].events[operation];

    atomic_store(&event->submitted_ns, submitted_ns);
    atomic_store(&event->acknowledged_ns, acknowledged_ns);
}

/* One lease: s submitted, a acknowledged, of create, update and delete; what
   the store has; what that is. */
TEST(each_lease_is_judged)
{
    static const struct {
        const char *done;
        enum has has;
        const char *verdict;
    } cases[] = {
        { "s..", HAS_NONE, "kept" },        { "s..", HAS_V0, "kept" },
        { "s..", HAS_V1, "phantom" },       { "a..", HAS_V0, "kept" },
        { "a..", HAS_NONE, "lost" },        { "a..", HAS_V1, "phantom" },
        { "as.", HAS_V0, "kept" },          { "as.", HAS_V1, "kept" },
        { "as.", HAS_NONE, "lost" },        { "aa.", HAS_V1, "kept" },
        { "aa.", HAS_V0, "outdated" },      { "aa.", HAS_NONE, "lost" },
        { "aas", HAS_V1, "kept" },          { "aas", HAS_NONE, "kept" },
        { "aas", HAS_V0, "outdated" },      { "aaa", HAS_NONE, "kept" },
        { "aaa", HAS_V1, "resurrected" },   { "aaa", HAS_V0, "resurrected" },
        { "a.s", HAS_V0, "kept" },          { "a.s", HAS_NONE, "kept" },
        { "a.a", HAS_V0, "resurrected" },   { "a.a", HAS_V1, "phantom" },
        { "aa.", HAS_NONSENSE, "corrupt" }, { "s..", HAS_NONSENSE, "corrupt" },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scene scene;
        const struct verify_result *const r = &scene.result;

        begin(&scene);
        for (int o = 0; o < CHANGES; o++) {
            const char done = cases[i].done[o];
            const uint64_t at_ns = 10 * (uint64_t)(o + 1);

            note(&scene, 0, (enum change)o, done == '.' ? 0 : at_ns, done == 'a' ? at_ns + 1 : 0);
        }
        scene.session.has[0] = cases[i].has;
        assert_int_equal(verify(&scene), 0);
        const char *const verdict = r->kept          ? "kept"
                                    : r->lost        ? "lost"
                                    : r->outdated    ? "outdated"
                                    : r->resurrected ? "resurrected"
                                    : r->phantom     ? "phantom"
                                                     : "corrupt";
        if (strcmp(verdict, cases[i].verdict) != 0)
            fail_msg("%s with %d is %s, not %s", cases[i].done, cases[i].has, verdict,
                     cases[i].verdict);
        assert_int_equal(r->kept + r->lost + r->outdated + r->resurrected + r->phantom + r->corrupt,
                         1);
        assert_int_equal(verify_is_whole(r), strcmp(verdict, "kept") == 0);
        ledger_close(&scene.ledger);
    }
}

TEST(a_tail_is_no_hole)
{
    struct scene scene;

    begin(&scene);
    for (uint64_t i = 0; i < KEYS; i++)
        note(&scene, i, CHANGE_CREATE, 10 * i + 1, 10 * i + 2);
    scene.session.has[0] = HAS_V0;
    scene.session.has[1] = HAS_V0;
    atomic_store(&scene.ledger.header->crashed_ns, 50);
    assert_int_equal(verify(&scene), 0);
    assert_int_equal(scene.result.lost, 2);
    assert_int_equal(scene.result.lost_operations, 2);
    assert_int_equal(scene.result.holes, 0);
    assert_int_equal(scene.result.window_ns, 50 - 22);
    assert_int_equal(scene.result.window_operations, 2);
    /* The same with a later one kept, of the same thread and of another. */
    scene.session.has[3] = HAS_V0;
    assert_int_equal(verify(&scene), 0);
    assert_int_equal(scene.result.holes, 1);
    scene.ledger.keys[3].clients[CHANGE_CREATE] = 1;
    assert_int_equal(verify(&scene), 0);
    assert_int_equal(scene.result.lost, 1);
    assert_int_equal(scene.result.holes, 0);
    ledger_close(&scene.ledger);
}

TEST(what_came_after_the_crash_does_not_count)
{
    struct scene scene;

    begin(&scene);
    note(&scene, 0, CHANGE_CREATE, 40, 60);
    atomic_store(&scene.ledger.header->crashed_ns, 50);
    assert_int_equal(verify(&scene), 0);
    assert_int_equal(scene.result.kept, 1);
    assert_int_equal(scene.result.late, 1);
    assert_int_equal(scene.result.acknowledged, 0);
    atomic_store(&scene.ledger.header->crashed_ns, 60);
    assert_int_equal(verify(&scene), 0);
    assert_int_equal(scene.result.lost, 1);
    ledger_close(&scene.ledger);
}

TEST(strangers_and_damage_are_told)
{
    struct scene scene;

    begin(&scene);
    assert_int_equal(verify(&scene), 0);
    assert_true(verify_is_whole(&scene.result));
    scene.session.strangers = 2;
    assert_int_equal(verify(&scene), 0);
    assert_int_equal(scene.result.strangers, 2);
    assert_false(verify_is_whole(&scene.result));
    scene.session.strangers = 0;
    scene.session.check = OUTCOME_MISS;
    assert_int_equal(verify(&scene), 0);
    assert_false(verify_is_whole(&scene.result));
    ledger_close(&scene.ledger);
}

/* A harness that failed is no loss. */
TEST(what_cannot_be_judged_is_not)
{
    struct scene scene;

    begin(&scene);
    note(&scene, 0, CHANGE_CREATE, 1, 2);
    scene.session.fails = ERR_LOST;
    assert_int_equal(verify(&scene), -1);
    assert_string_equal(scene.err.text, "as told");
    scene.session.fails = ERR_CORRUPT;
    assert_int_equal(verify(&scene), 0);
    assert_int_equal(scene.result.corrupt, 1);
    scene.session.fails = ERR_OTHER;
    atomic_store(&scene.ledger.header->begun_ns, 0);
    assert_int_equal(verify(&scene), -1);
    ledger_close(&scene.ledger);
}

TEST(a_group_is_acknowledged_together)
{
    struct scene scene;
    struct ledger_client client;

    begin(&scene);
    assert_int_equal(ledger_client_init(&client, &scene.ledger, 9, KEYS, &scene.err), 0);
    for (uint64_t i = 0; i < 3; i++)
        ledger_attempt(&client, i, CHANGE_CREATE);
    for (uint64_t i = 0; i < 3; i++) {
        const struct ledger_event *const event = &scene.ledger.keys[i].events[CHANGE_CREATE];

        assert_int_not_equal(atomic_load(&event->submitted_ns), 0);
        assert_int_equal(atomic_load(&event->acknowledged_ns), 0);
        assert_int_equal(scene.ledger.keys[i].clients[CHANGE_CREATE], 9);
    }
    ledger_acknowledge(&client);
    for (uint64_t i = 0; i < 3; i++) {
        const struct ledger_event *const event = &scene.ledger.keys[i].events[CHANGE_CREATE];

        assert_true(atomic_load(&event->acknowledged_ns) >= atomic_load(&event->submitted_ns));
    }
    ledger_client_release(&client);
    ledger_close(&scene.ledger);
}

/* Where nothing was acknowledged, a whole transaction may be there, or none. */
TEST(a_torn_batch_is_told)
{
    static const struct {
        enum has has[2]; /* keys 0 and 1 were to be created by one thread ... */
        enum has other;  /* ... and by another one, that had only begun, key 2 */
        uint64_t torn;
    } cases[] = {
        { { HAS_NONE, HAS_NONE }, HAS_NONE, 0 }, { { HAS_V0, HAS_V0 }, HAS_NONE, 0 },
        { { HAS_V0, HAS_NONE }, HAS_NONE, 1 },   { { HAS_NONE, HAS_V0 }, HAS_NONE, 1 },
        { { HAS_NONE, HAS_V0 }, HAS_V0, 2 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;

        begin(&scene);
        scene.ledger.header->about.batch = 2;
        for (uint64_t k = 0; k < 3; k++)
            note(&scene, k, CHANGE_CREATE, k + 1, 0);
        scene.ledger.keys[2].clients[CHANGE_CREATE] = 1;
        scene.session.has[2] = cases[i].other;
        scene.session.has[0] = cases[i].has[0];
        scene.session.has[1] = cases[i].has[1];
        assert_int_equal(verify(&scene), 0);
        assert_int_equal(scene.result.torn_batches, cases[i].torn);
        assert_int_equal(scene.result.unanswered, 3);
        assert_true(verify_is_whole(&scene.result));
        ledger_close(&scene.ledger);
    }
}

TEST(only_ledgers_are_opened)
{
    static const struct ledger_about about = { .seed = 7 };
    char path[PATH_SIZE];
    struct ledger ledger;
    struct err err = { 0 };

    (void)snprintf(path, sizeof path, "/dev/shm/test_verify.%ld", (long)getpid());
    assert_int_equal(ledger_open(&ledger, path, &err), -1);
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("somebody wrote this\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(ledger_open(&ledger, path, &err), -1);
    assert_int_equal(ledger_create(&ledger, path, "", &about, 1, &err), -1);
    assert_int_equal(unlink(path), 0);
    /* Beside the store it would share its fate. */
    assert_int_equal(ledger_create(&ledger, path, "/dev/shm", &about, 1, &err), -1);
    assert_non_null(strstr(err.text, "the store's file system"));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(ledger_create(&ledger, path, "", &about, 3, &err), 0);
    ledger_close(&ledger);
    assert_int_equal(truncate(path, LEDGER_HEADER_SIZE + LEDGER_KEY_SIZE), 0);
    assert_int_equal(ledger_open(&ledger, path, &err), -1);
    assert_int_equal(unlink(path), 0);
}

/* Entries of a ledger that no load can have written. */
TEST(impossible_events_are_refused)
{
    static const struct {
        uint64_t submitted_ns;
        uint64_t acknowledged_ns;
        uint16_t client;
        const char *complaint;
    } cases[] = {
        { 1, 2, 65535, "byte 4224: the update of lease 2 has thread 65535; expected 0..1000" },
        { 0, 2, 0,
          "byte 4224: the update of lease 2 has times out of order: submitted at 0 ns, "
          "acknowledged at 2 ns" },
        { 3, 2, 0,
          "byte 4224: the update of lease 2 has times out of order: submitted at 3 ns, "
          "acknowledged at 2 ns" },
        { UINT64_MAX, 0, 0,
          "byte 4224: the update of lease 2 has times out of order: submitted at "
          "18446744073709551615 ns, acknowledged at 0 ns" },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scene scene;
        char wanted[256];

        begin(&scene);
        note(&scene, 2, CHANGE_UPDATE, cases[i].submitted_ns, cases[i].acknowledged_ns);
        scene.ledger.keys[2].clients[CHANGE_UPDATE] = cases[i].client;
        assert_int_equal(verify(&scene), -1);
        (void)snprintf(wanted, sizeof wanted, "the ledger %s: %s", scene.path, cases[i].complaint);
        check_text("complaint", scene.err.text, wanted);
        ledger_close(&scene.ledger);
    }
}

static const struct {
    size_t offset;
    size_t size;
    uint64_t value;
    const char *complaint;
} damages[] = {
#define AT(member) \
    offsetof(struct ledger_header, member), sizeof(((struct ledger_header *)0)->member)
    { AT(keys), 0, "byte 16: keys is 0; expected 1..400000000" },
    { AT(keys), UINT64_MAX, "byte 16: keys is 18446744073709551615; expected 1..400000000" },
    { AT(keys), 5, "truncated: 5 leases need 4416 bytes, but it has 4288" },
    { AT(about.threads), 1001, "byte 80: about.threads is 1001; expected 1..1000" },
    { AT(about.family), 2, "byte 116: about.family is 2; expected 0..1" },
    { AT(about.schema), 3, "byte 120: about.schema is 3; expected 0..2" },
    { AT(about.profile), UINT32_MAX, "byte 112: about.profile is 4294967295; expected 0..1" },
    { AT(about.pace_per_s), UINT64_C(0xfff8000000000000),
      "byte 104: about.pace_per_s is -nan; expected 0 or more" },
    { AT(crashed_ns), 5, "byte 32: crashed_ns is 5, before the load began" },
    { AT(begun_ns), UINT64_MAX,
      "byte 24: begun_ns is 18446744073709551615; expected 0..9223372036854775807" },
    { AT(about.product), UINT64_C(0x1b5b),
      "byte 236: about.product is '[?', where ? stands for a character that cannot be printed" },
    { AT(about.durability), 16, /* no end: below */
      "byte 364: about.durability does not end within 16 bytes" },
    { AT(about.promise.kill), 3, "byte 640: about.promise.kill is 3; expected 0..2" },
    { AT(about.promise.setting_count), 17,
      "byte 664: about.promise.setting_count is 17; expected 0..16" },
    { AT(about.promise.settings[0].value), 0x1b,
      "a setting or reason of about.promise is '?', where ? stands for a character that cannot be "
      "printed" },
    { AT(about.promise.power_window_s), UINT64_C(0xbff0000000000000),
      "a window of about.promise is -1; expected 0 or more" },
#undef AT
};

/* A header that is whole but for one member. */
TEST(damaged_headers_are_refused)
{
    static const struct ledger_about about = {
        .threads = 1,
        .batch = 1,
        .subnets = 1,
        .store = "fake",
        .promise = { .setting_count = 1, .settings = { { "fsync", "off" } } },
    };
    char path[PATH_SIZE];

    (void)snprintf(path, sizeof path, "/dev/shm/test_verify.%ld", (long)getpid());
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        struct ledger ledger;
        struct err err = { 0 };
        char wanted[256];

        assert_int_equal(ledger_create(&ledger, path, "", &about, 3, &err), 0);
        atomic_store(&ledger.header->begun_ns, 10);
        char *const at = (char *)ledger.header + damages[i].offset;
        if (damages[i].offset == offsetof(struct ledger_header, about.durability))
            memset(at, 'x', damages[i].size);
        else
            memcpy(at, &damages[i].value, damages[i].size < 8 ? damages[i].size : 8);
        ledger_close(&ledger);
        assert_int_equal(ledger_open(&ledger, path, &err), -1);
        (void)snprintf(wanted, sizeof wanted, "the ledger %s: %s", path, damages[i].complaint);
        check_text("complaint", err.text, wanted);
        assert_int_equal(unlink(path), 0);
    }
}
