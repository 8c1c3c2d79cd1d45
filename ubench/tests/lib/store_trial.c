/* SPDX-License-Identifier: ISC */
#include "tests/lib/store_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "load/exchange/mix_parse.h"

#include "tests/lib/check.h"
#include "tests/lib/lease_fields.h"

static void write_down(struct session *session, char letter, enum outcome outcome)
{
    struct table *const table = session->table;

    if (session->grouped || table->quiet || table->length + 2 >= RECORD_SIZE)
        return;
    table->record[table->length++] = letter;
    table->record[table->length++] = outcome == OUTCOME_HIT ? '+' : '-';
}

/* True if the fault is of questions with that letter, which should hit. */
static bool is_of(const struct fault *fault, char letter, bool hit)
{
    if (fault->letter == ANY_LETTER)
        return strchr("BT0", letter) == NULL;
    return fault->letter == letter ||
           (letter == 'A' && fault->letter == (int)(hit ? CALL_FIND : CALL_FIND_NONE));
}

/* The trick that is to be done in this question. */
static enum trick due_if(struct session *session, char letter, bool hit)
{
    struct table *const table = session->table;
    const struct fault *const fault = &table->fault;

    session->calls[(size_t)letter]++;
    if (table->mortal && table->done)
        table->generation++;
    if (session->generation != table->generation)
        return TRICK_FAIL;
    if ((session->grouped && !table->whole) ||
        (table->thread != 0 && table->thread != session->number) || !is_of(fault, letter, hit) ||
        ++table->asked < fault->at || (table->asked > fault->at && !table->lasts))
        return TRICK_NONE;
    table->done = true;
    if (fault->trick == TRICK_STALL) {
        const struct timespec pause = { .tv_nsec = STALL_MS * 1000000L };

        (void)nanosleep(&pause, NULL);
    }
    if (fault->trick == TRICK_STOP)
        atomic_store(&table->progress->stop, 1);
    if (fault->trick >= TRICK_VANISH) {
        table->generation++;
        table->refusals = table->refusals_due;
    }
    return fault->trick;
}

static enum trick due(struct session *session, char letter)
{
    return due_if(session, letter, true);
}

static bool refuses(enum trick trick, struct err *err)
{
    if (trick == TRICK_CONFLICT)
        return err_set_class(err, ERR_CONFLICT, "fake: conflict") != 0;
    if (trick == TRICK_DEADLOCK)
        return err_set_class(err, ERR_DEADLOCK, "fake: deadlock") != 0;
    if (trick == TRICK_FULL)
        return err_set_class(err, ERR_FULL, "fake: no room") != 0;
    if (trick == TRICK_BUSY)
        return err_set_class(err, ERR_BUSY, "fake: table lease4: locked (5)") != 0;
    return (trick == TRICK_FAIL || trick == TRICK_VANISH || trick == TRICK_VANISH_LATE) &&
           err_set_class(err, ERR_LOST, "fake: gone") != 0;
}

/* Without the lock, before an answer is heard. */
static void linger(const struct table *table)
{
    const struct timespec moment = { .tv_nsec = 20000 };

    if (table->slow)
        (void)nanosleep(&moment, NULL);
}

/* The outcome that the asker is given: -1 is an error of all functions. */
static int heard(enum trick trick, int answer, struct err *err)
{
    return trick != TRICK_VANISH_DONE && trick != TRICK_DOUBT
               ? answer
               : err_set_class(err, ERR_TIMEOUT, "fake: silence");
}

static struct session *fake_session_open(struct store *store, struct err *err)
{
    struct table *const table = store->table;
    struct session *session = NULL;

    (void)pthread_mutex_lock(&table->lock);
    if (table->refusals > 0) {
        table->refusals--;
        if (table->stop_refused)
            atomic_store(&table->progress->stop, 1);
        (void)err_set_class(err, table->refusal, "fake: connecting: refused");
    } else {
        session = calloc(1, sizeof *session);
        assert_non_null(session);
        session->number = ++store->opened;
        session->table = table;
        session->generation = table->generation;
    }
    (void)pthread_mutex_unlock(&table->lock);
    return session;
}

static void fake_session_close(struct session *session)
{
    free(session);
}

size_t trial_slot(struct lease_address address)
{
    return address.low % SLOTS;
}

static void undo(struct session *session)
{
    struct table *const table = session->table;

    if (!session->grouped)
        return;
    assert_true(session->changed <= UNDO_MAX);
    while (session->changed > 0) {
        const struct undo *const old = &session->undo[--session->changed];

        table->there[old->slot] = old->there;
        table->leases[old->slot] = old->lease;
    }
    session->grouped = false;
}

/* True if the trick ends the transaction, as a server's refusal in favour of another does. */
static bool ends_transaction(enum trick trick)
{
    return trick == TRICK_CONFLICT || trick == TRICK_DEADLOCK;
}

/* The outcome of a question without a lease. */
static int answer(struct session *session, enum trick trick, struct err *err)
{
    if (ends_transaction(trick))
        undo(session);
    return refuses(trick, err) ? -1 : heard(trick, 0, err);
}

static int fake_begin(struct session *session, struct err *err)
{
    session->grouped = true;
    session->changed = 0;
    return answer(session, due(session, CALL_BEGIN), err);
}

static int fake_commit(struct session *session, struct err *err)
{
    const enum trick trick = due(session, CALL_COMMIT);

    if (trick == TRICK_LOSE)
        undo(session);
    const int status = answer(session, trick, err);
    if (status == 0)
        session->committed += session->changed;
    session->grouped = false;
    return status;
}

static int fake_reset(struct session *session, struct err *err)
{
    const enum trick trick = due(session, CALL_RESET);

    memset(session->table->there, 0, sizeof session->table->there);
    session->table->reserved = 0;
    session->table->asked = 0;
    return answer(session, trick, err);
}

static int fake_count(struct session *session, uint64_t *count, struct err *err)
{
    const enum trick trick = due(session, CALL_COUNT);

    *count = session->table->extra + (trick == TRICK_MORE) - (trick == TRICK_FEWER);
    for (size_t i = 0; i < SLOTS; i++)
        *count += session->table->there[i];
    session->table->quiet = true; /* what follows is read back */
    return answer(session, trick, err);
}

static enum outcome find(struct session *session, char letter, size_t i, bool there,
                         struct lease_address address, struct lease *found, struct err *err)
{
    struct table *const table = session->table;
    enum outcome outcome = there ? OUTCOME_HIT : OUTCOME_MISS;
    const enum trick trick = due_if(session, letter, there);

    if (there)
        *found = table->leases[i];
    if (trick != TRICK_NONE)
        table->address = address;
    if (ends_transaction(trick))
        undo(session);
    if (refuses(trick, err))
        outcome = OUTCOME_ERROR;
    else if (trick == TRICK_LIE)
        outcome = there ? OUTCOME_MISS : OUTCOME_HIT;
    else if (trick == TRICK_ALTER)
        table->field = lease_change(found, table->fault.change);
    write_down(session, letter, outcome);
    return (enum outcome)heard(trick, outcome, err);
}

/* The slot of the lease that is looked for; table->used if it is in none. */
static size_t look_up(const struct table *table, enum lookup by, const struct lease *like)
{
    size_t i = 0;

    if (by == LOOKUP_ADDRESS)
        return trial_slot(like->address);
    for (; i < table->used; i++) {
        const struct lease *const lease = &table->leases[i];

        const bool matches =
            by == LOOKUP_HWADDR
                ? lease->hwaddr_length == like->hwaddr_length &&
                      memcmp(lease->hwaddr, like->hwaddr, like->hwaddr_length) == 0
                : lease->client_id_length == like->client_id_length &&
                      memcmp(lease->client_id, like->client_id, like->client_id_length) == 0;

        if (table->there[i] && matches)
            break;
    }
    return i;
}

static enum outcome fake_find(struct session *session, enum lookup by, const struct lease *like,
                              struct lease *found, struct err *err)
{
    static const char letters[] = { 'A', 'H', 'C', 'N' };
    const bool by_address = by == LOOKUP_ADDRESS;
    const bool is_duid = by == LOOKUP_CLIENT_ID && like->type != LEASE_TYPE_V4;
    struct table *const table = session->table;

    (void)pthread_mutex_lock(&table->lock);
    const size_t i = look_up(table, by, like);
    const enum outcome outcome = find(session, is_duid ? 'L' : letters[by], i,
                                      by_address ? table->there[i] : i < table->used,
                                      by_address ? like->address : lease_address_v4(0), found, err);
    if (by_address && table->pending && outcome != OUTCOME_ERROR) {
        table->there[table->late_slot] = table->late_there;
        table->leases[table->late_slot] = table->late;
        table->pending = false;
    }
    (void)pthread_mutex_unlock(&table->lock);
    linger(table);
    return outcome;
}

static bool is_free(const struct table *table, size_t i)
{
    return !table->there[i] || table->leases[i].state == LEASE_STATE_RECLAIMED;
}

/* Puts a slot into the free list or takes it out, after a change. */
static void list_slot(struct table *table, size_t i)
{
    const bool free = is_free(table, i);

    if (i < table->listed && !(free ? table->stingy : table->forgetful))
        table->free[i] = free;
}

/* Creates a lease, rewrites it, if it expires when it should (expire_s), or
   removes it (after is NULL). */
static enum outcome change(struct session *session, char letter, struct lease_address address,
                           const struct lease *after, const int64_t *expire_s, struct err *err)
{
    struct table *const table = session->table;
    const size_t i = trial_slot(address);
    enum outcome outcome = OUTCOME_MISS;

    (void)pthread_mutex_lock(&table->lock);
    const enum trick trick = due(session, letter);
    const bool is_right = expire_s == NULL
                              ? !table->there[i] || table->overwrites
                              : table->there[i] && lease_expire_s(&table->leases[i]) == *expire_s;
    if (trick != TRICK_NONE)
        table->address = address;
    if (ends_transaction(trick))
        undo(session);
    if (trick == TRICK_VANISH_LATE) {
        table->pending = true;
        table->late_slot = i;
        table->late_there = after != NULL;
        table->late = after != NULL ? *after : table->leases[i];
    }
    if (table->old && letter == 'I' && after->state == LEASE_STATE_RELEASED) {
        outcome = (enum outcome)err_set(err, "fake: foreign key");
    } else if (refuses(trick, err)) {
        outcome = OUTCOME_ERROR;
    } else if (trick == TRICK_PRETEND) {
        outcome = OUTCOME_HIT;
    } else if (trick != TRICK_LIE && is_right) {
        if (session->changed < UNDO_MAX)
            session->undo[session->changed] = (struct undo){ i, table->there[i], table->leases[i] };
        session->changed++;
        table->extra += trick == TRICK_TWICE;
        if (after != NULL)
            table->leases[i] = *after;
        table->used = i < table->used ? table->used : i + 1;
        if (trick == TRICK_ALTER)
            table->field = lease_change(&table->leases[i], table->fault.change);
        table->there[i] = after != NULL && trick != TRICK_LOSE;
        list_slot(table, i);
        outcome = OUTCOME_HIT;
    }
    write_down(session, letter, outcome);
    outcome = (enum outcome)heard(trick, outcome, err);
    (void)pthread_mutex_unlock(&table->lock);
    linger(table);
    return outcome;
}

static enum outcome fake_create(struct session *session, const struct lease *lease, struct err *err)
{
    return change(session, 'I', lease->address, lease, NULL, err);
}

static enum outcome fake_update(struct session *session, const struct lease *lease,
                                int64_t expire_s, struct err *err)
{
    return change(session, 'U', lease->address, lease, &expire_s, err);
}

static enum outcome fake_remove(struct session *session, struct lease_address address,
                                int64_t expire_s, struct err *err)
{
    return change(session, 'D', address, NULL, &expire_s, err);
}

static int by_expire(const void *a, const void *b)
{
    const int64_t x = lease_expire_s(a);
    const int64_t y = lease_expire_s(b);

    return (x > y) - (x < y);
}

static int fake_list_expired(struct session *session, int64_t now_s, size_t limit,
                             struct lease *found, size_t *count, struct err *err)
{
    struct table *const table = session->table;
    struct lease *const all = calloc(SLOTS, sizeof *all);
    size_t expired = 0;

    assert_non_null(all);
    (void)pthread_mutex_lock(&table->lock);
    const enum trick trick = due(session, 'E');
    for (size_t i = 0; i < SLOTS; i++) {
        if (table->there[i] && table->leases[i].state != LEASE_STATE_RECLAIMED &&
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
    write_down(session, 'E', OUTCOME_HIT);
    (void)pthread_mutex_unlock(&table->lock);
    return refuses(trick, err) ? -1 : heard(trick, 0, err);
}

static int fake_purge(struct session *session, int64_t before_s, uint64_t *purged, struct err *err)
{
    struct table *const table = session->table;

    *purged = 0;
    (void)pthread_mutex_lock(&table->lock);
    const enum trick trick = due(session, 'P');
    for (size_t i = 0; i < SLOTS && !refuses(trick, err); i++) {
        if (table->there[i] && table->leases[i].state == LEASE_STATE_RECLAIMED &&
            lease_expire_s(&table->leases[i]) < before_s) {
            /* Pretending is to count without removing. */
            table->there[i] = trick == TRICK_PRETEND;
            ++*purged;
        }
    }
    if (trick == TRICK_FEWER)
        --*purged;
    write_down(session, 'P', OUTCOME_HIT);
    (void)pthread_mutex_unlock(&table->lock);
    return refuses(trick, err) ? -1 : heard(trick, 0, err);
}

static int fake_read_counters(struct session *session, enum counters which,
                              struct lease_counts *counts, struct err *err)
{
    struct table *const table = session->table;
    const enum trick trick = due(session, 'K');
    const struct lease_kind spoilt = { .subnet_id = 3, .type = LEASE_TYPE_V4 };

    for (size_t i = 0; i < SLOTS; i++) {
        const struct lease *const lease = &table->leases[i];
        const struct lease_kind kind = { .subnet_id = lease->subnet_id,
                                         .pool_id = lease->pool_id,
                                         .type = lease->type,
                                         .state = lease->state };

        if (table->there[i])
            assert_int_equal(lease_counts_add(counts, &kind, 1), 0);
    }
    if (trick == TRICK_MORE || trick == TRICK_FEWER)
        assert_int_equal(lease_counts_add(counts, &spoilt, trick == TRICK_MORE ? 1 : -1), 0);
    return answer(session, trick, err);
}

static const struct reservation *find_reservation(const struct table *table,
                                                  const struct reservation_key *key)
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

static enum outcome fake_add_reservation(struct session *session, const struct reservation_key *key,
                                         struct lease_address address, struct err *err)
{
    struct table *const table = session->table;

    assert_true(session->grouped && table->reserved < RESERVATIONS);
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
                                          struct lease_address *address, struct err *err)
{
    struct table *const table = session->table;
    const char letter = key->type == RESERVATION_BY_HWADDR ? 'R' : 'S';

    (void)pthread_mutex_lock(&table->lock);
    const enum trick trick = due(session, letter);
    const struct reservation *const found = find_reservation(table, key);
    bool hit = found != NULL;
    if (hit)
        *address = found->address;
    if (trick == TRICK_ALTER)
        address->low++;
    if (trick == TRICK_LIE)
        hit = !hit;
    write_down(session, letter, hit ? OUTCOME_HIT : OUTCOME_MISS);
    (void)pthread_mutex_unlock(&table->lock);
    return refuses(trick, err) ? OUTCOME_ERROR
                               : (enum outcome)heard(trick, hit ? OUTCOME_HIT : OUTCOME_MISS, err);
}

static int fake_make_free_list(struct session *session, struct lease_address first, uint64_t count,
                               struct err *err)
{
    struct table *const table = session->table;

    (void)err;
    assert_int_equal(trial_slot(first), 0);
    for (size_t i = 0; i < SLOTS; i++)
        table->free[i] = i < count && is_free(table, i);
    table->listed = count;
    table->picked = 0;
    return 0;
}

static enum outcome fake_pick_free(struct session *session, struct lease_address first,
                                   uint64_t count, struct lease_address *address, struct err *err)
{
    struct table *const table = session->table;
    size_t i = 0;

    (void)pthread_mutex_lock(&table->lock);
    const enum trick trick = due(session, CALL_PICK);
    while (i < count && !table->free[(table->picked + i) % count])
        i++;
    const size_t slot = (table->picked + i) % count;
    table->picked = slot + 1;
    *address = lease_address_v4((uint32_t)(first.low + (trick == TRICK_ALTER ? count : slot)));
    (void)pthread_mutex_unlock(&table->lock);
    linger(table);
    return refuses(trick, err)
               ? OUTCOME_ERROR
               : (enum outcome)heard(trick, i < count ? OUTCOME_HIT : OUTCOME_MISS, err);
}

static int fake_count_free(struct session *session, uint64_t *free, uint64_t *leased,
                           struct err *err)
{
    struct table *const table = session->table;
    const enum trick trick = due(session, CALL_COUNT_FREE);

    *free = *leased = 0;
    for (size_t i = 0; i < SLOTS; i++) {
        *free += table->free[i];
        *leased += table->free[i] && !is_free(table, i);
    }
    *free -= trick == TRICK_FEWER;
    return answer(session, trick, err);
}

static void write_mark(struct table *table, char mark)
{
    if (!table->quiet && table->length + 1 < RECORD_SIZE)
        table->record[table->length++] = mark;
}

/* The expiry that a lease has now: of the lease that a procedure has read. */
static int64_t expiry_of(const struct table *table, struct lease_address address)
{
    return lease_expire_s(&table->leases[trial_slot(address)]);
}

/* A search by address behind a pick is for what was picked. */
static enum outcome ask_one(struct session *session, const struct question *question,
                            const struct lease *picked, struct err *err)
{
    const struct lease *const lease = question->lease;
    const bool of_pick = picked != NULL && question->by == LOOKUP_ADDRESS;

    switch (question->kind) {
    case QUESTION_PICK:
        return fake_pick_free(session, lease->address, question->count, &question->found->address,
                              err);
    case QUESTION_FIND:
        return fake_find(session, question->by, of_pick ? picked : lease, question->found, err);
    case QUESTION_CREATE:
        return fake_create(session, lease, err);
    case QUESTION_UPDATE:
        return fake_update(session, lease, expiry_of(session->table, lease->address), err);
    case QUESTION_REMOVE:
        return fake_remove(session, lease->address, expiry_of(session->table, lease->address), err);
    }
    return OUTCOME_ERROR;
}

/* The questions of a round trip are in brackets. */
static int fake_ask(struct session *session, enum packet packet, struct question *questions,
                    size_t count, struct err *err)
{
    const struct lease *picked = NULL;
    int status = 0;

    write_mark(session->table, '(');
    for (size_t i = 0; i < count && status == 0; i++) {
        assert_true(packet != PACKET_NONE || questions[i].kind == QUESTION_FIND);
        questions[i].outcome = ask_one(session, &questions[i], picked, err);
        if (questions[i].kind == QUESTION_PICK)
            picked = questions[i].found;
        status = questions[i].outcome == OUTCOME_ERROR ? -1 : 0;
    }
    write_mark(session->table, ')');
    return status;
}

static enum outcome fake_catch_up(struct session *session, struct err *err)
{
    undo(session);
    return session->table->behind ? OUTCOME_HIT : OUTCOME_MISS;
}

const struct backend fake_store = {
    .name = "fake",
    .keeps_leases = true,
    .session_open = fake_session_open,
    .session_close = fake_session_close,
    .reset = fake_reset,
    .count = fake_count,
    .read_counters = fake_read_counters,
    .create = fake_create,
    .find = fake_find,
    .update = fake_update,
    .remove = fake_remove,
    .add_reservation = fake_add_reservation,
    .find_reservation = fake_find_reservation,
    .list_expired = fake_list_expired,
    .purge_reclaimed = fake_purge,
    .make_free_list = fake_make_free_list,
    .pick_free = fake_pick_free,
    .count_free = fake_count_free,
    .ask_together = fake_ask,
    .begin = fake_begin,
    .commit = fake_commit,
    .catch_up = fake_catch_up,
};

struct load_config trial_config(const char *mix, enum lease_family family, uint64_t count)
{
    struct load_config config = {
        .count = count,
        .preload = 50,
        .seed = 1,
        .threads = 1,
        .batch = 1,
        .latency = true,
        .family = family,
        .candidates = 1,
    };
    struct err err = { 0 };

    if (mix_parse(mix, family, &config.mix, &err) != 0)
        fail_msg("%s: %s", mix, err.text);
    return config;
}

struct store_trial *trial_new(const struct fault *fault)
{
    struct store_trial *const trial = calloc(1, sizeof *trial);

    assert_non_null(trial);
    (void)pthread_mutex_init(&trial->table.lock, NULL);
    trial->table.progress = &trial->progress;
    trial->table.refusal = ERR_LOST;
    if (fault != NULL)
        trial->table.fault = *fault;
    trial->store.table = &trial->table;
    for (size_t i = 0; i < SESSIONS; i++)
        trial->sessions[i] = fake_session_open(&trial->store, &trial->err);
    return trial;
}

void trial_free(struct store_trial *trial)
{
    for (size_t i = 0; i < SESSIONS; i++)
        fake_session_close(trial->sessions[i]);
    load_result_release(&trial->result);
    (void)pthread_mutex_destroy(&trial->table.lock);
    free(trial);
}

static enum load_end run_on(struct store_trial *trial, const struct workload *workload,
                            const struct load_config *config, const struct backend *backend,
                            uint64_t reconnect_ns)
{
    const struct load_context context = { .backend = backend,
                                          .store = &trial->store,
                                          .sessions = trial->sessions,
                                          .progress = &trial->progress,
                                          .reconnect_ns = reconnect_ns };

    trial->end = workload_run(workload, config, &context, &trial->result, &trial->err);
    return trial->end;
}

enum load_end trial_run_on(struct store_trial *trial, const struct workload *workload,
                           const struct load_config *config, uint64_t reconnect_ns)
{
    return run_on(trial, workload, config, &fake_store, reconnect_ns);
}

struct store_trial *trial_run_exchanges(const struct load_config *config, const struct fault *fault)
{
    struct store_trial *const trial = trial_new(fault);

    (void)trial_run_on(trial, &workload_exchanges, config, 0);
    return trial;
}

/* Everything at once, each exchange often. */
static const char all_v4[] =
    "dora=20,dora-known=10,renew=20,init-reboot=10,release=5,release-delete=5,"
    "decline=5,reclaim=200,purge=500";
static const char all_v6[] = "sarr=30,renew=30,release=5,release-delete=5,decline=5,reclaim=200,"
                             "purge=500";

struct load_config trial_busy(enum lease_family family)
{
    struct load_config config =
        trial_config(family == LEASE_FAMILY_V4 ? all_v4 : all_v6, family, 100);

    config.candidates = 2;
    return config;
}

/* The phases */

const struct load_config usual_phases = {
    .count = LEASES,
    .seed = 1,
    .threads = 1,
    .batch = 1,
    .latency = true,
    .profile = LEASE_PROFILE_TYPICAL,
    .phases = { .hit_ratio = 0.9 },
};

static struct store_trial *run(const struct workload *workload, const struct load_config *config,
                               const struct backend *backend, const struct fault *fault,
                               size_t thread)
{
    struct store_trial *const trial = trial_new(fault);

    assert_in_range(config->threads, 1, SESSIONS);
    trial->table.whole = true;
    trial->table.thread = thread + 1;
    (void)run_on(trial, workload, config, backend, 0);
    return trial;
}

struct store_trial *trial_run(const struct load_config *config, const struct backend *backend,
                              const struct fault *fault)
{
    return run(&workload_phases, config, backend, fault, 0);
}

struct store_trial *trial_run_load(const struct workload *workload,
                                   const struct load_config *config, const struct fault *fault,
                                   size_t thread)
{
    return run(workload, config, &fake_store, fault, thread);
}

uint64_t trial_calls(const struct store_trial *trial, int letter)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < SESSIONS; i++)
        sum += trial->sessions[i]->calls[letter == CALL_FIND ? 'A' : letter];
    return sum;
}

uint64_t trial_digest(const struct load_config *config, const struct backend *backend)
{
    struct store_trial *const trial = trial_run(config, backend, NULL);
    const uint64_t sum = trial->result.digest;

    assert_int_equal(trial->end, LOAD_DONE);
    trial_free(trial);
    return sum;
}

void check_thread(const struct load_config *config, const struct fault *fault, size_t thread,
                  enum load_end end, const char *format)
{
    struct store_trial *const trial = trial_run_load(&workload_phases, config, fault, thread);
    const char *const place = strstr(format, "%s");
    char address[LEASE_ADDRESS_TEXT_SIZE];
    char wanted[256];

    (void)lease_address_text(address, trial->table.address, LEASE_TYPE_V4);
    if (place != NULL)
        (void)snprintf(wanted, sizeof wanted, "%.*s%s%s", (int)(place - format), format, address,
                       place + 2);
    else
        (void)snprintf(wanted, sizeof wanted, "%s", format);
    check_text(format, trial->err.text, wanted);
    check_number(format, trial->end, end);
    trial_free(trial);
}

void check_fault(const struct load_config *config, const struct fault *fault, enum load_end end,
                 const char *format)
{
    check_thread(config, fault, 0, end, format);
}
