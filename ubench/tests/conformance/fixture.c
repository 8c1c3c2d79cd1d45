/* SPDX-License-Identifier: ISC */
#include "tests/conformance/fixture.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/units.h"
#include "tests/lib/check.h"

struct lease_limits store_limits(void)
{
    return (struct lease_limits){
        .expire_least_s = the_backend.expire_least_s,
        .expire_most_s =
            the_backend.expire_most_s != 0 ? the_backend.expire_most_s : INT64_C(1) << 40,
        .raw_hostnames = !the_backend.utf8_hostnames,
        .client_id_least = the_backend.client_id_least,
        .client_id_most = the_backend.client_id_most,
    };
}

enum schema schema_max(void)
{
    return the_backend.read_counters != NULL ? SCHEMA_KEA_STATS : SCHEMA_KEA;
}

/* Opening and closing */

static void open_session(struct fixture *fixture)
{
    if (fixture->store == NULL)
        fail_msg("open: %s", fixture->err.text);
    fixture->lacks = the_backend.lacks != NULL ? the_backend.lacks(fixture->store) : 0;
    fixture->session = the_backend.session_open(fixture->store, &fixture->err);
    if (fixture->session == NULL)
        fail_msg("session_open: %s", fixture->err.text);
}

void fixture_open(struct fixture *fixture)
{
    fixture->store = the_backend.open(&fixture->variant->config, &fixture->err);
    open_session(fixture);
}

bool fixture_open_at(struct fixture *fixture, enum sync_level level)
{
    struct store_config config = fixture->variant->config;

    config.sync = level;
    fixture->store = the_backend.open(&config, &fixture->err);
    if (fixture->store == NULL && the_backend.set_says_where && fixture->err.kind == ERR_USAGE) {
        fixture->err = (struct err){ 0 };
        return false;
    }
    open_session(fixture);
    return true;
}

/* Adds them up over the pools of each subnet. */
static void without_pools(struct lease_counts *sums, const struct lease_counts *counts)
{
    for (size_t i = 0; i < counts->capacity; i++) {
        struct lease_kind kind = counts->places[i].kind;

        kind.pool_id = 0;
        if (counts->places[i].used)
            assert_int_equal(lease_counts_add(sums, &kind, counts->places[i].leases), 0);
    }
}

static void check_same_counts(const char *which, const struct lease_counts *counters,
                              const struct lease_counts *leases)
{
    struct lease_kind kind;

    if (!lease_counts_equal(counters, leases, &kind))
        fail_msg("%s: the counter of subnet %u, pool %u, type %u, state %u is "
                 "%lld, and there are %lld such leases",
                 which, kind.subnet_id, kind.pool_id, kind.type, kind.state,
                 (long long)lease_counts_of(counters, &kind),
                 (long long)lease_counts_of(leases, &kind));
}

void fixture_check_counters(struct fixture *fixture)
{
    struct lease_counts read[COUNTERS_OF_LEASES + 1] = { { .used = 0 } };
    struct lease_counts sums = { .used = 0 };

    for (int which = 0; which <= COUNTERS_OF_LEASES; which++) {
        if (the_backend.read_counters(fixture->session, (enum counters)which, &read[which],
                                      &fixture->err) != 0)
            fail_msg("read_counters: %s", fixture->err.text);
    }
    without_pools(&sums, &read[COUNTERS_OF_LEASES]);
    check_same_counts("by pool", &read[COUNTERS_BY_POOL], &read[COUNTERS_OF_LEASES]);
    check_same_counts("by subnet", &read[COUNTERS_BY_SUBNET], &sums);
    for (int which = 0; which <= COUNTERS_OF_LEASES; which++)
        lease_counts_release(&read[which]);
    lease_counts_release(&sums);
}

void fixture_close(struct fixture *fixture)
{
    /* Whatever was done: the counters are those of the leases. */
    if (fixture->variant->config.schema == SCHEMA_KEA_STATS && fixture->session != NULL)
        fixture_check_counters(fixture);
    the_backend.session_close(fixture->session);
    fixture->session = NULL;
    const int status = the_backend.close(fixture->store, &fixture->err);
    fixture->store = NULL;
    if (status != 0)
        fail_msg("close: %s", fixture->err.text);
}

struct fixture *fixture_begin_test(void **state)
{
    struct fixture *const fixture = *state;

    if (fixture->suite->skip != NULL)
        skip();
    fixture_open(fixture);
    return fixture;
}

int fixture_end_test(void **state)
{
    struct fixture *const fixture = *state;

    /* After a failure it may be open still. */
    the_backend.session_close(fixture->session);
    (void)the_backend.close(fixture->store, &fixture->err);
    fixture->session = NULL;
    fixture->store = NULL;
    fixture->err = (struct err){ 0 };
    return 0;
}

/* Operations with their checks */

static const char *outcome_name(enum outcome outcome)
{
    static const char *const names[] = { "ERROR", "MISS", "HIT" };

    return outcome < OUTCOME_ERROR || outcome > OUTCOME_HIT ? "no outcome at all"
                                                            : names[outcome - OUTCOME_ERROR];
}

static void check_outcome(struct fixture *fixture, const char *what, const char *verb,
                          enum outcome got, enum outcome wanted)
{
    if (got != wanted)
        fail_msg("%s: %s gave %s, wanted %s (%s)", what, verb, outcome_name(got),
                 outcome_name(wanted), fixture->err.text);
    /* err is set by an ERROR, and by nothing else. */
    if ((fixture->err.text[0] != '\0') != (wanted == OUTCOME_ERROR))
        fail_msg("%s: %s gave %s with err \"%s\"", what, verb, outcome_name(got),
                 fixture->err.text);
    fixture->err = (struct err){ 0 };
}

struct lease fixture_lease(const struct fixture *fixture, uint32_t i)
{
    return ordinary_lease(fixture->variant->config.family, i);
}

/* Where a lease has to have one, the empty one if it is declined. */
static void give_duid(const struct fixture *fixture, struct lease *lease)
{
    const bool declined = lease->state == LEASE_STATE_DECLINED;

    if ((fixture->lacks & STORE_LACKS_V6_NO_DUID) != 0 && lease->type != LEASE_TYPE_V4 &&
        lease->client_id_length == 0)
        lease_set_bytes(lease->client_id, &lease->client_id_length, declined ? "" : "duid",
                        declined ? 1 : 4);
}

void fixture_decline(const struct fixture *fixture, struct lease *lease)
{
    lease_decline(lease);
    give_duid(fixture, lease);
}

struct lease fixture_odd_lease(const struct fixture *fixture, size_t i)
{
    const struct lease_limits limits = store_limits();
    struct lease lease = odd_lease(fixture->variant->config.family, i, &limits);

    if ((fixture->lacks & STORE_LACKS_POOLS) != 0)
        lease.pool_id = 0;
    give_duid(fixture, &lease);
    for (size_t k = 0; k < lease.hostname_length && (fixture->lacks & STORE_LACKS_HOSTNAMES) != 0;
         k++) {
        const unsigned char byte = (unsigned char)lease.hostname[k];

        lease.hostname[k] = byte < 0x80 ? (char)tolower(byte) : 'x';
    }
    return lease;
}

size_t fixture_odd_leases(const struct fixture *fixture)
{
    return odd_lease_count(fixture->variant->config.family);
}

void fixture_create(struct fixture *fixture, const char *what, const struct lease *lease,
                    enum outcome wanted)
{
    const enum outcome outcome = the_backend.create(fixture->session, lease, &fixture->err);

    check_outcome(fixture, what, "create", outcome, wanted);
}

void fixture_update(struct fixture *fixture, const char *what, const struct lease *lease,
                    int64_t expire_s, enum outcome wanted)
{
    const enum outcome outcome =
        the_backend.update(fixture->session, lease, expire_s, &fixture->err);

    check_outcome(fixture, what, "update", outcome, wanted);
}

void fixture_remove(struct fixture *fixture, const char *what, struct lease_address address,
                    int64_t expire_s, enum outcome wanted)
{
    const enum outcome outcome =
        the_backend.remove(fixture->session, address, expire_s, &fixture->err);

    check_outcome(fixture, what, "remove", outcome, wanted);
}

void fixture_update_stale(struct fixture *fixture, const char *what, const struct lease *lease,
                          int64_t expire_s)
{
    if ((fixture->lacks & STORE_LACKS_OLD_EXPIRE) == 0)
        fixture_update(fixture, what, lease, expire_s, OUTCOME_MISS);
}

void fixture_remove_stale(struct fixture *fixture, const char *what, struct lease_address address,
                          int64_t expire_s)
{
    if ((fixture->lacks & STORE_LACKS_OLD_EXPIRE) == 0)
        fixture_remove(fixture, what, address, expire_s, OUTCOME_MISS);
}

void check_same_lease(const char *what, const char *verb, const struct lease *wanted,
                      const struct lease *got)
{
    const char *const field = lease_difference(wanted, got);

    if (field != NULL)
        fail_msg("%s: %s gave another %s than was stored", what, verb, field);
    assert_true(lease_equal(wanted, got));
}

/* The former content of memory must not help a store. */
static struct lease noise(void)
{
    struct lease lease;

    memset(&lease, 0x5a, sizeof lease);
    lease.fqdn_fwd = true;
    lease.fqdn_rev = true;
    return lease;
}

void fixture_look(struct fixture *fixture, const char *what, enum lookup by,
                  const struct lease *like, enum outcome wanted)
{
    static const char *const verbs[] = { "find by address", "find by hwaddr", "find by client-id",
                                         "find in subnet" };
    struct lease found = noise();
    const enum outcome outcome =
        the_backend.find(fixture->session, by, like, &found, &fixture->err);

    if (by == LOOKUP_HWADDR && like->type != LEASE_TYPE_V4 &&
        (fixture->lacks & STORE_LACKS_V6_HWADDR) != 0)
        wanted = OUTCOME_ERROR;
    check_outcome(fixture, what, verbs[by], outcome, wanted);
    if (wanted == OUTCOME_HIT)
        check_same_lease(what, verbs[by], like, &found);
}

void fixture_find(struct fixture *fixture, const char *what, const struct lease *wanted)
{
    fixture_look(fixture, what, LOOKUP_ADDRESS, wanted, OUTCOME_HIT);
}

void fixture_find_client_id(struct fixture *fixture, const char *what, const struct lease *like,
                            enum outcome wanted)
{
    fixture_look(fixture, what, LOOKUP_CLIENT_ID, like, wanted);
    if (like->type != LEASE_TYPE_V4 && wanted != OUTCOME_ERROR)
        fixture_look(fixture, what, LOOKUP_IN_SUBNET, like, wanted);
}

void fixture_find_all(struct fixture *fixture, const char *what, const struct lease *lease)
{
    fixture_find(fixture, what, lease);
    if (lease->hwaddr_length > 0)
        fixture_look(fixture, what, LOOKUP_HWADDR, lease, OUTCOME_HIT);
    if (lease->client_id_length > 0)
        fixture_find_client_id(fixture, what, lease, OUTCOME_HIT);
}

void fixture_find_none(struct fixture *fixture, const char *what, const struct lease *lease)
{
    fixture_look(fixture, what, LOOKUP_ADDRESS, lease, OUTCOME_MISS);
    if (lease->hwaddr_length > 0)
        fixture_look(fixture, what, LOOKUP_HWADDR, lease, OUTCOME_MISS);
    if (lease->client_id_length > 0)
        fixture_find_client_id(fixture, what, lease, OUTCOME_MISS);
}

void fixture_count(struct fixture *fixture, const char *what, uint64_t wanted)
{
    uint64_t count = 12345;

    if (the_backend.count(fixture->session, &count, &fixture->err) != 0)
        fail_msg("%s: count: %s", what, fixture->err.text);
    check_number(what, count, wanted);
}

void fixture_list_expired(struct fixture *fixture, const char *what, int64_t now_s, size_t limit,
                          const struct lease *const *wanted, size_t count)
{
    struct lease found[8];
    size_t got = 999;

    assert_in_range(limit, 0, COUNT_OF(found));
    memset(found, 0x5a, sizeof found);
    if (the_backend.list_expired(fixture->session, now_s, limit, found, &got, &fixture->err) != 0)
        fail_msg("%s: list_expired: %s", what, fixture->err.text);
    check_number(what, got, count);
    for (size_t i = 0; i < count; i++)
        check_same_lease(what, "list_expired", wanted[i], &found[i]);
}

static void group(struct fixture *fixture, const char *what,
                  int (*call)(struct session *, struct err *))
{
    if (call(fixture->session, &fixture->err) != 0)
        fail_msg("%s: %s", what, fixture->err.text);
}

void fixture_begin(struct fixture *fixture)
{
    group(fixture, "begin", the_backend.begin);
}

void fixture_commit(struct fixture *fixture)
{
    group(fixture, "commit", the_backend.commit);
}

/* The suite */

/* UBENCH_<STORE>_<WHAT>, or NULL. */
static const char *environment(const char *what)
{
    char name[TEXT_SIZE];

    (void)snprintf(name, sizeof name, "UBENCH_%s_%s", the_backend.name, what);
    for (char *c = name; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    const char *const value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static void find_server(struct suite *suite, struct store_config *config, const char *target)
{
    const char *const port = environment("PORT");
    const char *const database = environment("DATABASE");

    config->host = environment("HOST");
    config->user = environment("USER");
    config->password = environment("PASSWORD");
    if (port != NULL && units_scan_count(port, &config->port) != 0)
        suite->skip = "its port is not a number";
    if (config->host == NULL)
        suite->skip = "the environment names no server; see "
                      "scripts/servers env";
    if (target == NULL)
        target = database != NULL ? database : the_backend.default_target;
    (void)snprintf(suite->target, sizeof suite->target, "%s", target);
    (void)snprintf(suite->missing, sizeof suite->missing, "ubench_no_such_database");
}

static void find_folder(struct suite *suite, const char *target)
{
    const char *const base = getenv("TMPDIR");

    (void)snprintf(suite->folder, sizeof suite->folder, "%s/ubench-XXXXXX",
                   base != NULL ? base : "/tmp");
    if (mkdtemp(suite->folder) == NULL)
        suite->skip = "no temporary folder can be made";
    if (target != NULL)
        (void)snprintf(suite->target, sizeof suite->target, "%s", target);
    else
        (void)snprintf(suite->target, sizeof suite->target, "%s/%s", suite->folder,
                       the_backend.default_target);
    (void)snprintf(suite->missing, sizeof suite->missing, "%s/missing/x", suite->folder);
}

/* For a store that may be either, the one that the environment is for. */
static bool is_file(void)
{
    return (the_backend.scope & OPT_SCOPE_FILE) != 0 &&
           ((the_backend.scope & OPT_SCOPE_SERVER) == 0 || environment("HOST") == NULL);
}

/* One, which says where the leases are: "type=mysql". */
static void find_settings(struct suite *suite)
{
    char *const name = suite->setting;
    const char *const setting = environment("SET");

    (void)snprintf(name, sizeof suite->setting, "%s", setting != NULL ? setting : "");
    char *const equals = strchr(name, '=');
    if (equals == NULL)
        return;
    *equals = '\0';
    suite->settings.items[0] = (struct opt_setting){ name, equals + 1 };
    suite->settings.count = 1;
}

/* Each pair of family, schema and kind of statement is in one variant, but that
   triggers do not know how the statement came. */
static bool is_compiled(enum lease_family family, enum schema schema)
{
    return (the_backend.scope & OPT_SCOPE_SQL) == 0 || schema == SCHEMA_KEA_STATS ||
           (family == LEASE_FAMILY_V4) == (schema == SCHEMA_LEAN);
}

static void add_variant(struct suite *suite, const struct store_config *config,
                        enum lease_family family, enum schema schema)
{
    struct variant *const variant = &suite->variants[suite->variant_count++];
    static const char *const schema_names[] = {
        [SCHEMA_LEAN] = "lean",
        [SCHEMA_KEA] = "kea",
        [SCHEMA_KEA_STATS] = "with stats",
    };
    const bool compiled = is_compiled(family, schema);
    const char *const statements = (the_backend.scope & OPT_SCOPE_SQL) == 0 ? ""
                                   : compiled                               ? ", compiled"
                                                                            : ", text";

    variant->config = *config;
    variant->config.family = family;
    if (family == LEASE_FAMILY_V6)
        variant->config.target = suite->v6_target;
    variant->config.schema = schema;
    variant->config.compiled = compiled;
    (void)snprintf(variant->name, sizeof variant->name, "%s%s%s", schema_names[schema], statements,
                   family == LEASE_FAMILY_V6 ? ", IPv6" : "");
}

void suite_init(struct suite *suite, const char *target)
{
    const bool untouched = (the_backend.sync_levels & SYNC_BIT(SYNC_SERVER)) != 0;
    struct store_config config = {
        .target = suite->target,
        .connect_timeout_s = 5,
        .read_timeout_s = 30,
        .engine = (the_backend.scope & OPT_SCOPE_ENGINE) != 0 ? "InnoDB" : NULL,
        .sync = untouched ? SYNC_SERVER : SYNC_NO,
        .settings = &suite->settings,
    };

    *suite = (struct suite){ .file = is_file() };
    find_settings(suite);
    if (suite->file)
        find_folder(suite, target);
    else
        find_server(suite, &config, target);
    /* A file has leases of one family, a database perhaps of both. */
    (void)snprintf(suite->v6_target, sizeof suite->v6_target, "%s%s", suite->target,
                   suite->file ? "6" : "");
    for (int family = LEASE_FAMILY_V4; family <= LEASE_FAMILY_V6; family++) {
        for (int schema = the_backend.one_schema ? SCHEMA_KEA : SCHEMA_LEAN;
             schema <= (int)schema_max(); schema++)
            add_variant(suite, &config, (enum lease_family)family, (enum schema)schema);
    }
}

void suite_release(const struct suite *suite)
{
    if (suite->folder[0] == '\0')
        return;
    DIR *const folder = opendir(suite->folder);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        (void)closedir(folder);
    (void)rmdir(suite->folder);
}
