/* SPDX-License-Identifier: ISC */
/*
 * What every store must do, tried through the contract alone.  Linked once per
 * store; each test runs for both schemas and, where there is SQL, with prepared
 * statements and without.
 *
 *     conformance_sqlite [FILE-OR-DATABASE]
 *
 * Stores in files use a folder of their own that is removed.  A server is taken
 * from UBENCH_<NAME>_HOST, _PORT, _USER, _PASSWORD and _DATABASE; without the
 * first all tests are skipped.
 */
#include "store/backend.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/units.h"
#include "lease/generator.h"
#include "store/file_system.h"
#include "tests/check.h"
#include "tests/lease_fields.h"

enum { TEXT_SIZE = 256, ADDRESS = 0x0a000001, NOW_S = 1900000000 };

#define VALID_FOREVER UINT32_MAX

/* One way of using the store. */
struct variant {
    char name[32];
    struct store_config config;
};

enum { VARIANTS_MAX = 4 };

/* What all tests have in common; belongs to main. */
struct suite {
    const char *skip; /* why nothing can be tried here, or NULL */
    char folder[TEXT_SIZE];
    char target[2 * TEXT_SIZE];
    char missing[2 * TEXT_SIZE]; /* a target that cannot be */
    struct variant variants[VARIANTS_MAX];
    size_t variant_count;
};

/* One test's store, open, and the way into it. */
struct fixture {
    const struct suite *suite;
    const struct variant *variant;
    struct store *store;
    struct session *session;
    struct err err;
};

/* What each store can hold, by Kea's own column types. */
struct limits {
    int64_t expire_least_s;
    int64_t expire_most_s;
    bool raw_hostnames; /* any byte, or UTF-8 without NUL */
};

static struct limits limits(void)
{
    /* TIMESTAMP of MySQL goes from 1970-01-01 00:00:01 to 2038-01-19; Kea
       refuses later times on every database (MAX_DB_TIME). */
    static const struct limits mysql = { 1, INT32_MAX, true };
    /* PostgreSQL's VARCHAR holds text of the database's encoding alone. */
    static const struct limits pgsql = { 0, INT64_C(1) << 40, false };
    static const struct limits others = { 0, INT64_C(1) << 40, true };

    if (strcmp(the_backend.name, "mysql") == 0)
        return mysql;
    if (strcmp(the_backend.name, "pgsql") == 0)
        return pgsql;
    return others;
}

/* Opening and closing */

static void open_store(struct fixture *fixture)
{
    fixture->store = the_backend.open(&fixture->variant->config, &fixture->err);
    if (fixture->store == NULL)
        fail_msg("open: %s", fixture->err.text);
    fixture->session = the_backend.session_open(fixture->store, &fixture->err);
    if (fixture->session == NULL)
        fail_msg("session_open: %s", fixture->err.text);
}

static void close_store(struct fixture *fixture)
{
    the_backend.session_close(fixture->session);
    fixture->session = NULL;
    const int status = the_backend.close(fixture->store, &fixture->err);
    fixture->store = NULL;
    if (status != 0)
        fail_msg("close: %s", fixture->err.text);
}

/* The test's fixture with an open store; skips the test if there is none. */
static struct fixture *begin_test(void **state)
{
    struct fixture *const fixture = *state;

    if (fixture->suite->skip != NULL)
        skip();
    open_store(fixture);
    return fixture;
}

static int end_test(void **state)
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

/* Operations with their checks.  what names the case in a message. */

static const char *outcome_name(enum outcome outcome)
{
    switch (outcome) {
    case OUTCOME_ERROR:
        return "ERROR";
    case OUTCOME_MISS:
        return "MISS";
    case OUTCOME_HIT:
        return "HIT";
    }
    return "no outcome at all";
}

static void check_outcome(struct fixture *fixture, const char *what,
                          const char *verb, enum outcome got,
                          enum outcome wanted)
{
    if (got != wanted)
        fail_msg("%s: %s gave %s, wanted %s (%s)", what, verb,
                 outcome_name(got), outcome_name(wanted), fixture->err.text);
    /* err is set by an ERROR, and by nothing else. */
    if ((fixture->err.text[0] != '\0') != (wanted == OUTCOME_ERROR))
        fail_msg("%s: %s gave %s with err \"%s\"", what, verb,
                 outcome_name(got), fixture->err.text);
    fixture->err = (struct err){ 0 };
}

static void create(struct fixture *fixture, const char *what,
                   const struct lease *lease, enum outcome wanted)
{
    const enum outcome outcome =
        the_backend.create(fixture->session, lease, &fixture->err);

    check_outcome(fixture, what, "create", outcome, wanted);
}

static void update(struct fixture *fixture, const char *what,
                   const struct lease *lease, int64_t expire_s,
                   enum outcome wanted)
{
    const enum outcome outcome =
        the_backend.update(fixture->session, lease, expire_s, &fixture->err);

    check_outcome(fixture, what, "update", outcome, wanted);
}

static void remove_lease(struct fixture *fixture, const char *what,
                         uint32_t address, int64_t expire_s,
                         enum outcome wanted)
{
    const enum outcome outcome =
        the_backend.remove(fixture->session, address, expire_s, &fixture->err);

    check_outcome(fixture, what, "remove", outcome, wanted);
}

static void check_same(const char *what, const char *verb,
                       const struct lease *wanted, const struct lease *got)
{
    const char *const field = lease_difference(wanted, got);

    if (field != NULL)
        fail_msg("%s: %s gave another %s than was stored", what, verb, field);
    assert_true(lease_equal(wanted, got));
}

/* What memory held before must not help a store. */
static struct lease noise(void)
{
    struct lease lease;

    memset(&lease, 0x5a, sizeof lease);
    lease.fqdn_fwd = true;
    lease.fqdn_rev = true;
    return lease;
}

static void find(struct fixture *fixture, const char *what, uint32_t address,
                 const struct lease *wanted)
{
    struct lease found = noise();
    const enum outcome outcome = the_backend.find_by_address(
        fixture->session, address, &found, &fixture->err);

    check_outcome(fixture, what, "find_by_address", outcome,
                  wanted != NULL ? OUTCOME_HIT : OUTCOME_MISS);
    if (wanted != NULL)
        check_same(what, "find_by_address", wanted, &found);
}

static void find_hwaddr(struct fixture *fixture, const char *what,
                        const struct lease *by, enum outcome wanted)
{
    struct lease found = noise();
    const enum outcome outcome = the_backend.find_by_hwaddr(
        fixture->session, by->hwaddr, by->hwaddr_length, &found, &fixture->err);

    check_outcome(fixture, what, "find_by_hwaddr", outcome, wanted);
    if (wanted == OUTCOME_HIT)
        check_same(what, "find_by_hwaddr", by, &found);
}

static void find_client_id(struct fixture *fixture, const char *what,
                           const struct lease *by, enum outcome wanted)
{
    struct lease found = noise();
    const enum outcome outcome = the_backend.find_by_client_id(
        fixture->session, by->client_id, by->client_id_length, &found,
        &fixture->err);

    check_outcome(fixture, what, "find_by_client_id", outcome, wanted);
    if (wanted == OUTCOME_HIT)
        check_same(what, "find_by_client_id", by, &found);
}

/* All three searches; a lease without a hwaddr is not searched by it. */
static void find_all(struct fixture *fixture, const char *what,
                     const struct lease *lease)
{
    find(fixture, what, lease->address, lease);
    if (lease->hwaddr_length > 0)
        find_hwaddr(fixture, what, lease, OUTCOME_HIT);
    if (lease->client_id_length > 0)
        find_client_id(fixture, what, lease, OUTCOME_HIT);
}

static void find_none(struct fixture *fixture, const char *what,
                      const struct lease *lease)
{
    find(fixture, what, lease->address, NULL);
    if (lease->hwaddr_length > 0)
        find_hwaddr(fixture, what, lease, OUTCOME_MISS);
    if (lease->client_id_length > 0)
        find_client_id(fixture, what, lease, OUTCOME_MISS);
}

static void check_count(struct fixture *fixture, const char *what,
                        uint64_t wanted)
{
    uint64_t count = 12345;

    if (the_backend.count(fixture->session, &count, &fixture->err) != 0)
        fail_msg("%s: count: %s", what, fixture->err.text);
    check_number(what, count, wanted);
}

static void group(struct fixture *fixture, const char *what,
                  int (*call)(struct session *, struct err *))
{
    if (call(fixture->session, &fixture->err) != 0)
        fail_msg("%s: %s", what, fixture->err.text);
}

static void begin(struct fixture *fixture)
{
    group(fixture, "begin", the_backend.begin);
}

static void commit(struct fixture *fixture)
{
    group(fixture, "commit", the_backend.commit);
}

/* Leases */

/* Client number i, an ordinary one. */
static struct lease make_lease(uint32_t i)
{
    struct lease lease = {
        .address = ADDRESS + i,
        .valid_s = 3600,
        .cltt_s = NOW_S + i,
        .subnet_id = 1,
        .hwaddr_length = 6,
        .client_id_length = 7,
        .hwaddr = { 2, 0, 0, (uint8_t)(i >> 16), (uint8_t)(i >> 8),
                    (uint8_t)i },
    };

    lease.client_id[0] = 1;
    memcpy(lease.client_id + 1, lease.hwaddr, 6);
    lease.hostname_length = (uint8_t)snprintf(
        lease.hostname, sizeof lease.hostname, "host-%u.example.org", i);
    return lease;
}

static void set_bytes(uint8_t *to, uint8_t *length, const void *bytes,
                      size_t count)
{
    memset(to, 0, *length);
    memcpy(to, bytes, count);
    *length = (uint8_t)count;
}

static void set_hostname(struct lease *lease, const char *hostname)
{
    lease->hostname_length = (uint8_t)strlen(hostname);
    memcpy(lease->hostname, hostname, lease->hostname_length);
}

/* Each makes an ordinary lease odd. */

static void odd_ordinary(struct lease *lease)
{
    (void)lease;
}

static void odd_no_client_id(struct lease *lease)
{
    lease->client_id_length = 0;
}

static void odd_no_hwaddr(struct lease *lease)
{
    lease->hwaddr_length = 0;
}

/* Kea wipes the client from a lease that somebody else uses. */
static void odd_declined(struct lease *lease)
{
    lease->state = LEASE_STATE_DECLINED;
    lease->hwaddr_length = 0;
    lease->client_id_length = 0;
    lease->hostname_length = 0;
}

static void odd_reclaimed(struct lease *lease)
{
    lease->state = LEASE_STATE_RECLAIMED;
    lease->hostname_length = 0;
}

static void odd_no_hostname(struct lease *lease)
{
    lease->hostname_length = 0;
}

static void odd_longest_hostname(struct lease *lease)
{
    memset(lease->hostname, 'h', LEASE_HOSTNAME_MAX);
    lease->hostname_length = LEASE_HOSTNAME_MAX;
}

static void odd_longest_client_id(struct lease *lease)
{
    for (int k = 0; k < LEASE_CLIENT_ID_MAX; k++)
        lease->client_id[k] = (uint8_t)k; /* every byte but 255 */
    lease->client_id_length = LEASE_CLIENT_ID_MAX;
}

static void odd_longest_hwaddr(struct lease *lease)
{
    memset(lease->hwaddr, 0xff, LEASE_HWADDR_MAX);
    lease->hwaddr_length = LEASE_HWADDR_MAX;
}

static void odd_zeros(struct lease *lease)
{
    set_bytes(lease->hwaddr, &lease->hwaddr_length, "\0\0\0\0\0\0", 6);
    set_bytes(lease->client_id, &lease->client_id_length, "\0", 1);
}

static void odd_ones(struct lease *lease)
{
    set_bytes(lease->hwaddr, &lease->hwaddr_length, "\xff\xff\xff\xff\xff\xff",
              6);
    set_bytes(lease->client_id, &lease->client_id_length, "\xff\xff\xff", 3);
}

static void odd_quoted_bytes(struct lease *lease)
{
    set_bytes(lease->hwaddr, &lease->hwaddr_length, "'\"\\%_;", 6);
    set_bytes(lease->client_id, &lease->client_id_length, "a'b\"c\\\0\n\r\x1a",
              10);
}

static void odd_quoted_hostname(struct lease *lease)
{
    set_hostname(lease, "o'brien \"x\" \\n \\' -- ; DROP %s _ {} `y`");
}

static void odd_blank_hostname(struct lease *lease)
{
    set_hostname(lease, "  Blanks,\tand UPPER case  ");
}

static void odd_control_hostname(struct lease *lease)
{
    set_hostname(lease, "a\nb\rc\x01\x7f");
}

static void odd_utf8_hostname(struct lease *lease)
{
    set_hostname(lease, "caf\xc3\xa9-\xe2\x82\xac-\xf0\x9f\x98\x80.example");
}

static void odd_raw_hostname(struct lease *lease)
{
    if (limits().raw_hostnames)
        set_hostname(lease, "\xff\xfe\x80z");
}

static void odd_lowest_address(struct lease *lease)
{
    lease->address = 0;
}

static void odd_highest_address(struct lease *lease)
{
    lease->address = UINT32_MAX;
}

static void odd_middle_address(struct lease *lease)
{
    lease->address = 0x80000000;
}

static void odd_highest_numbers(struct lease *lease)
{
    lease->subnet_id = UINT32_MAX;
    lease->pool_id = UINT32_MAX;
}

static void odd_signed_numbers(struct lease *lease)
{
    lease->subnet_id = 0x80000000;
    lease->pool_id = 0x7fffffff;
}

static void odd_no_subnet(struct lease *lease)
{
    lease->subnet_id = 0;
}

static void odd_dns(struct lease *lease)
{
    lease->fqdn_fwd = true;
}

static void odd_reverse_dns(struct lease *lease)
{
    lease->fqdn_rev = true;
}

static void odd_not_valid(struct lease *lease)
{
    lease->valid_s = 0;
}

static void odd_valid_for_ever(struct lease *lease)
{
    lease->valid_s = VALID_FOREVER;
}

static void odd_valid_for_long(struct lease *lease)
{
    lease->valid_s = VALID_FOREVER - 1;
    if (lease_expire_s(lease) > limits().expire_most_s)
        lease->valid_s = (uint32_t)(limits().expire_most_s - lease->cltt_s);
}

static void odd_first_expire(struct lease *lease)
{
    lease->cltt_s = limits().expire_least_s;
    lease->valid_s = 0;
}

static const struct {
    const char *name;
    void (*make)(struct lease *lease);
} oddities[] = {
    { "ordinary", odd_ordinary },
    { "no client-id", odd_no_client_id },
    { "no hwaddr", odd_no_hwaddr },
    { "declined", odd_declined },
    { "reclaimed", odd_reclaimed },
    { "no hostname", odd_no_hostname },
    { "255-byte hostname", odd_longest_hostname },
    { "255-byte client-id", odd_longest_client_id },
    { "20-byte hwaddr", odd_longest_hwaddr },
    { "bytes 0", odd_zeros },
    { "bytes 255", odd_ones },
    { "quotes in bytes", odd_quoted_bytes },
    { "quotes in the hostname", odd_quoted_hostname },
    { "blanks in the hostname", odd_blank_hostname },
    { "control characters in the hostname", odd_control_hostname },
    { "UTF-8 in the hostname", odd_utf8_hostname },
    { "raw bytes in the hostname", odd_raw_hostname },
    { "0.0.0.0", odd_lowest_address },
    { "255.255.255.255", odd_highest_address },
    { "128.0.0.0", odd_middle_address },
    { "highest subnet-id", odd_highest_numbers },
    { "subnet-id 2^31", odd_signed_numbers },
    { "subnet-id 0", odd_no_subnet },
    { "forward DNS", odd_dns },
    { "reverse DNS", odd_reverse_dns },
    { "lifetime 0", odd_not_valid },
    { "valid for ever", odd_valid_for_ever },
    { "longest lifetime", odd_valid_for_long },
    { "earliest expire", odd_first_expire },
};

enum { ODDITIES = COUNT_OF(oddities) };

static struct lease make_odd(size_t i)
{
    struct lease lease = make_lease((uint32_t)i);

    oddities[i].make(&lease);
    return lease;
}

/* The tests */

static void starts_empty(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const struct lease lease = make_lease(1);

    check_count(fixture, "fresh", 0);
    find_none(fixture, "fresh", &lease);
    close_store(fixture);
}

static void creates_and_finds(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const struct lease lease = make_lease(1);
    const struct lease other = make_lease(2);

    create(fixture, "first", &lease, OUTCOME_HIT);
    check_count(fixture, "one", 1);
    find_all(fixture, "first", &lease);
    find_none(fixture, "another", &other);
    create(fixture, "second", &other, OUTCOME_HIT);
    check_count(fixture, "two", 2);
    find_all(fixture, "first again", &lease);
    find_all(fixture, "second", &other);
    close_store(fixture);
}

static void a_duplicate_changes_nothing(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const struct lease lease = make_lease(1);
    struct lease duplicate = make_lease(2);

    create(fixture, "first", &lease, OUTCOME_HIT);
    create(fixture, "the same", &lease, OUTCOME_MISS);
    duplicate.address = lease.address;
    duplicate.state = LEASE_STATE_DECLINED;
    create(fixture, "another client", &duplicate, OUTCOME_MISS);
    check_count(fixture, "one", 1);
    find_all(fixture, "first", &lease);
    find_hwaddr(fixture, "the other client", &duplicate, OUTCOME_MISS);
    find_client_id(fixture, "the other client", &duplicate, OUTCOME_MISS);
    close_store(fixture);
}

static void keeps_odd_leases(void **state)
{
    struct fixture *const fixture = begin_test(state);

    for (size_t i = 0; i < ODDITIES; i++) {
        const struct lease lease = make_odd(i);

        create(fixture, oddities[i].name, &lease, OUTCOME_HIT);
        find_all(fixture, oddities[i].name, &lease);
    }
    check_count(fixture, "all", ODDITIES);
    for (size_t i = 0; i < ODDITIES; i++) {
        const struct lease lease = make_odd(i);

        find_all(fixture, oddities[i].name, &lease);
        create(fixture, oddities[i].name, &lease, OUTCOME_MISS);
    }
    for (size_t i = 0; i < ODDITIES; i++) {
        const struct lease lease = make_odd(i);

        remove_lease(fixture, oddities[i].name, lease.address,
                     lease_expire_s(&lease), OUTCOME_HIT);
        find_none(fixture, oddities[i].name, &lease);
    }
    check_count(fixture, "none", 0);
    close_store(fixture);
}

/* From ordinary to odd and back again. */
static void updates_to_odd_leases(void **state)
{
    struct fixture *const fixture = begin_test(state);

    for (size_t i = 0; i < ODDITIES; i++) {
        struct lease odd = make_odd(i);
        struct lease plain = make_lease(1000 + (uint32_t)i);

        plain.address = odd.address;
        create(fixture, oddities[i].name, &plain, OUTCOME_HIT);
        update(fixture, oddities[i].name, &odd, lease_expire_s(&plain),
               OUTCOME_HIT);
        find_all(fixture, oddities[i].name, &odd);
        if (odd.hwaddr_length > 0)
            find_hwaddr(fixture, oddities[i].name, &plain, OUTCOME_MISS);
        update(fixture, oddities[i].name, &plain, lease_expire_s(&odd),
               OUTCOME_HIT);
        find_all(fixture, oddities[i].name, &plain);
        if (odd.client_id_length > 0)
            find_client_id(fixture, oddities[i].name, &odd, OUTCOME_MISS);
    }
    check_count(fixture, "all", ODDITIES);
    close_store(fixture);
}

/* Every field by itself, so that none hides behind another. */
static void updates_each_field(void **state)
{
    struct fixture *const fixture = begin_test(state);
    struct lease stored = make_lease(1);

    create(fixture, "first", &stored, OUTCOME_HIT);
    for (int change = 0; change < LEASE_CHANGES; change++) {
        struct lease changed = stored;
        const char *const name = lease_change(&changed, change);

        changed.address = stored.address; /* it names the lease */
        update(fixture, name, &changed, lease_expire_s(&stored), OUTCOME_HIT);
        find_all(fixture, name, &changed);
        stored = changed;
    }
    check_count(fixture, "one", 1);
    close_store(fixture);
}

static void a_missed_update_changes_nothing(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const struct lease lease = make_lease(1);
    struct lease changed = make_lease(2);
    const int64_t expire_s = lease_expire_s(&lease);

    update(fixture, "absent, empty", &lease, expire_s, OUTCOME_MISS);
    create(fixture, "first", &lease, OUTCOME_HIT);
    update(fixture, "absent", &changed, expire_s, OUTCOME_MISS);
    changed.address = lease.address;
    update(fixture, "earlier expire", &changed, expire_s - 1, OUTCOME_MISS);
    update(fixture, "later expire", &changed, expire_s + 1, OUTCOME_MISS);
    update(fixture, "its own new expire", &changed, lease_expire_s(&changed),
           OUTCOME_MISS);
    check_count(fixture, "one", 1);
    find_all(fixture, "first", &lease);
    find_hwaddr(fixture, "missed", &changed, OUTCOME_MISS);
    find_client_id(fixture, "missed", &changed, OUTCOME_MISS);
    update(fixture, "right expire", &changed, expire_s, OUTCOME_HIT);
    update(fixture, "done already", &lease, expire_s, OUTCOME_MISS);
    find_all(fixture, "updated", &changed);
    close_store(fixture);
}

/* Writing what is there already is a change like any other: MySQL by itself
   counts no row then. */
static void an_update_to_the_same_is_a_hit(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const struct lease lease = make_lease(1);

    create(fixture, "first", &lease, OUTCOME_HIT);
    update(fixture, "the same", &lease, lease_expire_s(&lease), OUTCOME_HIT);
    find_all(fixture, "the same", &lease);
    close_store(fixture);
}

static void removes_once(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const struct lease lease = make_lease(1);
    const struct lease other = make_lease(2);
    const int64_t expire_s = lease_expire_s(&lease);

    remove_lease(fixture, "empty", lease.address, expire_s, OUTCOME_MISS);
    create(fixture, "first", &lease, OUTCOME_HIT);
    create(fixture, "second", &other, OUTCOME_HIT);
    remove_lease(fixture, "absent", ADDRESS + 9, expire_s, OUTCOME_MISS);
    remove_lease(fixture, "earlier expire", lease.address, expire_s - 1,
                 OUTCOME_MISS);
    remove_lease(fixture, "later expire", lease.address, expire_s + 1,
                 OUTCOME_MISS);
    check_count(fixture, "both", 2);
    find_all(fixture, "first", &lease);
    remove_lease(fixture, "first", lease.address, expire_s, OUTCOME_HIT);
    remove_lease(fixture, "twice", lease.address, expire_s, OUTCOME_MISS);
    find_none(fixture, "first", &lease);
    find_all(fixture, "second", &other);
    check_count(fixture, "one", 1);
    create(fixture, "first again", &lease, OUTCOME_HIT);
    find_all(fixture, "first again", &lease);
    close_store(fixture);
}

static void similar_clients_are_not_the_same(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
    } similar[] = {
        { "abc", 3 },       { "ABC", 3 },   { "abc ", 4 },   { "abc\0", 4 },
        { "abc\0\0", 5 },   { "ab", 2 },    { "\0abc", 4 },  { "abd", 3 },
        { "a\xc3\xa9", 3 }, { "a\xe9", 2 }, { "616263", 6 }, { "0x616263", 8 },
    };
    struct fixture *const fixture = begin_test(state);
    struct lease leases[COUNT_OF(similar)];

    for (size_t i = 0; i < COUNT_OF(similar); i++) {
        leases[i] = make_lease((uint32_t)i);
        set_bytes(leases[i].hwaddr, &leases[i].hwaddr_length, similar[i].bytes,
                  similar[i].length);
        set_bytes(leases[i].client_id, &leases[i].client_id_length,
                  similar[i].bytes, similar[i].length);
        find_none(fixture, similar[i].bytes, &leases[i]);
        create(fixture, similar[i].bytes, &leases[i], OUTCOME_HIT);
    }
    for (size_t i = 0; i < COUNT_OF(similar); i++)
        find_all(fixture, similar[i].bytes, &leases[i]);
    close_store(fixture);
}

static void two_leases_of_one_client_are_an_error(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const struct lease first = make_lease(1);
    struct lease second = make_lease(2);

    memcpy(second.hwaddr, first.hwaddr, sizeof second.hwaddr);
    memcpy(second.client_id, first.client_id, sizeof second.client_id);
    second.subnet_id = 2;
    create(fixture, "first", &first, OUTCOME_HIT);
    create(fixture, "second", &second, OUTCOME_HIT);
    find_hwaddr(fixture, "both", &first, OUTCOME_ERROR);
    find_client_id(fixture, "both", &first, OUTCOME_ERROR);
    find(fixture, "first", first.address, &first);
    find(fixture, "second", second.address, &second);
    remove_lease(fixture, "first", first.address, lease_expire_s(&first),
                 OUTCOME_HIT);
    find_all(fixture, "second alone", &second);
    close_store(fixture);
}

/* Wiped leases have nothing that could be the same. */
static void leases_without_a_client_are_no_twins(void **state)
{
    struct fixture *const fixture = begin_test(state);
    struct lease leases[3];

    for (uint32_t i = 0; i < COUNT_OF(leases); i++) {
        leases[i] = make_lease(i);
        odd_declined(&leases[i]);
        create(fixture, "wiped", &leases[i], OUTCOME_HIT);
    }
    for (size_t i = 0; i < COUNT_OF(leases); i++)
        find(fixture, "wiped", leases[i].address, &leases[i]);
    close_store(fixture);
}

/* Expiry */

static void check_expired(struct fixture *fixture, const char *what,
                          int64_t now_s, size_t limit,
                          const struct lease *const *wanted, size_t count)
{
    struct lease found[8];
    size_t got = 999;

    assert_in_range(limit, 0, COUNT_OF(found));
    memset(found, 0x5a, sizeof found);
    if (the_backend.list_expired(fixture->session, now_s, limit, found, &got,
                                 &fixture->err) != 0)
        fail_msg("%s: list_expired: %s", what, fixture->err.text);
    check_number(what, got, count);
    for (size_t i = 0; i < count; i++)
        check_same(what, "list_expired", wanted[i], &found[i]);
}

/* Lease i expires at NOW_S - i: the last one is the first to be listed. */
static struct lease make_expired(uint32_t i)
{
    struct lease lease = make_lease(i);

    lease.cltt_s = NOW_S - (int64_t)i - lease.valid_s;
    return lease;
}

static void lists_what_expired(void **state)
{
    struct fixture *const fixture = begin_test(state);
    struct lease leases[6];
    const struct lease *const first[] = { &leases[3], &leases[2], &leases[1] };

    check_expired(fixture, "empty", NOW_S, 8, NULL, 0);
    for (uint32_t i = 0; i < COUNT_OF(leases); i++)
        leases[i] = make_expired(i);
    leases[4].state = LEASE_STATE_RECLAIMED;
    leases[5].valid_s = VALID_FOREVER;
    leases[2].state = LEASE_STATE_DECLINED;
    for (size_t i = 0; i < COUNT_OF(leases); i++)
        create(fixture, "one of six", &leases[i], OUTCOME_HIT);
    /* Lease 0 expires now: it did not expire before. */
    check_expired(fixture, "all", NOW_S, 8, first, 3);
    check_expired(fixture, "as many as there are", NOW_S, 3, first, 3);
    check_expired(fixture, "two", NOW_S, 2, first, 2);
    check_expired(fixture, "one", NOW_S, 1, first, 1);
    check_expired(fixture, "none asked for", NOW_S, 0, first, 0);
    check_expired(fixture, "two seconds ago", NOW_S - 2, 8, first, 1);
    check_expired(fixture, "long ago", NOW_S - 1000, 8, first, 0);
    close_store(fixture);
}

/* However late it gets. */
static void what_is_valid_for_ever_never_expires(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const int64_t latest_s = limits().expire_most_s;
    struct lease lease = make_lease(1);
    const struct lease other = make_lease(2);
    const struct lease *const expired[] = { &other };

    lease.valid_s = VALID_FOREVER;
    lease.cltt_s = NOW_S - 1000000;
    create(fixture, "for ever", &lease, OUTCOME_HIT);
    create(fixture, "another", &other, OUTCOME_HIT);
    check_expired(fixture, "at the end of time", latest_s, 8, expired, 1);
    find_all(fixture, "for ever", &lease);
    close_store(fixture);
}

static void the_list_follows_changes(void **state)
{
    struct fixture *const fixture = begin_test(state);
    struct lease leases[3];
    const struct lease *const three[] = { &leases[2], &leases[1], &leases[0] };
    const struct lease *const renewed[] = { &leases[2], &leases[0] };
    const struct lease *const last[] = { &leases[0] };

    for (uint32_t i = 0; i < COUNT_OF(leases); i++) {
        leases[i] = make_expired(i + 1);
        create(fixture, "one of three", &leases[i], OUTCOME_HIT);
    }
    check_expired(fixture, "all", NOW_S, 8, three, 3);
    const int64_t expire_s = lease_expire_s(&leases[1]);
    leases[1].cltt_s = NOW_S;
    update(fixture, "renewed", &leases[1], expire_s, OUTCOME_HIT);
    check_expired(fixture, "without the renewed one", NOW_S, 8, renewed, 2);
    leases[2].state = LEASE_STATE_RECLAIMED;
    update(fixture, "reclaimed", &leases[2], lease_expire_s(&leases[2]),
           OUTCOME_HIT);
    check_expired(fixture, "without the reclaimed one", NOW_S, 8, last, 1);
    remove_lease(fixture, "removed", leases[0].address,
                 lease_expire_s(&leases[0]), OUTCOME_HIT);
    check_expired(fixture, "none is left", NOW_S, 8, last, 0);
    close_store(fixture);
}

static void check_purged(struct fixture *fixture, const char *what,
                         int64_t before_s, uint64_t wanted)
{
    uint64_t purged = 12345;

    if (the_backend.purge_reclaimed(fixture->session, before_s, &purged,
                                    &fixture->err) != 0)
        fail_msg("%s: purge_reclaimed: %s", what, fixture->err.text);
    check_number(what, purged, wanted);
}

static void purges_what_was_reclaimed(void **state)
{
    struct fixture *const fixture = begin_test(state);
    struct lease leases[5];

    check_purged(fixture, "empty", NOW_S, 0);
    for (uint32_t i = 0; i < COUNT_OF(leases); i++) {
        leases[i] = make_expired(i);
        leases[i].state = LEASE_STATE_RECLAIMED;
    }
    leases[1].state = LEASE_STATE_DEFAULT;
    leases[2].state = LEASE_STATE_DECLINED;
    for (size_t i = 0; i < COUNT_OF(leases); i++)
        create(fixture, "one of five", &leases[i], OUTCOME_HIT);
    check_purged(fixture, "nothing as old", NOW_S - 100, 0);
    check_count(fixture, "all are there", 5);
    /* Lease 0 expires now: it did not expire before. */
    check_purged(fixture, "3 and 4", NOW_S, 2);
    check_purged(fixture, "no more", NOW_S, 0);
    check_count(fixture, "three are left", 3);
    find_none(fixture, "purged", &leases[3]);
    find_none(fixture, "purged", &leases[4]);
    for (size_t i = 0; i < 3; i++)
        find_all(fixture, "left", &leases[i]);
    check_purged(fixture, "lease 0, later", NOW_S + 1, 1);
    create(fixture, "again", &leases[4], OUTCOME_HIT);
    find_all(fixture, "again", &leases[4]);
    close_store(fixture);
}

/* Grouping, counting, emptying */

static void groups_are_there_afterwards(void **state)
{
    enum { LEASES = 50 };
    struct fixture *const fixture = begin_test(state);

    begin(fixture);
    for (uint32_t i = 0; i < LEASES; i++) {
        const struct lease lease = make_lease(i);

        create(fixture, "in a group", &lease, OUTCOME_HIT);
        find(fixture, "its own group sees it", lease.address, &lease);
    }
    const struct lease first = make_lease(0);
    const struct lease second = make_lease(1);
    struct lease changed = make_lease(1000);
    changed.address = second.address;
    create(fixture, "a duplicate in a group", &first, OUTCOME_MISS);
    remove_lease(fixture, "in a group", first.address, lease_expire_s(&first),
                 OUTCOME_HIT);
    update(fixture, "in a group", &changed, lease_expire_s(&second),
           OUTCOME_HIT);
    update(fixture, "a miss in a group", &changed, 5, OUTCOME_MISS);
    commit(fixture);
    check_count(fixture, "all but one", LEASES - 1);
    find_none(fixture, "removed", &first);
    find_all(fixture, "updated", &changed);
    for (uint32_t i = 2; i < LEASES; i++) {
        const struct lease lease = make_lease(i);

        find_all(fixture, "after commit", &lease);
    }
    close_store(fixture);
}

static void groups_follow_one_another(void **state)
{
    struct fixture *const fixture = begin_test(state);

    for (uint32_t i = 0; i < 3; i++) {
        const struct lease lease = make_lease(i);
        const struct lease alone = make_lease(i + 10);

        begin(fixture);
        create(fixture, "in a group", &lease, OUTCOME_HIT);
        commit(fixture);
        begin(fixture);
        commit(fixture); /* with nothing in it */
        create(fixture, "between groups", &alone, OUTCOME_HIT);
    }
    check_count(fixture, "all", 6);
    close_store(fixture);
}

static void reset_removes_everything(void **state)
{
    struct fixture *const fixture = begin_test(state);

    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < ODDITIES; i++) {
            const struct lease lease = make_odd(i);

            create(fixture, oddities[i].name, &lease, OUTCOME_HIT);
        }
        check_count(fixture, "before reset", ODDITIES);
        if (the_backend.reset(fixture->session, &fixture->err) != 0)
            fail_msg("reset: %s", fixture->err.text);
        check_count(fixture, "after reset", 0);
        for (size_t i = 0; i < ODDITIES; i++) {
            const struct lease lease = make_odd(i);

            find_none(fixture, oddities[i].name, &lease);
        }
        check_expired(fixture, "after reset", limits().expire_most_s, 8, NULL,
                      0);
    }
    close_store(fixture);
}

static void opening_again_empties(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const struct lease lease = make_lease(1);

    create(fixture, "first", &lease, OUTCOME_HIT);
    close_store(fixture);
    open_store(fixture);
    check_count(fixture, "opened again", 0);
    create(fixture, "first again", &lease, OUTCOME_HIT);
    find_all(fixture, "first again", &lease);
    close_store(fixture);
}

static void schemas_may_take_turns(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const struct variant *const variant = fixture->variant;
    struct variant other = *variant;
    const struct lease lease = make_lease(1);

    other.config.schema =
        variant->config.schema == SCHEMA_LEAN ? SCHEMA_KEA : SCHEMA_LEAN;
    for (int i = 0; i < 4; i++) {
        check_count(fixture, "opened", 0);
        create(fixture, "first", &lease, OUTCOME_HIT);
        find_all(fixture, "first", &lease);
        close_store(fixture);
        fixture->variant = i % 2 == 0 ? &other : variant;
        open_store(fixture);
    }
    fixture->variant = variant;
    close_store(fixture);
}

static void sessions_follow_one_another(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const struct lease lease = make_lease(1);

    create(fixture, "first", &lease, OUTCOME_HIT);
    the_backend.session_close(fixture->session);
    fixture->session = the_backend.session_open(fixture->store, &fixture->err);
    if (fixture->session == NULL)
        fail_msg("session_open: %s", fixture->err.text);
    check_count(fixture, "the second session", 1);
    find_all(fixture, "the second session", &lease);
    update(fixture, "the second session", &lease, lease_expire_s(&lease),
           OUTCOME_HIT);
    close_store(fixture);
}

/* As many as fill a page or two, of both profiles. */
static void keeps_generated_leases(void **state)
{
    enum { LEASES = 300 };
    static const enum lease_profile profiles[] = { LEASE_PROFILE_TYPICAL,
                                                   LEASE_PROFILE_GUIDE };
    struct fixture *const fixture = begin_test(state);

    for (size_t p = 0; p < COUNT_OF(profiles); p++) {
        struct generator generator;
        struct lease lease = { 0 };

        generator_init(&generator, profiles[p], 1);
        begin(fixture);
        for (uint64_t i = 0; i < LEASES; i++) {
            generator_make(&generator, i, 0, &lease);
            create(fixture, "generated", &lease, OUTCOME_HIT);
        }
        commit(fixture);
        begin(fixture);
        for (uint64_t i = 0; i < LEASES; i++) {
            generator_make(&generator, i, 0, &lease);
            find_all(fixture, "generated", &lease);
            generator_make(&generator, i, 1, &lease);
            update(fixture, "generated", &lease,
                   generator_expire_s(&generator, i, 0), OUTCOME_HIT);
        }
        commit(fixture);
        check_count(fixture, "generated", LEASES);
        begin(fixture);
        for (uint64_t i = 0; i < LEASES; i++) {
            generator_make(&generator, i, 1, &lease);
            find(fixture, "renewed", lease.address, &lease);
            remove_lease(fixture, "renewed", lease.address,
                         generator_expire_s(&generator, i, 1), OUTCOME_HIT);
        }
        commit(fixture);
        check_count(fixture, "removed", 0);
    }
    close_store(fixture);
}

/* What a store says of itself */

static void describes_itself(void **state)
{
    struct fixture *const fixture = begin_test(state);
    struct facts *const facts = calloc(1, sizeof *facts);
    char text[TEXT_SIZE] = "";

    assert_non_null(facts);
    the_backend.library(text, sizeof text);
    assert_true(text[0] != '\0');
    the_backend.describe(fixture->store, facts);
    assert_true(facts->count >= 1);
    for (size_t i = 0; i < facts->count; i++) {
        check("fact", facts->items[i].key[0] != '\0', "it has a key");
        check(facts->items[i].key, facts->items[i].value[0] != '\0',
              "it has a value");
    }
    text[0] = '\0';
    assert_true(the_backend.durability(fixture->store, text, sizeof text) >
                DURABILITY_NONE);
    assert_true(text[0] != '\0');
    free(facts);
    close_store(fixture);
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
static enum durability promised(const struct suite *suite,
                                enum sync_level level)
{
    if ((the_backend.scope & OPT_SCOPE_FILE) == 0)
        return class_of(level);
    return file_system_limit(suite->folder, class_of(level));
}

static void has_the_durability_that_was_asked_for(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const struct variant *const variant = fixture->variant;
    const struct lease lease = make_lease(1);

    close_store(fixture);
    for (enum sync_level level = SYNC_YES; level <= SYNC_POWER_SAFE; level++) {
        struct variant other = *variant;
        char text[TEXT_SIZE];

        if ((the_backend.sync_levels & SYNC_BIT((unsigned)level)) == 0)
            continue;
        other.config.sync = level;
        fixture->variant = &other;
        open_store(fixture);
        const enum durability class =
            the_backend.durability(fixture->store, text, sizeof text);
        const enum durability wanted = promised(fixture->suite, level);
        if (wanted != DURABILITY_NONE && class != wanted)
            fail_msg("level %d: got %s (%s), wanted %s", (int)level,
                     durability_name(class), text, durability_name(wanted));
        create(fixture, "at every level", &lease, OUTCOME_HIT);
        find_all(fixture, "at every level", &lease);
        close_store(fixture);
    }
    fixture->variant = variant;
}

/* Refusals */

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

static void a_target_that_cannot_be_is_refused(void **state)
{
    struct fixture *const fixture = begin_test(state);
    const struct suite *const suite = fixture->suite;
    struct store_config config = fixture->variant->config;

    close_store(fixture);
    config.target = suite->missing;
    check_refused(fixture, "missing", &config, suite->missing);
    if ((the_backend.scope & OPT_SCOPE_FILE) != 0) {
        config.target = suite->folder;
        check_refused(fixture, "a folder", &config, suite->folder);
        config.target = "/dev/null";
        check_refused(fixture, "a device", &config, "/dev/null");
    }
    open_store(fixture);
    close_store(fixture);
}

static void unknown_settings_are_refused(void **state)
{
    static const struct opt_settings settings = {
        .count = 1,
        .items = { { "no_such_setting", "1" } },
    };
    struct fixture *const fixture = begin_test(state);
    const struct suite *const suite = fixture->suite;
    struct store_config config = fixture->variant->config;
    struct stat status;

    close_store(fixture);
    if ((the_backend.scope & OPT_SCOPE_FILE) != 0)
        assert_int_equal(unlink(suite->target), 0);
    config.settings = &settings;
    check_refused(fixture, "unknown setting", &config, "no_such_setting");
    /* Nothing is left behind that was not there before. */
    if ((the_backend.scope & OPT_SCOPE_FILE) != 0)
        assert_int_equal(stat(suite->target, &status), -1);
}

/* A file that ubench did not write stays as it is, whatever it looks like. */
static void foreign_files_are_refused(void **state)
{
    static const char *const contents[] = {
        "somebody's notes\n",
        "lease 1.0.0.0 {\n}\n",
        "# ubench\n",
        "SQLite format 3",
        "\n",
    };
    struct fixture *const fixture = begin_test(state);
    const char *const target = fixture->suite->target;

    close_store(fixture);
    if ((the_backend.scope & OPT_SCOPE_FILE) == 0)
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

static void nothing_can_be_closed(void **state)
{
    struct fixture *const fixture = *state;

    the_backend.session_close(NULL);
    assert_int_equal(the_backend.close(NULL, &fixture->err), 0);
    assert_string_equal(fixture->err.text, "");
}

static void the_backend_is_complete(void **state)
{
    const struct backend *const b = &the_backend;

    (void)state;
    assert_true(b->name != NULL && b->name[0] != '\0');
    assert_true(b->default_target != NULL && b->settings_help != NULL);
    assert_true(b->keeps_leases);
    assert_true((b->scope & OPT_SCOPE_STORES) != 0);
    assert_true((b->scope & OPT_SCOPE_FILE) != 0 ||
                (b->scope & OPT_SCOPE_SERVER) != 0);
    assert_true((b->sync_levels & SYNC_BIT(SYNC_YES)) != 0);
    assert_true(b->library && b->open && b->close && b->describe &&
                b->durability && b->session_open && b->session_close);
    assert_true(b->reset && b->count && b->create && b->update && b->remove);
    assert_true(b->find_by_address && b->find_by_hwaddr &&
                b->find_by_client_id);
    assert_true(b->list_expired && b->purge_reclaimed && b->begin && b->commit);
    /* Who waits for a server can be called off. */
    assert_true((b->scope & OPT_SCOPE_SERVER) == 0 || b->cancel != NULL);
}

/* The suite */

static const struct {
    const char *name;
    void (*run)(void **state);
} tests[] = {
    { "the_backend_is_complete", the_backend_is_complete },
    { "nothing_can_be_closed", nothing_can_be_closed },
    { "starts_empty", starts_empty },
    { "creates_and_finds", creates_and_finds },
    { "a_duplicate_changes_nothing", a_duplicate_changes_nothing },
    { "keeps_odd_leases", keeps_odd_leases },
    { "updates_to_odd_leases", updates_to_odd_leases },
    { "updates_each_field", updates_each_field },
    { "a_missed_update_changes_nothing", a_missed_update_changes_nothing },
    { "an_update_to_the_same_is_a_hit", an_update_to_the_same_is_a_hit },
    { "removes_once", removes_once },
    { "similar_clients_are_not_the_same", similar_clients_are_not_the_same },
    { "two_leases_of_one_client_are_an_error",
      two_leases_of_one_client_are_an_error },
    { "leases_without_a_client_are_no_twins",
      leases_without_a_client_are_no_twins },
    { "lists_what_expired", lists_what_expired },
    { "what_is_valid_for_ever_never_expires",
      what_is_valid_for_ever_never_expires },
    { "the_list_follows_changes", the_list_follows_changes },
    { "purges_what_was_reclaimed", purges_what_was_reclaimed },
    { "groups_are_there_afterwards", groups_are_there_afterwards },
    { "groups_follow_one_another", groups_follow_one_another },
    { "reset_removes_everything", reset_removes_everything },
    { "opening_again_empties", opening_again_empties },
    { "schemas_may_take_turns", schemas_may_take_turns },
    { "sessions_follow_one_another", sessions_follow_one_another },
    { "keeps_generated_leases", keeps_generated_leases },
    { "describes_itself", describes_itself },
    { "has_the_durability_that_was_asked_for",
      has_the_durability_that_was_asked_for },
    { "a_target_that_cannot_be_is_refused",
      a_target_that_cannot_be_is_refused },
    { "unknown_settings_are_refused", unknown_settings_are_refused },
    { "foreign_files_are_refused", foreign_files_are_refused },
};

enum { TESTS = COUNT_OF(tests) };

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

static void find_server(struct suite *suite, struct store_config *config,
                        const char *target)
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
                      "scripts/servers.sh env";
    if (target == NULL)
        target = database != NULL ? database : the_backend.default_target;
    (void)snprintf(suite->target, sizeof suite->target, "%s", target);
    (void)snprintf(suite->missing, sizeof suite->missing,
                   "ubench_no_such_database");
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
        (void)snprintf(suite->target, sizeof suite->target, "%s/%s",
                       suite->folder, the_backend.default_target);
    (void)snprintf(suite->missing, sizeof suite->missing, "%s/missing/x",
                   suite->folder);
}

static void add_variant(struct suite *suite, const struct store_config *config,
                        enum schema schema, bool compiled)
{
    struct variant *const variant = &suite->variants[suite->variant_count++];
    const char *const statements = (the_backend.scope & OPT_SCOPE_SQL) == 0 ? ""
                                   : compiled ? ", compiled"
                                              : ", text";

    variant->config = *config;
    variant->config.schema = schema;
    variant->config.compiled = compiled;
    (void)snprintf(variant->name, sizeof variant->name, "%s%s",
                   schema == SCHEMA_LEAN ? "lean" : "kea", statements);
}

static void init_suite(struct suite *suite, const char *target)
{
    static const struct opt_settings no_settings = { .count = 0 };
    const bool server = (the_backend.sync_levels & SYNC_BIT(SYNC_SERVER)) != 0;
    struct store_config config = {
        .target = suite->target,
        .connect_timeout_s = 5,
        .read_timeout_s = 30,
        .engine = (the_backend.scope & OPT_SCOPE_ENGINE) != 0 ? "InnoDB" : NULL,
        .sync = server ? SYNC_SERVER : SYNC_NO,
        .settings = &no_settings,
    };

    *suite = (struct suite){ 0 };
    if ((the_backend.scope & OPT_SCOPE_SERVER) != 0)
        find_server(suite, &config, target);
    else
        find_folder(suite, target);
    for (int compiled = 1; compiled >= 0; compiled--) {
        add_variant(suite, &config, SCHEMA_LEAN, compiled);
        add_variant(suite, &config, SCHEMA_KEA, compiled);
        if ((the_backend.scope & OPT_SCOPE_SQL) == 0)
            break;
    }
}

static void remove_folder(const struct suite *suite)
{
    static const char *const tails[] = { "", "-wal", "-shm", "-journal" };

    if (suite->folder[0] == '\0')
        return;
    for (size_t i = 0; i < COUNT_OF(tails); i++) {
        char path[3 * TEXT_SIZE];

        (void)snprintf(path, sizeof path, "%s/%s%s", suite->folder,
                       the_backend.default_target, tails[i]);
        (void)unlink(path);
    }
    if (rmdir(suite->folder) != 0)
        (void)fprintf(stderr, "something is left in %s\n", suite->folder);
}

int main(int argc, char **argv)
{
    struct suite suite;
    struct fixture fixtures[VARIANTS_MAX] = { { .suite = NULL } };
    char names[VARIANTS_MAX * TESTS][TEXT_SIZE];
    struct CMUnitTest units[VARIANTS_MAX * TESTS];
    size_t count = 0;

    init_suite(&suite, argc > 1 ? argv[1] : NULL);
    if (suite.skip != NULL)
        print_message("skip: %s: %s\n", the_backend.name, suite.skip);
    for (size_t v = 0; v < suite.variant_count; v++) {
        fixtures[v].suite = &suite;
        fixtures[v].variant = &suite.variants[v];
        for (size_t t = 0; t < TESTS; t++, count++) {
            (void)snprintf(names[count], sizeof names[count], "%s (%s)",
                           tests[t].name, suite.variants[v].name);
            units[count] = (struct CMUnitTest){ .name = names[count],
                                                .test_func = tests[t].run,
                                                .teardown_func = end_test,
                                                .initial_state = &fixtures[v] };
        }
    }
    /* What the macro cmocka_run_group_tests_name calls, but for the size. */
    const int failed =
        _cmocka_run_group_tests(the_backend.name, units, count, NULL, NULL);
    remove_folder(&suite);
    return failed;
}
