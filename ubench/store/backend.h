/* SPDX-License-Identifier: ISC */
/*
 * The contract with a store.
 *
 * The harness owns the loop, the clock, the data and the checking.  A store is
 * one directory: it performs one operation on one lease and says what happened.
 * To add a store, copy null.c and see docs/internals.md.
 */
#ifndef UBENCH_STORE_BACKEND_H
#define UBENCH_STORE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/durability.h"
#include "core/err.h"
#include "core/opt.h"
#include "core/properties.h"
#include "lease/lease.h"
#include "lease/lease_counts.h"

/* An open store, and what one worker thread uses of it (a connection, a handle,
   a view).  Each backend defines its own. */
struct store;
struct session;

/* Stores that use SQL have them: see store/sql/session.h and store/statement_file.h. */
struct sql_dialect;
struct sql_file;

/* How one operation on one lease ended. */
enum outcome {
    OUTCOME_ERROR = -1, /* the store failed; err says why */
    OUTCOME_MISS = 0,   /* no lease was touched: taken, or not there */
    OUTCOME_HIT = 1,    /* exactly one lease was touched */
};

/* The ways to look for a lease, and what it is compared by. */
enum lookup {
    LOOKUP_ADDRESS, /* with the type */
    LOOKUP_HWADDR,
    LOOKUP_CLIENT_ID, /* IPv6: the DUID, with IAID and type */
    LOOKUP_IN_SUBNET, /* IPv6 alone: the same in the lease's subnet, by Kea's
                         statement for that */
};

/* The values of --sync; the last four name a class. */
enum sync_level {
    SYNC_YES,    /* power-safe */
    SYNC_NO,     /* the store's customary asynchronous setting */
    SYNC_SERVER, /* change nothing; report the class that is there */
    SYNC_VOLATILE,
    SYNC_PROCESS_SAFE,
    SYNC_BOUNDED,
    SYNC_POWER_SAFE,
};
#define SYNC_BIT(level) (1u << (level))

enum schema {
    SCHEMA_LEAN,      /* Kea's main columns, one key: the address (as in 2012) */
    SCHEMA_KEA,       /* all columns and secondary indexes of Kea's lease4 */
    SCHEMA_KEA_STATS, /* with read_counters: and Kea's counters, by trigger */
};

/* The ways to count leases. */
enum counters {
    COUNTERS_BY_SUBNET,
    COUNTERS_BY_POOL,   /* of each subnet */
    COUNTERS_OF_LEASES, /* no counters: the leases themselves are counted */
};

/* The kinds of stores, or-ed; a runner's options depend on them. */
enum opt_scope {
    OPT_SCOPE_ALL = 0,
    OPT_SCOPE_FILE = 1,    /* keeps its leases in a file of the user's */
    OPT_SCOPE_SQL = 2,     /* speaks SQL */
    OPT_SCOPE_SERVER = 4,  /* connects to a server */
    OPT_SCOPE_ENGINE = 8,  /* has storage engines to choose from */
    OPT_SCOPE_STORES = 16, /* keeps leases: all but null */
    OPT_SCOPE_SHARED = 32, /* processes on several machines can use it */
};

/* How far open has come, and so how a caller can end it early. */
enum open_stage {
    OPEN_CONNECTING, /* nothing has been changed: end the process */
    OPEN_WORKING,    /* call cancel(store) */
    OPEN_FAILED,     /* wait; the store must not be called any more */
};

/* For open.  Texts belong to the caller and outlive the store; NULL: not given.
 */
struct store_config {
    enum lease_family family; /* of all its leases */
    const char *target;       /* file or database */
    const char *host;         /* or a path, or a list: server/connection.h */
    uint64_t port;            /* 0: the server's customary one */
    const char *user;
    const char *password;
    uint64_t connect_timeout_s;
    uint64_t read_timeout_s; /* for one answer; 0: wait for ever */
    const char *engine;
    enum sync_level sync;
    enum schema schema;
    uint64_t subnets;                    /* that there will be leases of, from 1 up; 0 is 1 */
    uint64_t threads;                    /* that will have a session each; 0 is 1 */
    int compiled;                        /* prepare statements once, in open; an option's 0 or 1 */
    bool alone;                          /* one session will change leases, each by itself */
    bool reservations;                   /* there will be some: allocate space; IPv4 alone */
    bool keep;                           /* open the leases that are there; empty nothing */
    bool joins;                          /* the same, to change them, too, beside a process that
                                            has opened the store; with OPT_SCOPE_SHARED */
    bool no_option_files;                /* of MySQL's client library, as ~/.my.cnf ... */
    const char *ca_file;                 /* ... but for this; or NULL */
    const struct opt_settings *settings; /* --set, never NULL; applied last */
    const struct sql_file *statements;   /* of --sql; NULL: none */
    /* Optional.  Called by open, in the caller's thread, at each stage;
       OPEN_FAILED comes before a store that was OPEN_WORKING is freed. */
    void (*on_progress)(void *context, enum open_stage stage, struct store *store);
    void *on_progress_context;
    /* Optional.  Called likewise, with a sentence on what an earlier run has
       left and this one has put right. */
    void (*on_notice)(const char *text);
};

/* For open.  A store that never waits for another process need not call it. */
static inline void store_report_progress(const struct store_config *config, enum open_stage stage,
                                         struct store *store)
{
    if (config->on_progress != NULL)
        config->on_progress(config->on_progress_context, stage, store);
}

/* The parts of this contract that a store does not keep, or-ed. */
enum store_lack {
    STORE_LACKS_POOLS = 1,       /* pool_id comes back as 0 */
    STORE_LACKS_HOSTNAMES = 2,   /* only ASCII, which comes back in lower case */
    STORE_LACKS_OLD_EXPIRE = 4,  /* update and remove compare no expire_s */
    STORE_LACKS_V6_HWADDR = 8,   /* with IPv6 LOOKUP_HWADDR is an ERROR */
    STORE_LACKS_V6_TAKEN = 16,   /* create is a HIT, and stores nothing, if a
                                    lease of another type has the address */
    STORE_LACKS_V6_NO_DUID = 32, /* a lease without one is an ERROR; a declined
                                    one comes back with a zero */
};

/* The work that a store has done so far, for all that use it. */
struct store_use {
    uint64_t fdatasyncs;      /* of its file by this process */
    uint64_t server_syncs;    /* of any of its server's files */
    uint64_t log_bytes;       /* written to the logs of its server's changes */
    uint64_t scanned;         /* rows that it read without an index */
    struct properties *facts; /* gets how indexes were used since it was NULL */
};

struct backend {
    /* Required.  "sqlite": in reports, messages and the program's name. */
    const char *name;

    /* Required of stores with a target.  The default of -f. */
    const char *default_target;

    const char *default_v6_target; /* with --ipv6; NULL: the same */

    /* Optional.  Endings of the names of files that the store makes and removes
       beside its own; the last is NULL. */
    const char *const *beside;

    unsigned scope;       /* enum opt_scope, or-ed */
    unsigned sync_levels; /* SYNC_BIT of each level that it has */
    bool keeps_leases;    /* false: answers cannot be checked (null) */
    bool one_schema;      /* SCHEMA_KEA alone */
    bool no_batch;        /* begin and commit do nothing: no --batch above 1 */

    /* The leases that it can hold, where that is less than a lease can say. */
    int64_t expire_least_s; /* Unix seconds */
    int64_t expire_most_s;  /* 0: any */
    bool utf8_hostnames;    /* UTF-8 without NUL; else any bytes */
    size_t client_id_least; /* bytes of a client-id or DUID, if it has one */
    size_t client_id_most;  /* 0: any */

    /* Optional.  The names of its server's processes as the kernel knows them,
       with blanks around each: what they use is the run's work. */
    const char *server_processes;

    /* --set says where the leases are: open gets it with keep, too. */
    bool set_says_where;

    /* Optional: NULL means that it is as its scope says.  The store whose
       server it connects to with these settings, or NULL. */
    const char *(*server)(const struct opt_settings *settings);

    /* Optional.  What --help says of --set and --sync. */
    const char *settings_help;
    const char *sync_help;

    /* Optional.  Writes its library's version, for --version. */
    void (*library)(char *text, size_t size);

    /*
     * Required.  Refuses, and changes nothing, where it finds what ubench did
     * not make; else makes what is missing, empties it, applies the durability
     * and then the settings, and reads all of them back.  NULL with err on
     * failure, and then nothing is left behind that was not there before.
     *
     * With keep it makes and empties nothing: it opens the leases that are
     * there, recovering them if need be, for searches, count and check alone.
     * The caller asks for SYNC_SERVER and, unless set_says_where, no settings.
     * NULL with ERR_CORRUPT if they are there and cannot be read.
     *
     * With joins it makes, empties and locks nothing, and reads back what the
     * first process has set for all sessions.
     */
    struct store *(*open)(const struct store_config *config, struct err *err);

    /* Required.  Restores what open changed, and frees everything.  NULL is
       fine.  Returns 0, or -1 with err if something could not be restored. */
    int (*close)(struct store *store, struct err *err);

    /* Required.  Adds the properties of a result: versions, engine, settings
       read back.  The first one is the product: its name, and its version with
       a blank or a comma before anything else: "MariaDB", "10.11.19, InnoDB". */
    void (*describe)(const struct store *store, struct properties *properties);

    /* Required.  What a crash loses: adds the settings read back that decide it
       to a promise that is zeroed, and applies each limit that holds. */
    void (*durability)(const struct store *store, struct promise *promise);

    /* Required of stores with OPT_SCOPE_SQL; else NULL. */
    const struct sql_dialect *dialect;

    /* Optional.  The limits that durability applies, for --describe. */
    const struct durability_limit *limits;

    /* Required of servers; else NULL.  Looks whether the class is still what it
       was.  Called while its sessions are in use, from one other thread at a
       time.  Returns 0, also, with err, if the server cannot be asked now; or -1
       with err: a setting has changed, or another run has taken its place. */
    int (*check_class)(struct store *store, struct err *err);

    /* Optional: NULL means nothing.  Enum store_lack, or-ed; the conformance
       suite leaves that out. */
    unsigned (*lacks)(const struct store *store);

    /* Optional: NULL means not told.  Says whether what was acknowledged since
       the store was opened survives the loss of the server's machine.  Called
       while no check_class is. */
    enum node_loss (*node_loss)(struct store *store);

    /* Required.  One session per worker thread, with every statement prepared
       if config->compiled.  NULL with err on failure.  Sessions are closed
       before their store. */
    struct session *(*session_open)(struct store *store, struct err *err);
    void (*session_close)(struct session *session); /* NULL is fine */

    /* Required.  Removes all leases and reservations.  0, or -1 with err. */
    int (*reset)(struct session *session, struct err *err);

    /* Required.  Counts the leases by looking at each.  0, or -1 with err. */
    int (*count)(struct session *session, uint64_t *count, struct err *err);

    /* Optional.  Has the planner look at the leases now, and not by itself in
       the middle of what is timed.  Returns 0, or -1 with err. */
    int (*analyze)(struct session *session, struct err *err);

    /* Optional: NULL means that there is no --schema=kea+stats, with which
       alone it is called.  Adds to *counts how many leases there are of each
       kind, by subnet (then pool_id is 0) or by pool.  0, or -1 with err. */
    int (*read_counters)(struct session *session, enum counters which, struct lease_counts *counts,
                         struct err *err);

    /* Optional.  Looks whether what it holds is whole, and writes how, and what
       it found, in one line: "PRAGMA integrity_check: ok".  HIT: whole, as far
       as the store can see.  MISS: damaged. */
    enum outcome (*check)(struct session *session, char *text, size_t size, struct err *err);

    /*
     * The timed operations.  All are required, but for those of reservations.
     * They do not allocate, print, retry, or make SQL text where a prepared
     * statement was asked for.  On OUTCOME_ERROR err says why; otherwise it is
     * not touched.  Unless grouped by begin and commit, an operation that
     * returned HIT is as durable as the store's class says.
     */

    /* Stores a lease of the store's family.  MISS: the address is taken;
       nothing was changed. */
    enum outcome (*create)(struct session *session, const struct lease *lease, struct err *err);

    /* Looks for the lease that agrees with like in what by names, and returns
       all of it in *found, another struct: undefined after MISS, and so is what
       IPv4 leases do not have.  like->type is always that of the lease:
       LEASE_TYPE_V4 in a store of that family.  Two leases of one client are an ERROR.  An
       identifier that is empty, or too long for a lease, is a MISS. */
    enum outcome (*find)(struct session *session, enum lookup by, const struct lease *like,
                         struct lease *found, struct err *err);

    /* Rewrites all fields of the lease at lease->address if it still expires
       at expire_s: Kea's optimistic lock.  MISS: not there, or changed since.
     */
    enum outcome (*update)(struct session *session, const struct lease *lease, int64_t expire_s,
                           struct err *err);

    /* Removes the lease at address if it still expires at expire_s, as Kea
       does.  MISS: not there, or changed since. */
    enum outcome (*remove)(struct session *session, struct lease_address address, int64_t expire_s,
                           struct err *err);

    /* Puts the leases that expired before now_s and are not yet reclaimed
       into found, at most limit, the one that expired first in front.  The
       order among equals is open.  Returns 0, or -1 with err. */
    int (*list_expired)(struct session *session, int64_t now_s, size_t limit, struct lease *found,
                        size_t *count, struct err *err);

    /* Removes all leases in LEASE_STATE_RECLAIMED that expired before
       before_s.  Returns 0, or -1 with err. */
    int (*purge_reclaimed)(struct session *session, int64_t before_s, uint64_t *purged,
                           struct err *err);

    /*
     * Optional: NULL, both of them, means that there is no --hosts.  Called if
     * config->reservations was set: all are added, in groups, before the first
     * is looked for.  No durability class is promised for them.  add: HIT, or
     * MISS if the key is taken.  find: Kea's look-up by identifier type,
     * identifier and subnet; HIT gives the reserved address.
     */
    enum outcome (*add_reservation)(struct session *session, const struct reservation_key *key,
                                    struct lease_address address, struct err *err);
    enum outcome (*find_reservation)(struct session *session, const struct reservation_key *key,
                                     struct lease_address *address, struct err *err);

    /* Required.  The changes between them become durable together, at commit.
       Not nested.  Closing a session before commit may lose them.  A store
       without transactions returns 0.  Returns 0, or -1 with err. */
    int (*begin)(struct session *session, struct err *err);
    int (*commit)(struct session *session, struct err *err);

    /* Optional: for sessions on several nodes.  Undoes a transaction that is
       open, and waits until the session's node has all that others have
       acknowledged.  HIT; MISS if each answer waits for that by itself. */
    enum outcome (*catch_up)(struct session *session, struct err *err);

    /* Required of servers, else NULL.  One empty round trip to the server.
       Returns 0; 1 if this store has none; or -1 with err. */
    int (*ping)(struct session *session, struct err *err);

    /* Optional.  Writes a path in the folder that holds the leases, for the
       properties of its disk; "" if that is on another machine or unknown. */
    void (*data_path)(const struct store *store, char *path, size_t size);

    /* Optional.  Reads the numbers that it knows; no session is in use. */
    void (*used)(struct session *const *sessions, size_t count, struct store_use *use);

    /* Required of servers.  Called from another thread: operations in progress
       are to return OUTCOME_ERROR (ERR_CANCELED) soon.  Called again if they do
       not. */
    void (*cancel)(struct store *store);
};

/* The name of a member that is required and missing, or NULL. */
const char *backend_missing(const struct backend *backend);

/* The backend this program was linked with; named by runner.c and its parts. */
extern const struct backend the_backend;

#endif
