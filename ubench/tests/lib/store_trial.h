/* SPDX-License-Identifier: ISC */
/*
 * A store that writes down what it is asked, a correct one that does a trick if
 * it is told to; and loads that run on it.
 */
#ifndef UBENCH_TESTS_LIB_STORE_TRIAL_H
#define UBENCH_TESTS_LIB_STORE_TRIAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/exchange/plan.h"
#include "load/openloop/open_result.h"
#include "load/operations/operations.h"
#include "load/workloads.h"

enum {
    SLOTS = 16384,
    RECORD_SIZE = 1024,
    SESSIONS = 7,
    STALL_MS = 30,
    RESERVATIONS = 64,
    LEASES = 50,
    UNDO_MAX = 16,
};

enum trick {
    TRICK_NONE,
    TRICK_LIE,      /* does nothing, and answers the opposite */
    TRICK_PRETEND,  /* does nothing, and answers HIT */
    TRICK_ALTER,    /* one field of the lease is another */
    TRICK_LOSE,     /* does it, and loses the lease; a commit loses the transaction */
    TRICK_TWICE,    /* creates it twice */
    TRICK_FEWER,    /* one lease of several is left out */
    TRICK_MORE,     /* or counted twice */
    TRICK_FAIL,     /* answers ERROR */
    TRICK_BUSY,     /* the same, and the session lives on */
    TRICK_FULL,     /* the same, for want of room */
    TRICK_DEADLOCK, /* the same, in favour of somebody else; ends the transaction */
    TRICK_CONFLICT, /* the same, on another node */
    TRICK_STALL,    /* sleeps, then does it */
    TRICK_STOP,     /* does it, and somebody presses ^C */
    TRICK_DOUBT,    /* does it, and its answer does not come */
    /* Each session is lost ... */
    TRICK_VANISH,      /* ... and nothing was done */
    TRICK_VANISH_DONE, /* ... after it was done, and without a word */
    TRICK_VANISH_LATE, /* ... and it will be done once it was looked for */
};

/* Letters of questions.  There are others, in table.record. */
enum {
    CALL_CREATE = 'I',
    CALL_UPDATE = 'U',
    CALL_REMOVE = 'D',
    CALL_COUNT = '#',
    CALL_READ_COUNTERS = 'K',
    CALL_BEGIN = 'B',
    CALL_COMMIT = 'T',
    CALL_RESET = '0',
    CALL_PICK = 'P',
    CALL_COUNT_FREE = 'F',
    /* For a fault: searches by address that should hit, or miss. */
    CALL_FIND = 'a',
    CALL_FIND_NONE = 'm',
    /* All but those that begin and end transactions and reset. */
    ANY_LETTER = '*',
};

/* This trick in the at-th question (from 1) with that letter, once the preload
   is there. */
struct fault {
    int letter;
    enum trick trick;
    uint64_t at;
    int change; /* TRICK_ALTER: which field */
};

/* The store: a slot for each address. */
struct table {
    pthread_mutex_t lock;
    bool there[SLOTS];
    struct lease leases[SLOTS];
    size_t used; /* those behind never had a lease */
    size_t reserved;
    struct reservation {
        struct reservation_key key; /* its bytes are below */
        uint8_t identifier[LEASE_HWADDR_MAX];
        struct lease_address address;
    } reservations[RESERVATIONS];
    bool quiet;               /* nothing is written down any more */
    bool behind;              /* a node that was, and says so */
    bool slow;                /* others can ask before a question is answered */
    bool overwrites;          /* a lease that is created where there is one already */
    bool free[SLOTS];         /* the free list ... */
    size_t listed;            /* ... of so many slots ... */
    size_t picked;            /* ... and the slot behind the latest pick */
    bool forgetful;           /* what is created stays in the free list */
    bool stingy;              /* what is given back stays out of it */
    bool old;                 /* refuses what is in LEASE_STATE_RELEASED */
    char record[RECORD_SIZE]; /* letters of the questions, + HIT and - MISS */
    size_t length;
    struct fault fault;
    bool whole;                   /* the preload has questions, too */
    size_t thread;                /* whose questions count, from 1; 0: all */
    struct lease_address address; /* of the question with the trick ... */
    const char *field;            /* ... and which field it altered */
    uint64_t extra;               /* leases that were created twice */
    bool lasts;                   /* the trick: in each question after that, too */
    uint64_t asked;               /* questions with the fault's letter */
    bool done;                    /* the trick */
    unsigned generation;          /* older sessions are lost */
    unsigned refusals;            /* of new sessions from now on ... */
    unsigned refusals_due;        /* ... and once the others are lost */
    enum err_class refusal;
    bool stop_refused; /* and then somebody presses ^C */
    bool mortal;       /* then each session is lost with its first question */
    bool pending;      /* what TRICK_VANISH_LATE has left: */
    size_t late_slot;
    bool late_there;
    struct lease late;
    struct progress *progress;
};

struct session {
    struct table *table;
    unsigned generation;
    size_t number;       /* from 1 */
    uint64_t calls[128]; /* by letter */
    bool grouped;        /* in a transaction, of the preload mostly */
    uint64_t changed;    /* in this transaction, or since the last one */
    uint64_t committed;  /* changes */
    struct undo {        /* how it was before the first ones */
        size_t slot;
        bool there;
        struct lease lease;
    } undo[UNDO_MAX];
};

struct store {
    struct table *table;
    size_t opened; /* sessions */
};

extern const struct backend fake_store;
extern const struct backend null_backend; /* keeps nothing, and says so */

/* Where it keeps the lease with that address. */
size_t trial_slot(struct lease_address address);

/* One run: what went in and what came out. */
struct store_trial {
    struct progress progress;
    struct table table;
    struct store store;
    struct session *sessions[SESSIONS];
    struct load_result result;
    enum load_end end;
    struct err err;
};

/* The config of a mix, by name or as text; fails the test if there is none such. */
struct load_config trial_config(const char *mix, enum lease_family family, uint64_t count);

/* Everything at once, each exchange often. */
struct load_config trial_busy(enum lease_family family);

/* The fault may be NULL. */
struct store_trial *trial_new(const struct fault *fault);
void trial_free(struct store_trial *trial);

/* Runs a workload on it, and connects again for so long; returns its end. */
enum load_end trial_run_on(struct store_trial *trial, const struct workload *workload,
                           const struct load_config *config, uint64_t reconnect_ns);

/* A new one, that ran exchanges; the caller frees it. */
struct store_trial *trial_run_exchanges(const struct load_config *config,
                                        const struct fault *fault);

/* LEASES of them, in one thread, without a preload. */
extern const struct load_config usual_phases;

/* A new one, that ran phases on fake_store or another; the caller frees it.
   The fault, which may be NULL, is that of the first thread, also during the
   preload. */
struct store_trial *trial_run(const struct load_config *config, const struct backend *backend,
                              const struct fault *fault);

/* The same of phases or churn, with the fault in any thread. */
struct store_trial *trial_run_load(const struct workload *workload,
                                   const struct load_config *config, const struct fault *fault,
                                   size_t thread);

/* Questions with that letter in all sessions. */
uint64_t trial_calls(const struct store_trial *trial, int letter);

/* The result of a run without a fault. */
uint64_t trial_digest(const struct load_config *config, const struct backend *backend);

/* Fails the test unless a run with a fault in one thread ends so, with that
   message, where %s is the address with which the store cheated. */
void check_thread(const struct load_config *config, const struct fault *fault, size_t thread,
                  enum load_end end, const char *format);

/* The same for the first thread. */
void check_fault(const struct load_config *config, const struct fault *fault, enum load_end end,
                 const char *format);

#endif
