/* SPDX-License-Identifier: ISC */
/*
 * The contract between the harness and a store.
 *
 * The harness owns the loop, the clock, the data and the checks.  A store is one directory of code;
 * it performs one operation on one lease and reports the outcome.  To add a store, copy null.c and
 * read docs/internals.md.
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
#include "store/activity.h"

/* An open store, and the state of one worker thread in it (a connection, a handle, a view).  Each
   backend defines both. */
struct store;
struct session;

/* Only for stores that use SQL: see store/sql/session.h and store/statement_file.h. */
struct sql_dialect;
struct sql_file;

/* The outcome of one operation on one lease. */
enum outcome {
    OUTCOME_ERROR = -1, /* the store failed; err says why */
    OUTCOME_MISS = 0,   /* no lease was touched: address taken, or lease absent */
    OUTCOME_HIT = 1,    /* exactly one lease was touched */
};

/* The search keys. */
enum lookup {
    LOOKUP_ADDRESS, /* address and lease type */
    LOOKUP_HWADDR,
    LOOKUP_CLIENT_ID, /* IPv6: DUID, IAID and lease type */
    LOOKUP_IN_SUBNET, /* IPv6 only: LOOKUP_CLIENT_ID within the lease's subnet, by Kea's statement
                         for it */
};

/* The values of --sync; the last four name a class. */
enum sync_level {
    SYNC_YES,    /* power-safe */
    SYNC_NO,     /* the store's usual asynchronous setting */
    SYNC_SERVER, /* change no setting; report the class found */
    SYNC_VOLATILE,
    SYNC_PROCESS_SAFE,
    SYNC_BOUNDED,
    SYNC_POWER_SAFE,
};
#define SYNC_BIT(level) (1u << (level))

enum schema {
    SCHEMA_LEAN,      /* Kea's main columns, one key: the address (as in 2012) */
    SCHEMA_KEA,       /* all columns and secondary indexes of Kea's lease table */
    SCHEMA_KEA_STATS, /* SCHEMA_KEA with Kea's counters, kept by triggers; needs read_counters */
};

/* The ways to count leases. */
enum counters {
    COUNTERS_BY_SUBNET,
    COUNTERS_BY_POOL,   /* per pool of each subnet */
    COUNTERS_OF_LEASES, /* without counters, by counting the leases */
};

/* Kinds of stores, or-ed.  They decide which options a runner has. */
enum opt_scope {
    OPT_SCOPE_ALL = 0,
    OPT_SCOPE_FILE = 1,    /* keeps leases in a file that the user names */
    OPT_SCOPE_SQL = 2,     /* uses SQL */
    OPT_SCOPE_SERVER = 4,  /* connects to a server */
    OPT_SCOPE_ENGINE = 8,  /* offers a choice of storage engines */
    OPT_SCOPE_STORES = 16, /* keeps leases: every store except null */
    OPT_SCOPE_SHARED = 32, /* usable by processes on several machines */
};

/* Lists of free addresses in a store, from which all servers that share it pick. */
enum free_list {
    FREE_LIST_NONE,
    FREE_LIST_SHARED_FLQ,  /* Kea's, by its statements */
    FREE_LIST_SKIP_LOCKED, /* the same table; picks that pass over each other, and an insert that
                              is one statement */
};
#define FREE_LIST_BIT(list) (1u << (list))

/* The values of --trips: how the questions of an exchange reach a server. */
enum trips {
    TRIPS_SERIES,    /* each in a round trip of its own, as Kea's do */
    TRIPS_PIPELINE,  /* those that need no other one's answer in one round trip */
    TRIPS_PROCEDURE, /* those of a packet in one call of a stored procedure */
};

/* The packets of clients, by the stored procedure that answers them: schema/NAME-procedures.sql. */
enum packet {
    PACKET_NONE,
    PACKET_DISCOVER, /* also SOLICIT */
    PACKET_REQUEST,
    PACKET_REBOOT, /* REQUEST after a restart; IPv4 only */
    PACKET_RENEW,  /* IPv6 only */
    PACKET_END,    /* RELEASE that keeps the row, or DECLINE */
    PACKET_REMOVE, /* RELEASE that deletes the row */
    PACKETS,
};

enum question_kind {
    QUESTION_FIND,
    QUESTION_CREATE,
    QUESTION_UPDATE, /* of the lease at that address, whatever its expiry was */
    QUESTION_REMOVE,
    QUESTION_PICK, /* of a free address, from the list; searches after it are for that address */
};

/* One of several questions that a store answers in one round trip. */
struct question {
    enum question_kind kind;
    enum lookup by;            /* of a search */
    const struct lease *lease; /* as the parameter of find, create, update and remove; of a pick,
                                  the address alone: the first of the pool */
    uint64_t count;            /* of a pick: addresses in the pool */
    struct lease *found;       /* of a search: as its parameter found; of a pick: the address */
    enum outcome outcome;      /* set by the store */
};

/* The progress of open, which decides how a caller can end it early. */
enum open_stage {
    OPEN_CONNECTING, /* nothing is changed yet: end the process */
    OPEN_WORKING,    /* call cancel(store) */
    OPEN_FAILED,     /* wait; the store must not be called again */
};

/* The parameters of open.  The caller owns the strings, which outlive the store; NULL: not
   given. */
struct store_config {
    enum lease_family family; /* of all leases in the store */
    const char *target;       /* file or database */
    const char *host;         /* a name, a path or a list: server/connection.h */
    uint64_t port;            /* 0: the server's default port */
    const char *user;
    const char *password;
    uint64_t connect_timeout_s;
    uint64_t read_timeout_s; /* for one answer; 0: no limit */
    const char *engine;
    enum sync_level sync;
    enum schema schema;
    uint64_t subnets;                    /* number of subnets with leases; 0 means 1 */
    uint64_t threads;                    /* number of threads, each with a session; 0 means 1 */
    int compiled;                        /* prepare in session_open; an option's 0 or 1 */
    bool alone;                          /* only one session changes leases, without begin */
    enum free_list free_list;            /* create its tables; IPv4 only, not SCHEMA_LEAN */
    enum trips trips;                    /* TRIPS_PROCEDURE: create the procedures */
    bool reservations;                   /* allocate space for reservations; IPv4 only */
    bool keep;                           /* open the existing leases; create and remove nothing */
    bool joins;                          /* like keep, but to change the leases beside a process
                                            that has opened the store; needs OPT_SCOPE_SHARED */
    bool no_option_files;                /* MySQL's library reads no ~/.my.cnf and the like ... */
    const char *ca_file;                 /* ... except this one; or NULL */
    const struct opt_settings *settings; /* --set, never NULL; applied last */
    const struct sql_file *statements;   /* of --sql; NULL: not given */
    /* Optional.  open calls it in the caller's thread at each stage.  A store that was reported as
       OPEN_WORKING is reported as OPEN_FAILED before it is freed. */
    void (*on_progress)(void *context, enum open_stage stage, struct store *store);
    void *on_progress_context;
    /* Optional.  open calls it in the caller's thread with a sentence about leftovers of an earlier
       run that this run has cleaned up. */
    void (*on_notice)(const char *text);
};

/* Calls config->on_progress, if set.  A store that never waits for another process need not call it
   from open. */
static inline void store_report_progress(const struct store_config *config, enum open_stage stage,
                                         struct store *store)
{
    if (config->on_progress != NULL)
        config->on_progress(config->on_progress_context, stage, store);
}

/* The parts of this contract that a store does not fulfil, or-ed. */
enum store_lack {
    STORE_LACKS_POOLS = 1,       /* find returns pool_id as 0 */
    STORE_LACKS_HOSTNAMES = 2,   /* hostnames: ASCII only, returned in lower case */
    STORE_LACKS_OLD_EXPIRE = 4,  /* update and remove do not compare expire_s */
    STORE_LACKS_V6_HWADDR = 8,   /* IPv6: LOOKUP_HWADDR returns ERROR */
    STORE_LACKS_V6_TAKEN = 16,   /* create returns HIT and stores nothing if a lease of another type
                                    has the address */
    STORE_LACKS_V6_NO_DUID = 32, /* a lease without a DUID is an ERROR; a declined lease is returned
                                    with a DUID of one zero */
};

/* Cumulative work of a store, for all its sessions. */
struct store_use {
    uint64_t fdatasyncs;      /* of its file, by this process */
    uint64_t server_syncs;    /* of any file of its server */
    uint64_t log_bytes;       /* written to the server's logs of changes */
    uint64_t scanned;         /* rows read without an index */
    struct properties *facts; /* receives the use of indexes since the call with facts NULL */
};

struct backend {
    /* Required.  "sqlite": used in reports, messages and the program's name. */
    const char *name;

    /* Required for stores with a target.  The default of -f. */
    const char *default_target;

    const char *default_v6_target; /* with --ipv6; NULL: default_target */

    /* Optional.  Suffixes of the files that the store creates and removes beside its own, ended by
       NULL. */
    const char *const *beside;

    unsigned scope;       /* enum opt_scope, or-ed */
    unsigned sync_levels; /* SYNC_BIT of each level that the store supports */
    unsigned free_lists;  /* FREE_LIST_BIT of each list that the store supports */
    bool keeps_leases;    /* false: answers cannot be checked (null) */
    bool one_schema;      /* only SCHEMA_KEA */
    bool no_batch;        /* begin and commit do nothing: --batch must be 1 */

    /* Limits of the leases that the store can hold, where they are narrower than those of struct
       lease. */
    int64_t expire_least_s; /* Unix seconds */
    int64_t expire_most_s;  /* 0: any */
    bool utf8_hostnames;    /* UTF-8 without NUL; else any bytes */
    size_t client_id_least; /* bytes of a client-id or DUID, if the lease has one */
    size_t client_id_most;  /* 0: any */

    /* Optional.  The kernel's names of the server's processes, each with a blank on both sides.
       Their resource usage counts as that of the run. */
    const char *server_processes;

    /* --set gives the location of the leases: open receives the settings with keep also. */
    bool set_says_where;

    /* Optional.  Returns the name of the server's store (its backend) that these settings connect
       to, or NULL for none.  If the member is NULL, scope decides whether the store connects to a
       server. */
    const char *(*server)(const struct opt_settings *settings);

    /* Optional.  Help texts of --set and --sync. */
    const char *settings_help;
    const char *sync_help;

    /* Optional.  Writes the version of the store's library, for --version. */
    void (*library)(char *text, size_t size);

    /*
     * Required.  Opens the store.  Refuses, without a change, a target with contents that ubench
     * did not create.  Otherwise creates the missing tables or files, empties them, applies the
     * durability class and then the settings, and reads all of them back.  On failure, returns NULL
     * with err and leaves nothing behind that was not there before.
     *
     * With keep, creates and empties nothing: opens the existing leases, with recovery if it is
     * needed, only for searches, count and check.  The caller passes SYNC_SERVER and, unless
     * set_says_where, no settings.  Returns NULL with ERR_CORRUPT if the leases exist and cannot be
     * read.
     *
     * With joins, creates, empties and locks nothing, and reads back the settings that the first
     * process applied to all sessions.
     */
    struct store *(*open)(const struct store_config *config, struct err *err);

    /* Required.  Restores the settings that open changed and frees the store.  NULL is fine.
       Returns 0, or -1 with err if a setting could not be restored. */
    int (*close)(struct store *store, struct err *err);

    /* Required.  Adds the properties of a result: versions, engine, settings read back.  The first
       is the product: its name and its version, which ends at a blank or a comma: "MariaDB",
       "10.11.19, InnoDB". */
    void (*describe)(const struct store *store, struct properties *properties);

    /* Required.  Computes what a crash loses: adds the read-back settings that decide it to a
       zeroed promise, and applies each limit that holds. */
    void (*durability)(const struct store *store, struct promise *promise);

    /* Required for OPT_SCOPE_SQL; else NULL. */
    const struct sql_dialect *dialect;

    /* Optional.  The limits that durability can apply, for --describe. */
    const struct durability_limit *limits;

    /* Required for servers; else NULL.  Checks that the durability class has not changed since
       open.  Called while sessions are in use, by at most one other thread at a time.  Returns 0; 0
       with err if the server cannot be asked now; or -1 with err if a setting has changed or
       another run has replaced this one. */
    int (*check_class)(struct store *store, struct err *err);

    /* Optional; NULL: fulfils everything.  Returns enum store_lack, or-ed.  The conformance suite
       skips these parts. */
    unsigned (*lacks)(const struct store *store);

    /* Optional; NULL: unknown.  Returns whether the changes that were acknowledged since the store
       was opened survive the loss of the server's machine.  Never called during check_class. */
    enum node_loss (*node_loss)(struct store *store);

    /* Required.  Opens a session for one worker thread, with every statement prepared if
       config->compiled.  Returns NULL with err on failure.  All sessions are closed before their
       store. */
    struct session *(*session_open)(struct store *store, struct err *err);
    void (*session_close)(struct session *session); /* NULL is fine */

    /* Required.  Removes all leases and reservations.  Returns 0, or -1 with err. */
    int (*reset)(struct session *session, struct err *err);

    /* Required.  Counts the leases by reading each.  Returns 0, or -1 with err. */
    int (*count)(struct session *session, uint64_t *count, struct err *err);

    /* Optional.  Updates the planner's statistics now, so that the server does not do it during the
       measurement.  Returns 0, or -1 with err. */
    int (*analyze)(struct session *session, struct err *err);

    /* Optional; NULL: --schema=kea+stats is not supported.  Called only with that schema.  Adds the
       number of leases of each kind to *counts, by subnet (pool_id is 0) or by pool.  Returns 0, or
       -1 with err. */
    int (*read_counters)(struct session *session, enum counters which, struct lease_counts *counts,
                         struct err *err);

    /* Optional.  Checks the integrity of the store's data, and writes the check and its finding in
       one line: "PRAGMA integrity_check: ok".  HIT: intact, as far as the store can see.  MISS:
       damaged. */
    enum outcome (*check)(struct session *session, char *text, size_t size, struct err *err);

    /*
     * The timed operations.  All are required, except those on reservations.  They must not
     * allocate, print or retry, nor build SQL text where prepared statements were requested.  They
     * set err on OUTCOME_ERROR only.  Outside begin and commit, an operation that returned HIT is
     * as durable as the store's class promises.
     */

    /* Stores a lease of the store's family.  MISS: the address is taken, and nothing was
       changed. */
    enum outcome (*create)(struct session *session, const struct lease *lease, struct err *err);

    /* Finds the lease that equals like in the fields of by, and returns all its fields in *found,
       which must not be like.  After MISS *found is undefined, as are always the fields that IPv4
       leases do not have.  like->type is the lease's type: LEASE_TYPE_V4 in a store of that family.
       ERROR if two leases match.  MISS if the identifier is empty or too long for a lease. */
    enum outcome (*find)(struct session *session, enum lookup by, const struct lease *like,
                         struct lease *found, struct err *err);

    /* Rewrites all fields of the lease at lease->address if its stored expiry equals expire_s
       (Kea's optimistic lock).  MISS: absent, or changed since. */
    enum outcome (*update)(struct session *session, const struct lease *lease, int64_t expire_s,
                           struct err *err);

    /* Removes the lease at address if its stored expiry equals expire_s, as Kea does.  MISS:
       absent, or changed since. */
    enum outcome (*remove)(struct session *session, struct lease_address address, int64_t expire_s,
                           struct err *err);

    /* Writes the leases that expired before now_s and are not yet reclaimed to found, at most
       limit, earliest expiry first.  Leases with the same expiry are in any order.  Returns 0, or
       -1 with err. */
    int (*list_expired)(struct session *session, int64_t now_s, size_t limit, struct lease *found,
                        size_t *count, struct err *err);

    /* Removes all leases in LEASE_STATE_RECLAIMED that expired before
       before_s.  Returns 0, or -1 with err. */
    int (*purge_reclaimed)(struct session *session, int64_t before_s, uint64_t *purged,
                           struct err *err);

    /*
     * Optional; both NULL: --hosts is not supported.  Called only if config->reservations is set.
     * All reservations are added, in groups, before the first search.  No durability class is
     * promised for them.  add_reservation: HIT, or MISS if the key is taken.  find_reservation:
     * Kea's look-up by identifier type, identifier and subnet; HIT returns the reserved address.
     */
    enum outcome (*add_reservation)(struct session *session, const struct reservation_key *key,
                                    struct lease_address address, struct err *err);
    enum outcome (*find_reservation)(struct session *session, const struct reservation_key *key,
                                     struct lease_address *address, struct err *err);

    /*
     * Required for free_lists; else NULL.  Called only if config->free_list is set.  make_free_list
     * makes the list anew, of all addresses without a lease, or with a reclaimed one, in a pool of
     * count addresses from first on.  From then on, outside begin and commit, create and update
     * take the address out of it, unless the lease is then a reclaimed one: update returns that, as
     * remove does.  Purged leases are in the list already.  pick_free returns the
     * address that the store offers to the next client, and is durable as a change is; MISS: there
     * is none.  count_free counts the addresses in the list, and those among them that have a
     * lease.
     */
    int (*make_free_list)(struct session *session, struct lease_address first, uint64_t count,
                          struct err *err);
    enum outcome (*pick_free)(struct session *session, struct lease_address first, uint64_t count,
                              struct lease_address *address, struct err *err);
    int (*count_free)(struct session *session, uint64_t *free, uint64_t *leased, struct err *err);

    /*
     * Optional; NULL: --trips is not supported.  Answers questions in one round trip, in their
     * order.  PACKET_NONE: only searches.  Another packet: all its questions, the change last, by
     * the procedure, which ends at an answer that the packet does not expect; MISS for the
     * questions after it.  A change has the same effect as that of update, remove or create.
     * Returns 0, or -1 with err.
     */
    int (*ask_together)(struct session *session, enum packet packet, struct question *questions,
                        size_t count, struct err *err);

    /* Required.  Begin and commit a transaction: its changes become durable together, at commit.
       Not nested.  Closing the session before commit may lose the changes.  A store without
       transactions returns 0.  Both return 0, or -1 with err. */
    int (*begin)(struct session *session, struct err *err);
    int (*commit)(struct session *session, struct err *err);

    /* Optional, for sessions on several nodes.  Rolls back an open transaction and waits until the
       session's node has all changes that other nodes have acknowledged.  HIT; MISS if the node
       waits for that before each answer. */
    enum outcome (*catch_up)(struct session *session, struct err *err);

    /* Required for servers; else NULL.  Makes one empty round trip to the server.  Returns 0; 1 if
       this store has no round trip; or -1 with err. */
    int (*ping)(struct session *session, struct err *err);

    /* Optional.  Writes a path in the directory that holds the leases, from which the properties of
       the disk are read; "" if the directory is on another machine or unknown. */
    void (*data_path)(const struct store *store, char *path, size_t size);

    /* Optional.  Writes the members of *use that the store can measure.  Called while no session is
       in use. */
    void (*used)(struct session *const *sessions, size_t count, struct store_use *use);

    /* Optional.  Sets the figures of a sample that the store knows.  Called while sessions are in
       use, by the thread that calls check_class. */
    void (*sample)(struct store *store, struct activity_sample *sample);

    /* Required for servers.  Called by another thread: operations in progress must soon return
       OUTCOME_ERROR (ERR_CANCELED).  Called again if they do not. */
    void (*cancel)(struct store *store);
};

/* Returns the name of a required member that is missing, or NULL. */
const char *backend_missing(const struct backend *backend);

/* The backend that this program is linked with; runner.c and its parts use it. */
extern const struct backend the_backend;

#endif
