/* SPDX-License-Identifier: ISC */
/*
 * Exchanges against a store that writes down what it is asked: the statements
 * of each are those of Kea, in its order.  And against the same store with a
 * fault: whatever it is, and in which step, it has to be noticed.
 */
#include "load/exchanges.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "load/closed_loop.h"
#include "load/phases.h"
#include "tests/check.h"
#include "tests/lease_fields.h"

enum {
    SLOTS = 4096,
    RECORD_SIZE = 1024,
    SESSIONS = 4,
    STALL_MS = 30,
    RESERVATIONS = 64,
};

enum trick {
    TRICK_NONE,
    TRICK_LIE,      /* does nothing, and answers the opposite */
    TRICK_PRETEND,  /* does nothing, and answers HIT */
    TRICK_ALTER,    /* one field of the lease is another */
    TRICK_LOSE,     /* does it, and loses the lease */
    TRICK_FEWER,    /* one lease of several is left out */
    TRICK_FAIL,     /* answers ERROR */
    TRICK_DEADLOCK, /* the same, in favour of somebody else */
    TRICK_STALL,    /* sleeps, then does it */
    TRICK_STOP,     /* does it, and somebody presses ^C */
};

/* This trick in the at-th question (from 1) with that letter, once the preload
   is there. */
struct fault {
    char letter;
    enum trick trick;
    uint64_t at;
    int change; /* TRICK_ALTER: which field */
};

/* The store: a slot for each address. */
struct table {
    pthread_mutex_t lock;
    bool there[SLOTS];
    struct lease leases[SLOTS];
    size_t reserved;
    struct reservation {
        struct reservation_key key; /* its bytes are below */
        uint8_t identifier[LEASE_HWADDR_MAX];
        struct lease_address address;
    } reservations[RESERVATIONS];
    bool quiet;               /* nothing is written down any more */
    bool grouped;             /* during the preload: nothing is written down */
    bool old;                 /* refuses what is in LEASE_STATE_RELEASED */
    char record[RECORD_SIZE]; /* letters of the questions, + HIT and - MISS */
    size_t length;
    struct fault fault;
    uint64_t asked; /* questions with the fault's letter */
    bool done;      /* the trick */
    struct progress *progress;
};

struct session {
    struct table *table;
};

static void write_down(struct table *table, char letter, enum outcome outcome)
{
    if (table->grouped || table->quiet || table->length + 2 >= RECORD_SIZE)
        return;
    table->record[table->length++] = letter;
    table->record[table->length++] = outcome == OUTCOME_HIT ? '+' : '-';
}

/* The trick that is to be done in this question. */
static enum trick due(struct table *table, char letter)
{
    const struct fault *const fault = &table->fault;

    if (table->grouped || fault->letter != letter ||
        ++table->asked != fault->at)
        return TRICK_NONE;
    table->done = true;
    if (fault->trick == TRICK_STALL) {
        const struct timespec pause = { .tv_nsec = STALL_MS * 1000000L };

        (void)nanosleep(&pause, NULL);
    }
    if (fault->trick == TRICK_STOP)
        atomic_store(&table->progress->stop, 1);
    return fault->trick;
}

static bool refuses(enum trick trick, struct err *err)
{
    if (trick == TRICK_FAIL)
        (void)err_set_class(err, ERR_LOST, "fake: gone");
    if (trick == TRICK_DEADLOCK)
        (void)err_set_class(err, ERR_DEADLOCK, "fake: deadlock");
    return trick == TRICK_FAIL || trick == TRICK_DEADLOCK;
}

static size_t slot(struct lease_address address)
{
    return address.low % SLOTS;
}

static int fake_begin(struct session *session, struct err *err)
{
    (void)err;
    session->table->grouped = true;
    return 0;
}

static int fake_commit(struct session *session, struct err *err)
{
    (void)err;
    session->table->grouped = false;
    return 0;
}

static int fake_reset(struct session *session, struct err *err)
{
    (void)err;
    memset(session->table->there, 0, sizeof session->table->there);
    session->table->reserved = 0;
    return 0;
}

static int fake_count(struct session *session, uint64_t *count, struct err *err)
{
    (void)err;
    *count = 0;
    for (size_t i = 0; i < SLOTS; i++)
        *count += session->table->there[i];
    session->table->quiet = true; /* what follows is read back */
    return 0;
}

static enum outcome fake_create(struct session *session,
                                const struct lease *lease, struct err *err)
{
    struct table *const table = session->table;
    const size_t i = slot(lease->address);
    enum outcome outcome = OUTCOME_MISS;

    (void)pthread_mutex_lock(&table->lock);
    const enum trick trick = due(table, 'I');
    if (table->old && lease->state == LEASE_STATE_RELEASED) {
        (void)err_set(err, "fake: foreign key");
        outcome = OUTCOME_ERROR;
    } else if (refuses(trick, err)) {
        outcome = OUTCOME_ERROR;
    } else if (trick == TRICK_PRETEND) {
        outcome = OUTCOME_HIT;
    } else if (trick != TRICK_LIE && !table->there[i]) {
        table->leases[i] = *lease;
        if (trick == TRICK_ALTER)
            (void)lease_change(&table->leases[i], table->fault.change);
        table->there[i] = trick != TRICK_LOSE;
        outcome = OUTCOME_HIT;
    }
    write_down(table, 'I', outcome);
    (void)pthread_mutex_unlock(&table->lock);
    return outcome;
}

static enum outcome find(struct table *table, char letter, size_t i, bool there,
                         struct lease *found, struct err *err)
{
    enum outcome outcome = there ? OUTCOME_HIT : OUTCOME_MISS;
    const enum trick trick = due(table, letter);

    if (there)
        *found = table->leases[i];
    if (refuses(trick, err))
        outcome = OUTCOME_ERROR;
    else if (trick == TRICK_LIE)
        outcome = there ? OUTCOME_MISS : OUTCOME_HIT;
    else if (trick == TRICK_ALTER)
        (void)lease_change(found, table->fault.change);
    write_down(table, letter, outcome);
    return outcome;
}

static enum outcome fake_find_by_address(struct session *session,
                                         struct lease_address address,
                                         enum lease_type type,
                                         struct lease *found, struct err *err)
{
    struct table *const table = session->table;
    const size_t i = slot(address);

    (void)type;
    (void)pthread_mutex_lock(&table->lock);
    const enum outcome outcome =
        find(table, 'A', i, table->there[i], found, err);
    (void)pthread_mutex_unlock(&table->lock);
    return outcome;
}

/* Looks for the lease with these bytes where they lie in wanted. */
static enum outcome find_bytes(struct table *table, char letter,
                               const uint8_t *bytes, size_t length,
                               struct lease *found, struct err *err)
{
    size_t i = 0;

    (void)pthread_mutex_lock(&table->lock);
    for (; i < SLOTS; i++) {
        const struct lease *const lease = &table->leases[i];
        const uint8_t *const has =
            letter == 'H' ? lease->hwaddr : lease->client_id;
        const size_t has_length =
            letter == 'H' ? lease->hwaddr_length : lease->client_id_length;

        if (table->there[i] && has_length == length &&
            memcmp(has, bytes, length) == 0)
            break;
    }
    const enum outcome outcome =
        find(table, letter, i < SLOTS ? i : 0, i < SLOTS, found, err);
    (void)pthread_mutex_unlock(&table->lock);
    return outcome;
}

static enum outcome fake_find_by_hwaddr(struct session *session,
                                        const uint8_t *hwaddr, size_t length,
                                        struct lease *found, struct err *err)
{
    return find_bytes(session->table, 'H', hwaddr, length, found, err);
}

static enum outcome fake_find_by_client_id(struct session *session,
                                           const uint8_t *client_id,
                                           size_t length, struct lease *found,
                                           struct err *err)
{
    return find_bytes(session->table, 'C', client_id, length, found, err);
}

static enum outcome fake_find_by_duid(struct session *session,
                                      const uint8_t *duid, size_t length,
                                      uint32_t iaid, enum lease_type type,
                                      uint32_t subnet_id, struct lease *found,
                                      struct err *err)
{
    (void)iaid;
    (void)type;
    return find_bytes(session->table, subnet_id == LEASE_SUBNET_ANY ? 'L' : 'N',
                      duid, length, found, err);
}

static enum outcome fake_update(struct session *session,
                                const struct lease *lease, int64_t expire_s,
                                struct err *err)
{
    struct table *const table = session->table;
    const size_t i = slot(lease->address);
    enum outcome outcome = OUTCOME_MISS;

    (void)pthread_mutex_lock(&table->lock);
    const enum trick trick = due(table, 'U');
    if (refuses(trick, err)) {
        outcome = OUTCOME_ERROR;
    } else if (trick == TRICK_PRETEND) {
        outcome = OUTCOME_HIT;
    } else if (trick != TRICK_LIE && table->there[i] &&
               lease_expire_s(&table->leases[i]) == expire_s) {
        table->leases[i] = *lease;
        if (trick == TRICK_ALTER)
            (void)lease_change(&table->leases[i], table->fault.change);
        table->there[i] = trick != TRICK_LOSE;
        outcome = OUTCOME_HIT;
    }
    write_down(table, 'U', outcome);
    (void)pthread_mutex_unlock(&table->lock);
    return outcome;
}

static enum outcome fake_remove(struct session *session,
                                struct lease_address address, int64_t expire_s,
                                struct err *err)
{
    struct table *const table = session->table;
    const size_t i = slot(address);
    enum outcome outcome = OUTCOME_MISS;

    (void)pthread_mutex_lock(&table->lock);
    const enum trick trick = due(table, 'D');
    if (refuses(trick, err)) {
        outcome = OUTCOME_ERROR;
    } else if (trick == TRICK_PRETEND) {
        outcome = OUTCOME_HIT;
    } else if (trick != TRICK_LIE && table->there[i] &&
               lease_expire_s(&table->leases[i]) == expire_s) {
        table->there[i] = false;
        outcome = OUTCOME_HIT;
    }
    write_down(table, 'D', outcome);
    (void)pthread_mutex_unlock(&table->lock);
    return outcome;
}

static int by_expire(const void *a, const void *b)
{
    const int64_t x = lease_expire_s(a);
    const int64_t y = lease_expire_s(b);

    return (x > y) - (x < y);
}

static int fake_list_expired(struct session *session, int64_t now_s,
                             size_t limit, struct lease *found, size_t *count,
                             struct err *err)
{
    struct table *const table = session->table;
    struct lease *const all = calloc(SLOTS, sizeof *all);
    size_t expired = 0;

    assert_non_null(all);
    (void)pthread_mutex_lock(&table->lock);
    const enum trick trick = due(table, 'E');
    for (size_t i = 0; i < SLOTS; i++) {
        if (table->there[i] &&
            table->leases[i].state != LEASE_STATE_RECLAIMED &&
            lease_expire_s(&table->leases[i]) < now_s)
            all[expired++] = table->leases[i];
    }
    qsort(all, expired, sizeof *all, by_expire);
    *count = expired < limit ? expired : limit;
    memcpy(found, all, *count * sizeof *all);
    free(all);
    if (trick == TRICK_FEWER)
        --*count;
    if (trick == TRICK_ALTER)
        (void)lease_change(&found[*count - 1], table->fault.change);
    write_down(table, 'E', OUTCOME_HIT);
    (void)pthread_mutex_unlock(&table->lock);
    return refuses(trick, err) ? -1 : 0;
}

static int fake_purge(struct session *session, int64_t before_s,
                      uint64_t *purged, struct err *err)
{
    struct table *const table = session->table;

    *purged = 0;
    (void)pthread_mutex_lock(&table->lock);
    const enum trick trick = due(table, 'P');
    for (size_t i = 0; i < SLOTS && !refuses(trick, err); i++) {
        if (table->there[i] &&
            table->leases[i].state == LEASE_STATE_RECLAIMED &&
            lease_expire_s(&table->leases[i]) < before_s) {
            /* Pretending is to count without removing. */
            table->there[i] = trick == TRICK_PRETEND;
            ++*purged;
        }
    }
    if (trick == TRICK_FEWER)
        --*purged;
    write_down(table, 'P', OUTCOME_HIT);
    (void)pthread_mutex_unlock(&table->lock);
    return refuses(trick, err) ? -1 : 0;
}

static int fake_read_counters(struct session *session, enum counters which,
                              struct lease_counts *counts, struct err *err)
{
    struct table *const table = session->table;
    const enum trick trick = due(table, 'K');
    bool skip = trick == TRICK_FEWER;

    (void)which;
    for (size_t i = 0; i < SLOTS; i++) {
        const struct lease *const lease = &table->leases[i];
        const struct lease_kind kind = { .subnet_id = lease->subnet_id,
                                         .pool_id = lease->pool_id,
                                         .type = lease->type,
                                         .state = lease->state };

        if (!table->there[i])
            continue;
        if (skip && lease_state_is_counted(kind.state))
            skip = false;
        else
            assert_int_equal(lease_counts_add(counts, &kind, 1), 0);
    }
    return refuses(trick, err) ? -1 : 0;
}

static const struct reservation *
find_reservation(const struct table *table, const struct reservation_key *key)
{
    for (size_t i = 0; i < table->reserved; i++) {
        const struct reservation *const r = &table->reservations[i];

        if (r->key.type == key->type && r->key.subnet_id == key->subnet_id &&
            r->key.length == key->length &&
            memcmp(r->identifier, key->identifier, key->length) == 0)
            return r;
    }
    return NULL;
}

static enum outcome fake_add_reservation(struct session *session,
                                         const struct reservation_key *key,
                                         struct lease_address address,
                                         struct err *err)
{
    struct table *const table = session->table;

    (void)err;
    assert_true(table->grouped && table->reserved < RESERVATIONS);
    assert_true(key->length <= LEASE_HWADDR_MAX);
    if (find_reservation(table, key) != NULL)
        return OUTCOME_MISS;
    struct reservation *const new = &table->reservations[table->reserved++];
    new->key = *key;
    new->address = address;
    memcpy(new->identifier, key->identifier, key->length);
    return OUTCOME_HIT;
}

static enum outcome fake_find_reservation(struct session *session,
                                          const struct reservation_key *key,
                                          struct lease_address *address,
                                          struct err *err)
{
    struct table *const table = session->table;
    const char letter = key->type == RESERVATION_BY_HWADDR ? 'R' : 'S';

    (void)pthread_mutex_lock(&table->lock);
    const enum trick trick = due(table, letter);
    const struct reservation *const found = find_reservation(table, key);
    bool hit = found != NULL;
    if (hit)
        *address = found->address;
    if (trick == TRICK_ALTER)
        address->low++;
    if (trick == TRICK_LIE)
        hit = !hit;
    write_down(table, letter, hit ? OUTCOME_HIT : OUTCOME_MISS);
    (void)pthread_mutex_unlock(&table->lock);
    return refuses(trick, err) ? OUTCOME_ERROR
           : hit               ? OUTCOME_HIT
                               : OUTCOME_MISS;
}

static const struct backend fake = {
    .name = "fake",
    .keeps_leases = true,
    .reset = fake_reset,
    .count = fake_count,
    .read_counters = fake_read_counters,
    .create = fake_create,
    .find_by_address = fake_find_by_address,
    .find_by_hwaddr = fake_find_by_hwaddr,
    .find_by_client_id = fake_find_by_client_id,
    .find_by_duid = fake_find_by_duid,
    .update = fake_update,
    .remove = fake_remove,
    .add_reservation = fake_add_reservation,
    .find_reservation = fake_find_reservation,
    .list_expired = fake_list_expired,
    .purge_reclaimed = fake_purge,
    .begin = fake_begin,
    .commit = fake_commit,
};

/* One run: what went in and what came out. */
struct trial {
    struct table table;
    struct session sessions[SESSIONS];
    struct progress progress;
    struct load_result result;
    enum load_end end;
    struct err err;
};

static struct exchanges_config
make_config(const char *mix, enum lease_family family, uint64_t count)
{
    struct exchanges_config config = {
        .load = {
            .count = count,
            .preload = 50,
            .seed = 1,
            .threads = 1,
            .batch = 1,
            .latency = true,
            .family = family,
        },
        .probes = 1,
    };
    struct err err = { 0 };

    if (mix_parse(mix, family, &config.mix, &err) != 0)
        fail_msg("%s: %s", mix, err.text);
    return config;
}

static struct trial *make_trial(const struct fault *fault)
{
    struct trial *const trial = calloc(1, sizeof *trial);

    assert_non_null(trial);
    (void)pthread_mutex_init(&trial->table.lock, NULL);
    trial->table.progress = &trial->progress;
    if (fault != NULL)
        trial->table.fault = *fault;
    for (size_t i = 0; i < SESSIONS; i++)
        trial->sessions[i].table = &trial->table;
    return trial;
}

static void free_trial(struct trial *trial)
{
    load_result_release(&trial->result);
    (void)pthread_mutex_destroy(&trial->table.lock);
    free(trial);
}

static struct trial *run(const struct exchanges_config *config,
                         const struct fault *fault)
{
    struct trial *const trial = make_trial(fault);
    struct session *sessions[SESSIONS];

    for (size_t i = 0; i < SESSIONS; i++)
        sessions[i] = &trial->sessions[i];
    trial->end = closed_loop_run(config, &fake, sessions, &trial->progress,
                                 &trial->result, &trial->err);
    return trial;
}

/* Letters as in the list of Kea's statements: by address, client-id, hwaddr,
   DUID (L); insert, update, delete, expired, purge. */
static void each_exchange_asks_what_kea_asks(void **state)
{
    static const struct {
        const char *mix;
        enum lease_family family;
        uint64_t probes;
        const char *questions;
    } rows[] = {
        { "dora", LEASE_FAMILY_V4, 1, "C-H-A-C-H-A-A-I+" },
        { "dora", LEASE_FAMILY_V4, 3, "C-H-A+A+A-C-H-A-A-I+" },
        { "dora-known", LEASE_FAMILY_V4, 1, "C+C+A+U+" },
        { "renew", LEASE_FAMILY_V4, 1, "C+A+U+" },
        { "init-reboot", LEASE_FAMILY_V4, 1, "C+C+A+U+" },
        { "release", LEASE_FAMILY_V4, 1, "A+U+" },
        { "release-delete", LEASE_FAMILY_V4, 1, "A+D+" },
        { "decline", LEASE_FAMILY_V4, 1, "A+U+" },
        { "purge", LEASE_FAMILY_V4, 1, "P+" },
        { "sarr", LEASE_FAMILY_V6, 1, "L-A-L-A-I+" },
        { "sarr", LEASE_FAMILY_V6, 2, "L-A+A-L-A-I+" },
        { "renew", LEASE_FAMILY_V6, 1, "N+U+" },
        { "release", LEASE_FAMILY_V6, 1, "A+U+" },
        { "release-delete", LEASE_FAMILY_V6, 1, "A+D+" },
        { "decline", LEASE_FAMILY_V6, 1, "A+U+" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct exchanges_config config =
            make_config(rows[i].mix, rows[i].family, 1);

        config.probes = rows[i].probes;
        struct trial *const trial = run(&config, NULL);
        check_text(rows[i].mix, trial->err.text, "");
        check_text(rows[i].mix, trial->table.record, rows[i].questions);
        free_trial(trial);
    }
}

/* R is the reservation by hwaddr, S that by client-id.  All of the 51 clients
   have one, or a single one that is not the exchange's. */
static void reservations_are_looked_for_as_in_kea(void **state)
{
    static const struct {
        const char *mix;
        uint64_t reservations;
        uint64_t probes;
        const char *questions;
    } rows[] = {
        { "dora", 51, 1, "R+C-H-A-R+C-H-A-A-I+" },
        { "dora", 51, 3, "R+C-H-A-R+C-H-A-A-I+" },
        { "dora", 1, 1, "R-S-C-H-A-R-S-C-H-A-A-I+" },
        { "dora", 1, 2, "R-S-C-H-A+A-R-S-C-H-A-A-I+" },
        { "dora-known", 51, 1, "R+C+R+C+A+U+" },
        { "dora-known", 1, 1, "R-S-C+R-S-C+A+U+" },
        { "renew", 51, 1, "R+C+A+U+" },
        { "renew", 1, 1, "R-S-C+A+U+" },
        { "init-reboot", 51, 1, "R+C+C+A+U+" },
        { "init-reboot", 1, 1, "R-S-C+C+A+U+" },
        { "release", 51, 1, "A+U+" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct exchanges_config config =
            make_config(rows[i].mix, LEASE_FAMILY_V4, 1);

        config.probes = rows[i].probes;
        config.reservations = rows[i].reservations;
        struct trial *const trial = run(&config, NULL);
        check_text(rows[i].mix, trial->err.text, "");
        check_text(rows[i].mix, trial->table.record, rows[i].questions);
        check_number(rows[i].mix, trial->table.reserved, rows[i].reservations);
        free_trial(trial);
    }
}

/* 30 of the 60 clients, 10 of whom are new and come once each. */
static void as_many_clients_as_asked_for_have_a_reservation(void **state)
{
    struct exchanges_config config = make_config("dora", LEASE_FAMILY_V4, 10);
    uint64_t reserved = 0;

    (void)state;
    config.reservations = 30;
    config.load.seed = 2; /* of which some of the ten have one */
    config.load.subnets = 7;
    struct trial *const trial = run(&config, NULL);
    const struct phase_result *const dora = &trial->result.phases[0];
    assert_string_equal(trial->err.text, "");
    assert_int_equal(trial->table.reserved, 30);
    for (size_t i = 0; i < trial->table.reserved; i++) {
        const struct reservation *const r = &trial->table.reservations[i];
        const size_t at = slot(r->address);

        /* Each of them is somebody's, and in his subnet. */
        assert_true(trial->table.there[at]);
        assert_int_equal(r->key.subnet_id, trial->table.leases[at].subnet_id);
        assert_memory_equal(r->identifier, trial->table.leases[at].hwaddr,
                            r->key.length);
        reserved += r->address.low - GENERATOR_BASE_ADDRESS >= 50;
    }
    assert_in_range(reserved, 1, 9);
    assert_int_equal(dora->step_count, 10);
    assert_string_equal(dora->steps[0].operation, "find_reservation");
    assert_int_equal(dora->steps[0].hits, reserved);
    assert_int_equal(dora->steps[0].misses, 2 * (10 - reserved));
    free_trial(trial);
}

static void wrong_reservations_are_noticed(void **state)
{
    static const struct {
        uint64_t reservations;
        struct fault fault;
        enum load_end end;
    } rows[] = {
        { 51, { .letter = 'R', .trick = TRICK_LIE, .at = 2 }, LOAD_WRONG },
        { 51, { .letter = 'R', .trick = TRICK_ALTER, .at = 1 }, LOAD_WRONG },
        { 51, { .letter = 'R', .trick = TRICK_FAIL, .at = 2 }, LOAD_FAILED },
        { 1, { .letter = 'R', .trick = TRICK_LIE, .at = 1 }, LOAD_WRONG },
        { 1, { .letter = 'S', .trick = TRICK_LIE, .at = 2 }, LOAD_WRONG },
        { 1, { .letter = 'S', .trick = TRICK_FAIL, .at = 1 }, LOAD_FAILED },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct exchanges_config config =
            make_config("dora", LEASE_FAMILY_V4, 1);

        config.reservations = rows[i].reservations;
        struct trial *const trial = run(&config, &rows[i].fault);
        check_number("end", trial->end, rows[i].end);
        assert_true(trial->table.done);
        free_trial(trial);
    }
}

static void a_cycle_lists_and_reclaims_a_hundred(void **state)
{
    const struct exchanges_config config =
        make_config("reclaim", LEASE_FAMILY_V4, 1);
    struct trial *const trial = run(&config, NULL);
    char questions[RECORD_SIZE] = "E+";

    (void)state;
    for (int i = 0; i < RECLAIM_LEASES; i++)
        strcat(questions, "U+");
    check_text("reclaim", trial->table.record, questions);
    assert_int_equal(trial->result.phases[0].commits_due, RECLAIM_LEASES);
    free_trial(trial);
}

/* The only lease in this state. */
static const struct lease *in_state(const struct trial *trial,
                                    enum lease_state state)
{
    const struct lease *found = NULL;

    for (size_t i = 0; i < SLOTS; i++) {
        if (trial->table.there[i] && trial->table.leases[i].state == state) {
            assert_null(found);
            found = &trial->table.leases[i];
        }
    }
    assert_non_null(found);
    return found;
}

static void a_released_lease_has_ended(void **state)
{
    const struct exchanges_config config =
        make_config("release", LEASE_FAMILY_V4, 1);
    struct trial *const trial = run(&config, NULL);
    const struct lease *const lease = in_state(trial, LEASE_STATE_RELEASED);

    (void)state;
    assert_int_equal(lease->valid_s, 0);
    assert_int_equal(lease->hwaddr_length, 6);
    assert_int_equal(lease_expire_s(lease), lease->cltt_s);
    free_trial(trial);
}

static void an_old_store_is_told_before_it_is_filled(void **state)
{
    static const struct {
        const char *mix;
        enum load_end end;
    } rows[] = { { "release", LOAD_FAILED }, { "release-delete", LOAD_DONE } };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct exchanges_config config =
            make_config(rows[i].mix, LEASE_FAMILY_V4, 1);
        struct trial *const trial = make_trial(NULL);
        struct session *sessions[] = { &trial->sessions[0] };

        trial->table.old = true;
        trial->end = closed_loop_run(&config, &fake, sessions, &trial->progress,
                                     &trial->result, &trial->err);
        check_number(rows[i].mix, trial->end, rows[i].end);
        if (rows[i].end == LOAD_FAILED) {
            check("error",
                  strstr(trial->err.text, "release-delete does without") !=
                          NULL &&
                      strstr(trial->err.text, "fake: foreign key") != NULL,
                  trial->err.text);
            check_text("asked", trial->table.record, "");
        }
        free_trial(trial);
    }
}

static void a_declined_lease_is_nobodys(void **state)
{
    const struct exchanges_config config =
        make_config("decline", LEASE_FAMILY_V4, 1);
    struct trial *const trial = run(&config, NULL);
    const struct lease *const lease = in_state(trial, LEASE_STATE_DECLINED);

    (void)state;
    assert_int_equal(lease->valid_s, 86400);
    assert_int_equal(lease->hwaddr_length, 0);
    assert_int_equal(lease->client_id_length, 0);
    assert_int_equal(lease->hostname_length, 0);
    free_trial(trial);
}

static void a_reclaimed_lease_has_no_name(void **state)
{
    const struct exchanges_config config =
        make_config("reclaim", LEASE_FAMILY_V4, 1);
    struct trial *const trial = run(&config, NULL);
    int reclaimed = 0;

    (void)state;
    for (size_t i = 0; i < SLOTS; i++) {
        const struct lease *const lease = &trial->table.leases[i];

        if (!trial->table.there[i] || lease->state != LEASE_STATE_RECLAIMED)
            continue;
        reclaimed++;
        assert_int_equal(lease->hostname_length, 0);
        assert_int_equal(lease->hwaddr_length, 6);
    }
    assert_int_equal(reclaimed, RECLAIM_LEASES);
    free_trial(trial);
}

static void a_renewal_lasts_as_long_as_before(void **state)
{
    struct exchanges_config config = make_config("renew", LEASE_FAMILY_V4, 5);

    (void)state;
    config.load.preload = 1;
    struct trial *const trial = run(&config, NULL);
    const struct lease *const lease = in_state(trial, LEASE_STATE_DEFAULT);
    assert_int_equal(lease->valid_s, 3600);
    assert_int_equal(lease->cltt_s, GENERATOR_EPOCH_S + 5 * 1800);
    free_trial(trial);
}

/* Everything at once, each exchange often. */
static const char all_v4[] =
    "dora=20,dora-known=10,renew=20,init-reboot=10,release=5,release-delete=5,"
    "decline=5,reclaim=200,purge=500";
static const char all_v6[] =
    "sarr=30,renew=30,release=5,release-delete=5,decline=5,reclaim=200,"
    "purge=500";

static struct exchanges_config make_busy(enum lease_family family)
{
    struct exchanges_config config =
        make_config(family == LEASE_FAMILY_V4 ? all_v4 : all_v6, family, 100);

    config.probes = 2;
    return config;
}

static void a_correct_store_passes(void **state)
{
    (void)state;
    for (int family = 0; family <= LEASE_FAMILY_V6; family++) {
        const struct exchanges_config config =
            make_busy((enum lease_family)family);
        struct trial *const trial = run(&config, NULL);
        uint64_t done = 0;

        assert_string_equal(trial->err.text, "");
        assert_int_equal(trial->end, LOAD_DONE);
        assert_true(trial->result.verified);
        assert_int_equal(trial->result.left, 0);
        for (size_t i = 0; i < trial->result.phase_count; i++) {
            const struct phase_result *const phase = &trial->result.phases[i];

            check(phase->name, phase->done > 0, "done");
            check_number(phase->name, phase->done, phase->planned);
            check_number(phase->name, phase->operations.count, phase->done);
            done += phase->done;
        }
        assert_int_equal(done, 100);
        free_trial(trial);
    }
}

static void steps_are_counted(void **state)
{
    struct exchanges_config config = make_config("dora", LEASE_FAMILY_V4, 10);

    (void)state;
    config.probes = 4;
    struct trial *const trial = run(&config, NULL);
    const struct phase_result *const dora = &trial->result.phases[0];
    assert_int_equal(dora->step_count, 8);
    assert_string_equal(dora->steps[2].operation, "find_by_address");
    assert_int_equal(dora->steps[2].hits, 30);
    assert_int_equal(dora->steps[2].misses, 10);
    assert_int_equal(dora->steps[2].latency.count, 40);
    assert_string_equal(dora->steps[7].operation, "create");
    assert_int_equal(dora->steps[7].hits, 10);
    assert_int_equal(dora->commits_due, 10);
    free_trial(trial);
}

static uint64_t digest(const struct exchanges_config *config)
{
    struct trial *const trial = run(config, NULL);
    const uint64_t sum = trial->result.digest;

    assert_string_equal(trial->err.text, "");
    free_trial(trial);
    return sum;
}

static void the_digest_names_the_work(void **state)
{
    struct exchanges_config config = make_busy(LEASE_FAMILY_V4);
    const uint64_t sum = digest(&config);

    (void)state;
    assert_int_equal(digest(&config), sum);
    config.load.threads = SESSIONS;
    assert_int_equal(digest(&config), sum);
    config.load.latency = false;
    assert_int_equal(digest(&config), sum);
    config.probes = 3;
    assert_int_not_equal(digest(&config), sum);
    config.probes = 2;
    config.reservations = 20;
    assert_int_not_equal(digest(&config), sum);
    config.reservations = 0;
    config.load.seed = 2;
    assert_int_not_equal(digest(&config), sum);
    config.load.seed = 1;
    config.load.count++;
    assert_int_not_equal(digest(&config), sum);
}

/* Runs all exchanges with a fault in a question, and says how it ended. */
static struct trial *run_faulty(enum lease_family family,
                                const struct fault *fault)
{
    const struct exchanges_config config = make_busy(family);
    struct trial *const trial = run(&config, fault);
    const char row[] = { fault->letter, '\0' };

    check(row, trial->table.done, "the trick was done");
    return trial;
}

static void lies_are_noticed(void **state)
{
    static const char *const questions[] = { "CHAIUDEP", "LNAIUDEP" };
    static const struct {
        enum trick trick;
        const char *letters;
    } tricks[] = {
        { TRICK_LIE, "CHLNAIUD" },
        { TRICK_PRETEND, "IUDP" },
        { TRICK_LOSE, "IU" },
        { TRICK_FEWER, "EP" },
    };

    (void)state;
    for (int family = 0; family <= LEASE_FAMILY_V6; family++) {
        for (size_t t = 0; t < COUNT_OF(tricks); t++) {
            for (const char *q = questions[family]; *q != '\0'; q++) {
                const struct fault fault = { *q, tricks[t].trick, 1, 0 };
                const char row[] = { (char)('0' + family), (char)('0' + t), *q,
                                     '\0' };

                if (strchr(tricks[t].letters, *q) == NULL)
                    continue;
                struct trial *const trial =
                    run_faulty((enum lease_family)family, &fault);
                check_number(row, trial->end, LOAD_WRONG);
                check(row, strstr(trial->err.text, "wrong answer") != NULL,
                      trial->err.text);
                free_trial(trial);
            }
        }
    }
}

/* In every question that finds or changes a lease, late ones included. */
static void a_wrong_field_is_noticed(void **state)
{
    static const char letters[] = "UIE";

    (void)state;
    for (int change = 0; change < LEASE_CHANGES; change++) {
        for (const char *q = letters; *q != '\0'; q++) {
            const struct fault fault = { *q, TRICK_ALTER, 1, change };
            const char row[] = { *q, (char)('a' + change), '\0' };
            struct trial *const trial = run_faulty(LEASE_FAMILY_V4, &fault);

            check_number(row, trial->end, LOAD_WRONG);
            free_trial(trial);
        }
    }
}

static void each_lookup_compares_the_lease(void **state)
{
    static const struct {
        const char *mix;
        char letter;
        uint64_t at;
    } rows[] = {
        { "renew", 'C', 1 },       { "renew", 'A', 1 },
        { "dora-known", 'C', 1 },  { "dora-known", 'C', 2 },
        { "dora-known", 'A', 1 },  { "init-reboot", 'C', 1 },
        { "init-reboot", 'C', 2 }, { "init-reboot", 'A', 1 },
        { "release", 'A', 1 },     { "release-delete", 'A', 1 },
        { "decline", 'A', 1 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (int change = 0; change < LEASE_CHANGES; change++) {
            const struct fault fault = { rows[i].letter, TRICK_ALTER,
                                         rows[i].at, change };
            const struct exchanges_config config =
                make_config(rows[i].mix, LEASE_FAMILY_V4, 1);
            struct trial *const trial = run(&config, &fault);

            check_number(rows[i].mix, trial->end, LOAD_WRONG);
            free_trial(trial);
        }
    }
}

static void a_failure_is_passed_on(void **state)
{
    static const char letters[] = "CHAIUDEP";

    (void)state;
    for (const char *q = letters; *q != '\0'; q++) {
        const struct fault fault = { *q, TRICK_FAIL, 2, 0 };
        const char row[] = { *q, '\0' };
        struct trial *const trial = run_faulty(LEASE_FAMILY_V4, &fault);

        check_number(row, trial->end, LOAD_FAILED);
        check_number(row, trial->err.class, ERR_LOST);
        check(row, strstr(trial->err.text, "fake: gone (") != NULL,
              trial->err.text);
        free_trial(trial);
    }
}

/* Such an exchange changed nothing; the others go on. */
static void a_deadlock_is_counted(void **state)
{
    static const char letters[] = "CHAIUDEP";

    (void)state;
    for (const char *q = letters; *q != '\0'; q++) {
        const struct fault fault = { *q, TRICK_DEADLOCK, 1, 0 };
        const char row[] = { *q, '\0' };
        struct trial *const trial = run_faulty(LEASE_FAMILY_V4, &fault);
        uint64_t deadlocks = 0;
        uint64_t done = 0;

        check_text(row, trial->end == LOAD_DONE ? "" : trial->err.text, "");
        for (size_t i = 0; i < trial->result.phase_count; i++) {
            deadlocks += trial->result.phases[i].deadlocks;
            done += trial->result.phases[i].done;
        }
        check_number(row, deadlocks, 1);
        check_number(row, done, 99);
        free_trial(trial);
    }
}

static void a_stall_shows_in_its_step(void **state)
{
    const struct fault fault = { 'U', TRICK_STALL, 3, 0 };
    const struct exchanges_config config =
        make_config("renew", LEASE_FAMILY_V4, 20);
    struct trial *const trial = run(&config, &fault);
    const struct phase_result *const renew = &trial->result.phases[0];
    const uint64_t stall_ns = STALL_MS * UINT64_C(1000000);

    (void)state;
    assert_int_equal(trial->end, LOAD_DONE);
    assert_true(renew->operations.max_ns >= stall_ns);
    assert_true(renew->steps[2].latency.max_ns >= stall_ns);
    assert_true(renew->steps[0].latency.max_ns < stall_ns);
    assert_true(renew->steps[1].latency.max_ns < stall_ns);
    assert_true(phase_elapsed_ns(renew) >= stall_ns);
    free_trial(trial);
}

static void a_stop_keeps_what_was_done(void **state)
{
    const struct fault fault = { 'U', TRICK_STOP, 7, 0 };
    const struct exchanges_config config =
        make_config("renew", LEASE_FAMILY_V4, 20);
    struct trial *const trial = run(&config, &fault);

    (void)state;
    assert_int_equal(trial->end, LOAD_INTERRUPTED);
    assert_int_equal(trial->result.phases[0].done, 7);
    assert_int_equal(trial->result.phases[0].planned, 20);
    free_trial(trial);
}

static void threads_share_the_clients(void **state)
{
    struct exchanges_config config = make_busy(LEASE_FAMILY_V4);

    (void)state;
    config.load.threads = SESSIONS;
    config.load.count = 300;
    struct trial *const trial = run(&config, NULL);
    assert_string_equal(trial->err.text, "");
    assert_int_equal(trial->end, LOAD_DONE);
    free_trial(trial);
}

static void enough_clients_are_asked_for(void **state)
{
    struct exchanges_config config =
        make_config("release", LEASE_FAMILY_V4, 10);

    (void)state;
    assert_int_equal(exchanges_preload_min(&config), 11);
    config.load.threads = 4; /* three releases in the first two */
    assert_int_equal(exchanges_preload_min(&config), 16);
    config = make_config("renew", LEASE_FAMILY_V4, 10);
    config.load.threads = 4;
    assert_int_equal(exchanges_preload_min(&config), 4);
}

/* What each exchange leaves is counted as a store with counters has it. */
static void counters_are_compared(void **state)
{
    static const struct fault fewer = { 'K', TRICK_FEWER, 2, 0 };
    static const struct fault fails = { 'K', TRICK_FAIL, 1, 0 };

    (void)state;
    for (const struct exchange *e = exchange_table; e->name != NULL; e++) {
        for (int f = LEASE_FAMILY_V4; f <= LEASE_FAMILY_V6; f++) {
            if ((e->families >> f & 1) == 0)
                continue;
            struct exchanges_config config =
                make_config(e->name, (enum lease_family)f, 5);
            config.load.counted = true;
            config.load.subnets = 3;
            struct trial *trial = run(&config, NULL);
            check_text(e->name, trial->err.text, "");
            check_number(e->name, trial->end, LOAD_DONE);
            free_trial(trial);
            trial = run(&config, &fewer);
            check_number(e->name, trial->end, LOAD_WRONG);
            check(e->name, strstr(trial->err.text, "the counter of") != NULL,
                  trial->err.text);
            free_trial(trial);
            trial = run(&config, &fails);
            check_number(e->name, trial->end, LOAD_FAILED);
            free_trial(trial);
        }
    }
}

/* The phases of 2012, whose search may look for other keys than addresses. */
static enum load_end search_by(enum lookup by, enum lease_family family,
                               const struct fault *fault)
{
    const struct phases_config config = {
        .load = { .count = 100,
                  .seed = 1,
                  .threads = 1,
                  .batch = 1,
                  .family = family },
        .hit_ratio = 0.9,
        .search_by = by,
    };
    struct trial *const trial = make_trial(fault);
    struct session *const session = &trial->sessions[0];
    const enum load_end end =
        phases_run(&config, &fake, &session, &trial->progress, &trial->result,
                   &trial->err);

    check("trick", trial->table.done == (fault != NULL), "done");
    free_trial(trial);
    return end;
}

static void searches_by_other_keys_are_compared(void **state)
{
    static const struct {
        enum lookup by;
        enum lease_family family;
        char letter;
    } rows[] = {
        { LOOKUP_HWADDR, LEASE_FAMILY_V4, 'H' },
        { LOOKUP_CLIENT_ID, LEASE_FAMILY_V4, 'C' },
        { LOOKUP_HWADDR, LEASE_FAMILY_V6, 'H' },
        { LOOKUP_CLIENT_ID, LEASE_FAMILY_V6, 'L' },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char row[] = { rows[i].letter, '\0' };
        const struct fault lie = { rows[i].letter, TRICK_LIE, 50, 0 };
        const struct fault alter = { rows[i].letter, TRICK_ALTER, 1, 5 };

        check_number(row, search_by(rows[i].by, rows[i].family, NULL),
                     LOAD_DONE);
        check_number(row, search_by(rows[i].by, rows[i].family, &lie),
                     LOAD_WRONG);
        check_number(row, search_by(rows[i].by, rows[i].family, &alter),
                     LOAD_WRONG);
    }
}

static void weights_are_kept(void **state)
{
    enum { DRAWS = 200000 };
    const struct exchanges_config config =
        make_config("renew=60,dora=30,reclaim=1000", LEASE_FAMILY_V4, DRAWS);
    /* A cycle is a hundred leases: 60 to 30 to 10. */
    static const double shares[] = { 0.6, 0.3, 0.1 };
    uint64_t counts[3] = { 0 };

    (void)state;
    for (uint64_t i = 0; i < DRAWS; i++)
        counts[exchanges_part(&config, i)]++;
    for (size_t p = 0; p < 3; p++)
        check("share",
              (double)counts[p] > (shares[p] - 0.005) * DRAWS &&
                  (double)counts[p] < (shares[p] + 0.005) * DRAWS,
              "within half a percent");
}

static void bad_workloads_are_refused(void **state)
{
    static const struct {
        const char *text;
        enum lease_family family;
        const char *says;
    } rows[] = {
        { "", LEASE_FAMILY_V4, "'' is not one of" },
        { "doora", LEASE_FAMILY_V4, "'doora' is not one of phases, dora," },
        { "sarr", LEASE_FAMILY_V4, "'sarr' is not one of" },
        { "dora", LEASE_FAMILY_V6, "'dora' is not one of phases, sarr," },
        { "dora,", LEASE_FAMILY_V4, "'' is not one of" },
        { "dora=0", LEASE_FAMILY_V4, "'dora=0': the weight is not" },
        { "dora=", LEASE_FAMILY_V4, "'dora=': the weight is not" },
        { "dora=-1", LEASE_FAMILY_V4, "'dora=-1': the weight is not" },
        { "dora=2M", LEASE_FAMILY_V4, "'dora=2M': the weight is not" },
        { "dora=1,renew=2,dora=3", LEASE_FAMILY_V4, "dora is there twice" },
        { "steady=3", LEASE_FAMILY_V4, "'steady' is not one of" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct mix mix;
        struct err err = { 0 };

        assert_int_equal(mix_parse(rows[i].text, rows[i].family, &mix, &err),
                         -1);
        assert_int_equal(err.class, ERR_USAGE);
        check(rows[i].text, strstr(err.text, rows[i].says) != NULL, err.text);
    }
}

static void mixes_have_exchanges_of_both_families(void **state)
{
    (void)state;
    for (const struct named_mix *m = mix_table; m->name != NULL; m++) {
        (void)make_config(m->name, LEASE_FAMILY_V4, 1);
        (void)make_config(m->name, LEASE_FAMILY_V6, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_exchange_asks_what_kea_asks),
        cmocka_unit_test(reservations_are_looked_for_as_in_kea),
        cmocka_unit_test(as_many_clients_as_asked_for_have_a_reservation),
        cmocka_unit_test(wrong_reservations_are_noticed),
        cmocka_unit_test(a_cycle_lists_and_reclaims_a_hundred),
        cmocka_unit_test(a_released_lease_has_ended),
        cmocka_unit_test(an_old_store_is_told_before_it_is_filled),
        cmocka_unit_test(a_declined_lease_is_nobodys),
        cmocka_unit_test(a_reclaimed_lease_has_no_name),
        cmocka_unit_test(a_renewal_lasts_as_long_as_before),
        cmocka_unit_test(a_correct_store_passes),
        cmocka_unit_test(steps_are_counted),
        cmocka_unit_test(the_digest_names_the_work),
        cmocka_unit_test(lies_are_noticed),
        cmocka_unit_test(a_wrong_field_is_noticed),
        cmocka_unit_test(each_lookup_compares_the_lease),
        cmocka_unit_test(a_failure_is_passed_on),
        cmocka_unit_test(a_deadlock_is_counted),
        cmocka_unit_test(a_stall_shows_in_its_step),
        cmocka_unit_test(a_stop_keeps_what_was_done),
        cmocka_unit_test(threads_share_the_clients),
        cmocka_unit_test(counters_are_compared),
        cmocka_unit_test(enough_clients_are_asked_for),
        cmocka_unit_test(searches_by_other_keys_are_compared),
        cmocka_unit_test(weights_are_kept),
        cmocka_unit_test(bad_workloads_are_refused),
        cmocka_unit_test(mixes_have_exchanges_of_both_families),
    };

    return cmocka_run_group_tests_name("exchanges", tests, NULL, NULL);
}
