/* SPDX-License-Identifier: ISC */
/*
 * A store for the exchanges that writes down what it is asked, and does a trick
 * if it is told to; and runs on it.
 */
#ifndef UBENCH_TESTS_LIB_EXCHANGE_TRIAL_H
#define UBENCH_TESTS_LIB_EXCHANGE_TRIAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/exchange/exchanges.h"

enum {
    SLOTS = 16384,
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
    TRICK_FULL,     /* the same, for want of room */
    TRICK_DEADLOCK, /* the same, in favour of somebody else */
    TRICK_CONFLICT, /* the same, on another node */
    TRICK_STALL,    /* sleeps, then does it */
    TRICK_STOP,     /* does it, and somebody presses ^C */
    /* Each session is lost ... */
    TRICK_VANISH,      /* ... and nothing was done */
    TRICK_VANISH_DONE, /* ... after it was done, and without a word */
    TRICK_VANISH_LATE, /* ... and it will be done once it was looked for */
};

enum { ANY_LETTER = '*' };

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
    size_t used; /* those behind never had a lease */
    size_t reserved;
    struct reservation {
        struct reservation_key key; /* its bytes are below */
        uint8_t identifier[LEASE_HWADDR_MAX];
        struct lease_address address;
    } reservations[RESERVATIONS];
    bool quiet;               /* nothing is written down any more */
    bool grouped;             /* during the preload: nothing is written down */
    bool behind;              /* a node that was, and says so */
    bool old;                 /* refuses what is in LEASE_STATE_RELEASED */
    char record[RECORD_SIZE]; /* letters of the questions, + HIT and - MISS */
    size_t length;
    struct fault fault;
    bool lasts;            /* the trick: in each question after that, too */
    uint64_t asked;        /* questions with the fault's letter */
    bool done;             /* the trick */
    unsigned generation;   /* older sessions are lost */
    unsigned refusals;     /* of new sessions from now on ... */
    unsigned refusals_due; /* ... and once the others are lost */
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
};

struct store {
    struct table *table;
    size_t opened; /* sessions */
};

extern const struct backend fake_exchange_store;

/* Where it keeps the lease with that address. */
size_t trial_slot(struct lease_address address);

/* One run: what went in and what came out. */
struct exchange_trial {
    struct progress progress;
    struct table table;
    struct store store;
    struct session *sessions[SESSIONS];
    struct load_result result;
    enum load_end end;
    struct err err;
};

/* Of a mix, by name or as text; fails the test if there is none such. */
struct load_config trial_config(const char *mix, enum lease_family family,
                                uint64_t count);

/* Everything at once, each exchange often. */
struct load_config trial_busy(enum lease_family family);

/* The fault may be NULL. */
struct exchange_trial *trial_new(const struct fault *fault);
void exchange_trial_free(struct exchange_trial *trial);

/* Runs a workload on it; returns its end. */
enum load_end exchange_trial_run_on(struct exchange_trial *trial,
                                    const struct workload *workload,
                                    const struct load_config *config,
                                    struct reconnect *reconnect);

/* A new one, that was run; the caller frees it. */
struct exchange_trial *exchange_trial_run(const struct load_config *config,
                                          const struct fault *fault);

#endif
