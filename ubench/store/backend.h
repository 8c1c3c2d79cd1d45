/* SPDX-License-Identifier: ISC */
/*
 * The contract with a store.
 *
 * The harness owns the loop, the clock, the data and the checking.  A store is
 * one directory beside this file: it performs one operation on one lease
 * and returns what happened, and it never learns how many operations there will
 * be.  To add a store, copy null.c and see docs/internals.md.
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

/* A store that is open, and what one worker thread uses of it (a connection, a
   handle, a view).  Each backend defines its own. */
struct store;
struct session;

/* How one operation on one lease ended; the same for every operation. */
enum outcome {
    OUTCOME_ERROR = -1, /* the store failed; err says why */
    OUTCOME_MISS = 0,   /* no lease was touched: taken, or not there */
    OUTCOME_HIT = 1,    /* exactly one lease was touched */
};

/* What --sync asks for.  The last four ask for settings of that class. */
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
    SCHEMA_LEAN, /* Kea's main columns, one key: the address (as in 2012) */
    SCHEMA_KEA,  /* all columns and secondary indexes of Kea's lease4 */
    SCHEMA_KEA_STATS, /* and the counters that Kea keeps by trigger; for
                         backends with read_counters */
};

/* What leases are counted by. */
enum counters {
    COUNTERS_BY_SUBNET, /* the store's own counters */
    COUNTERS_BY_POOL,   /* those of pools: of each subnet's pools */
    COUNTERS_OF_LEASES, /* no counters: the leases themselves */
};

/* What kind of store it is, and so which rows of the option table its runner
   has. */
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

/* What open gets.  Texts belong to the caller and outlive the store; NULL: not
   given. */
struct store_config {
    enum lease_family family; /* of all its leases */
    const char *target;       /* file or database */
    const char *host; /* a path is a socket's folder or file; for the stores of
                         server/endpoints.h also a list */
    uint64_t port;    /* 0: the server's customary one */
    const char *user;
    const char *password;
    uint64_t connect_timeout_s;
    uint64_t read_timeout_s; /* for one answer; 0: wait for ever */
    const char *engine;
    enum sync_level sync;
    enum schema schema;
    uint64_t subnets;  /* that there will be leases of, from 1 up; 0 is 1 */
    uint64_t threads;  /* that will have a session each; 0 is 1 */
    bool compiled;     /* prepare statements once, in open */
    bool alone;        /* one session will change leases, each by itself */
    bool reservations; /* there will be some: allocate space for them; IPv4 alone */
    bool keep;         /* open the leases that are there; empty nothing */
    bool joins;        /* the same, to change them, too: another process has
                          opened the store and holds its lock; for stores with
                          OPT_SCOPE_SHARED */
    const struct opt_settings *settings; /* --set, never NULL; applied last */
    /* Optional: NULL means that the caller will not end open early.  Called by
       open, in the caller's thread, when it comes to a stage; OPEN_FAILED comes
       before a store that was OPEN_WORKING is freed. */
    void (*on_progress)(void *context, enum open_stage stage,
                        struct store *store);
    void *on_progress_context;
    /* Optional.  Called by open, in the caller's thread, with a sentence on
       what a run before has left and this one has put right. */
    void (*on_notice)(const char *text);
};

/* For open.  A store that never waits for another process need not call it. */
static inline void store_report_progress(const struct store_config *config,
                                         enum open_stage stage,
                                         struct store *store)
{
    if (config->on_progress != NULL)
        config->on_progress(config->on_progress_context, stage, store);
}

/* What a store does not do of what this contract says, or-ed. */
enum store_lack {
    STORE_LACKS_POOLS = 1,       /* pool_id comes back as 0 */
    STORE_LACKS_HOSTNAMES = 2,   /* of other than ASCII; all come back in lower
                                    case */
    STORE_LACKS_OLD_EXPIRE = 4,  /* update and remove compare no expire_s */
    STORE_LACKS_V6_HWADDR = 8,   /* of IPv6 find_by_hwaddr is an ERROR */
    STORE_LACKS_V6_NO_DUID = 32, /* a lease without one is an ERROR; if it is
                                    declined, it comes back with a zero */
    STORE_LACKS_V6_TAKEN = 16,   /* create is a HIT, and stores nothing, if a
                                    lease of another type has the address */
};

/* What a store has done so far, for all that use it. */
struct store_use {
    uint64_t fdatasyncs;   /* of its file by this process */
    uint64_t server_syncs; /* of any of its server's files */
    uint64_t log_bytes;    /* written to the logs of its server's changes */
    uint64_t scanned;      /* rows that its server read without an index */
};

/* backend_missing (below) finds members that are required and missing. */
struct backend {
    /* Required.  "sqlite": in reports, messages and the program's name. */
    const char *name;

    /* Required of stores with a target.  The default of -f. */
    const char *default_target;

    /* Optional: NULL means that --ipv6 has the same default. */
    const char *default_v6_target;

    /* Optional: endings of the file's name, of files that the store makes and
       removes beside it; the last is NULL. */
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

    /* Optional: NULL means that there is none.  The names of the processes of
       its server as the kernel knows them, with blanks around each: what they
       use is the run's work and not that of others. */
    const char *server_processes;

    /* --set says where the leases are: open gets it with keep, too. */
    bool set_says_where;

    /* Optional: NULL means that its scope says so.  The store whose server it
       connects to with these settings, or NULL. */
    const char *(*server)(const struct opt_settings *settings);

    /* Optional: NULL means that there is nothing to say of --set in --help,
       and nothing of its own of --sync. */
    const char *settings_help;
    const char *sync_help;

    /* Required.  Writes the version of the library that it is linked with, for
       --version. */
    void (*library)(char *text, size_t size);

    /*
     * Required.  Opens the store for one run.  Refuses, and changes nothing,
     * where it finds what ubench did not make; else creates what is missing,
     * empties it, applies the requested durability and then the settings, and
     * reads all of them back.  NULL with err on failure, and then nothing is
     * left behind that was not there before.
     *
     * With keep it makes and empties nothing: it opens the leases that are
     * there, recovering them if need be, for searches, count and check alone.
     * The caller asks for SYNC_SERVER and, unless set_says_where, no settings.
     * NULL with ERR_CORRUPT if they are there and cannot be read.
     *
     * With joins it makes, empties and locks nothing, and sets nothing that is
     * for all sessions: it reads back what the first process has set.
     */
    struct store *(*open)(const struct store_config *config, struct err *err);

    /* Required.  Restores the settings that open changed and frees everything.
       NULL is fine.  Returns 0, or -1 with err if something could not be
       restored. */
    int (*close)(struct store *store, struct err *err);

    /* Required.  Adds the properties of a result: versions, engine, settings
       read back.  The first one is the product: "SQLite", "3.40.1". */
    void (*describe)(const struct store *store, struct properties *properties);

    /* Required.  The class, computed from what was read back, and in text the
       settings that it was computed from: "journal_mode=wal, synchronous=2". */
    enum durability (*durability)(const struct store *store, char *text,
                                  size_t size);

    /* Required of servers, whose settings others can change; else NULL.  Looks
       whether the class is what it was when the store was opened.  Called
       while its sessions are in use, from one other thread at a time.  Returns
       0, also if the server cannot be asked now, or -1 with err, which names a
       setting that has changed, or says that another run has taken the place
       of this one while it was cut off. */
    int (*check_class)(struct store *store, struct err *err);

    /* Optional: NULL means nothing.  What this store does not do, enum
       store_lack or-ed; the conformance suite leaves it out. */
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

    /* Required.  Removes all leases and reservations.  Returns 0, or -1 with
       err. */
    int (*reset)(struct session *session, struct err *err);

    /* Required.  Counts the leases by looking at each; a number kept beside
       them would prove nothing.  Returns 0, or -1 with err. */
    int (*count)(struct session *session, uint64_t *count, struct err *err);

    /* Optional: NULL means nothing.  Has the planner look at the leases, as the
       store would by itself, but some time later, in the middle of what is
       timed.  Returns 0, or -1 with err. */
    int (*analyze)(struct session *session, struct err *err);

    /* Optional: NULL means that the store has no counters, and its runner no
       --schema=kea+stats.  Adds to *counts how many leases there are of each
       kind, by subnet (then pool_id is 0) or by pool.  Only with
       SCHEMA_KEA_STATS.  Returns 0, or -1 with err. */
    int (*read_counters)(struct session *session, enum counters which,
                         struct lease_counts *counts, struct err *err);

    /* Optional: NULL means that the store cannot check itself.  Lets it look
       whether what it holds is whole, and writes what it looked with and found,
       in one line: "PRAGMA integrity_check: ok".  HIT: whole, as far as the
       store can see.  MISS: damaged. */
    enum outcome (*check)(struct session *session, char *text, size_t size,
                          struct err *err);

    /*
     * The timed operations.  All are required, but for those of reservations.
     * They bind and run: no allocation by us, no printing, no retry that hides
     * time, no SQL text made where a prepared statement was asked for.  On
     * OUTCOME_ERROR err says why; otherwise err is not touched.  Unless grouped
     * by begin and commit, an operation that returned HIT is as durable as the
     * store's class says.
     */

    /* Stores a lease of the store's family.  MISS: the address is taken;
       nothing was changed. */
    enum outcome (*create)(struct session *session, const struct lease *lease,
                           struct err *err);

    /* Searches return the whole lease in *found; it is undefined after MISS,
       and so is what IPv4 leases do not have.  The harness gives each client
       one lease: two for one hwaddr, client-id or DUID and IAID are an ERROR.
       An identifier that is empty, or longer than a lease has room for, is a
       MISS.  Kea looks a v6 lease up by address and type; type is LEASE_TYPE_V4
       in a store of that family.  find_by_client_id is for v4 and find_by_duid
       for v6, where the DUID and the IAID identify the client.  For v6 Kea has
       two statements: a subnet_id other than LEASE_SUBNET_ANY asks for the one
       that finds leases of that subnet alone. */
    enum outcome (*find_by_address)(struct session *session,
                                    struct lease_address address,
                                    enum lease_type type, struct lease *found,
                                    struct err *err);
    enum outcome (*find_by_hwaddr)(struct session *session,
                                   const uint8_t *hwaddr, size_t length,
                                   struct lease *found, struct err *err);
    enum outcome (*find_by_client_id)(struct session *session,
                                      const uint8_t *client_id, size_t length,
                                      struct lease *found, struct err *err);
    enum outcome (*find_by_duid)(struct session *session, const uint8_t *duid,
                                 size_t length, uint32_t iaid,
                                 enum lease_type type, uint32_t subnet_id,
                                 struct lease *found, struct err *err);

    /* Rewrites all fields of the lease at lease->address if it still expires
       at expire_s: Kea's optimistic lock (its statement is UPDATE lease4 ...
       WHERE address = ? AND expire = ?; lease6 likewise).  MISS: not there, or
       changed since. */
    enum outcome (*update)(struct session *session, const struct lease *lease,
                           int64_t expire_s, struct err *err);

    /* Removes the lease at address if it still expires at expire_s, as Kea
       does.  MISS: not there, or changed since. */
    enum outcome (*remove)(struct session *session,
                           struct lease_address address, int64_t expire_s,
                           struct err *err);

    /* Puts the leases that expired before now_s and are not yet reclaimed
       into found, at most limit, the one that expired first in front.  The
       order among equals is open.  Returns 0, or -1 with err. */
    int (*list_expired)(struct session *session, int64_t now_s, size_t limit,
                        struct lease *found, size_t *count, struct err *err);

    /* Removes all leases in LEASE_STATE_RECLAIMED that expired before
       before_s.  Returns 0, or -1 with err. */
    int (*purge_reclaimed)(struct session *session, int64_t before_s,
                           uint64_t *purged, struct err *err);

    /*
     * Optional: NULL, both of them, means that the store has no host
     * reservations, and its runner no --hosts.  Called if config->reservations
     * was set: all are added, in groups, before the first is looked for.  They
     * are no part of the leases, and no durability class is promised for them.
     * add: HIT, or MISS if the key is taken.  find: Kea's look-up by identifier
     * type, identifier and subnet; HIT gives the reserved address.
     */
    enum outcome (*add_reservation)(struct session *session,
                                    const struct reservation_key *key,
                                    struct lease_address address,
                                    struct err *err);
    enum outcome (*find_reservation)(struct session *session,
                                     const struct reservation_key *key,
                                     struct lease_address *address,
                                     struct err *err);

    /* Required.  The changes between them become durable together, at commit.
       Not nested.  Closing a session before commit may lose them.  A store
       without transactions returns 0.  Returns 0, or -1 with err. */
    int (*begin)(struct session *session, struct err *err);
    int (*commit)(struct session *session, struct err *err);

    /* Optional: NULL means that what was acknowledged can be read in all
       sessions at once.  Where sessions are on several nodes: undoes a
       transaction that is open, and waits until the session's node has all that
       others have acknowledged.  HIT; MISS if each answer waits for that by
       itself. */
    enum outcome (*catch_up)(struct session *session, struct err *err);

    /* Required of servers, else NULL.  One empty round trip to the server.
       Returns 0, or -1 with err. */
    int (*ping)(struct session *session, struct err *err);

    /* Optional: NULL means that there is no folder.  Writes a path in the
       folder that holds the leases, for the properties of its disk; "" if that
       is on another machine or unknown. */
    void (*data_path)(const struct store *store, char *path, size_t size);

    /* Optional: NULL means that the numbers are unknown.  Reads them with all
       sessions, none of which is in use; what it does not know it leaves. */
    void (*used)(struct session *const *sessions, size_t count,
                 struct store_use *use);

    /* Required of servers; else optional: NULL means that no operation ever
       waits.  Called from another thread: operations in progress are to return
       OUTCOME_ERROR (ERR_CANCELED) soon.  Called again if they do not. */
    void (*cancel)(struct store *store);
};

/* The name of a member that is required and missing, or NULL. */
const char *backend_missing(const struct backend *backend);

/* The backend this program was linked with; only its main file may name it. */
extern const struct backend the_backend;

#endif
