/* SPDX-License-Identifier: ISC */
/*
 * A store made up for the phases, a correct one that does a trick if it is told
 * to; and runs of the phases on it.
 */
#ifndef UBENCH_TESTS_LIB_PHASE_TRIAL_H
#define UBENCH_TESTS_LIB_PHASE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/phases.h"

enum primitive {
    CALL_CREATE,
    CALL_FIND,
    CALL_UPDATE,
    CALL_REMOVE,
    CALL_COUNT,
    CALL_READ_COUNTERS,
    CALL_BEGIN,
    CALL_COMMIT,
    CALL_RESET,
    CALLS,
};

enum trick {
    TRICK_NONE,
    TRICK_MISS,    /* answers MISS and does nothing */
    TRICK_HIT,     /* finds a lease that is not there */
    TRICK_PRETEND, /* answers HIT and does nothing */
    TRICK_ALTER,   /* one field of the lease is another */
    TRICK_LOSE,    /* does it, and loses the lease */
    TRICK_TWICE,   /* creates it twice */
    TRICK_MORE,    /* counts one too many */
    TRICK_FEWER,   /* counts one too few */
    TRICK_FAIL,    /* answers ERROR */
    /* The same and ends the transaction: another one came first. */
    TRICK_CONFLICT,
    TRICK_MISSES, /* as TRICK_MISS, from then on */
    TRICK_STALL,  /* sleeps 50 ms, then does it */
    TRICK_STOP,   /* does it, and somebody presses ^C */
};

/* What goes wrong: this trick in the at-th call (from 1) of one primitive. */
struct fault {
    enum primitive primitive;
    enum trick trick;
    uint64_t at;
    int change; /* TRICK_ALTER: which field */
};

enum { STALL_MS = 50, SLOTS = 8192, LEASES = 50, SESSIONS = 7 };

/* The store: a slot for each address.  Threads work on different slots. */
struct table {
    bool there[SLOTS];
    struct lease leases[SLOTS];
};

struct session {
    struct table *table;
    struct progress *progress;
    struct fault fault;
    uint64_t calls[CALLS];
    struct lease_address address; /* of the call in which the trick was done */
    const char *field;
    uint64_t extra;       /* leases that were created twice */
    uint64_t changed;     /* since begin, or since ever */
    uint64_t committed;   /* changes */
    struct table *before; /* the transaction, if it is to be undone */
};

extern const struct backend fake_store;
extern const struct backend null_backend; /* keeps nothing, and says so */
/* As fake_store, on a node that has just been behind another. */
extern const struct backend cluster_store;

/* LEASES of them, in one thread, without a preload. */
extern const struct load_config usual_phases;

/* One run: what went in and what came out. */
struct trial {
    struct table table;
    struct session sessions[SESSIONS];
    struct progress progress;
    struct load_result result;
    struct err err;
    enum load_end end;
};

/* A new one, that was run; the caller frees it.  The fault, which may be NULL,
   is that of the first thread. */
struct trial *trial_run(const struct load_config *config,
                        const struct backend *backend,
                        const struct fault *fault);

/* The same with the fault in another thread. */
struct trial *trial_run_thread(const struct load_config *config,
                               const struct backend *backend,
                               const struct fault *fault, size_t thread);
/* The same of phases or churn. */
struct trial *trial_run_load(const struct workload *workload,
                             const struct load_config *config,
                             const struct backend *backend,
                             const struct fault *fault, size_t thread);
void trial_free(struct trial *trial);

/* Calls of one primitive in all sessions. */
uint64_t trial_calls(const struct trial *trial, enum primitive primitive);

/* Of a run without a fault. */
uint64_t trial_digest(const struct load_config *config,
                      const struct backend *backend);

/* Fails the test unless a run with a fault in one thread ends so, with that
   message, where %s is the address with which the store cheated. */
void check_thread(const struct load_config *config, const struct fault *fault,
                  size_t thread, enum load_end end, const char *format);

/* The same for the first thread. */
void check_fault(const struct load_config *config, const struct fault *fault,
                 enum load_end end, const char *format);

#endif
