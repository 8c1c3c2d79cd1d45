/* SPDX-License-Identifier: ISC */
#include "record/field_rows.h"
#include "record/server.h"

enum { SETTING = FIELD_SETTING };

#define OF struct record_messages
static const struct field messages_rows[] = {
    COUNT(sent, 0, "by perfdhcp"),
    COUNT(received, 0, "answers"),
    FIGURE(min_ms, NULLED, "the least delay of an answer"),
    FIGURE(mean_ms, NULLED, "their mean"),
    FIGURE(max_ms, NULLED, "the longest"),
    FIGURE(sd_ms, NULLED, "their standard deviation"),
};
TABLE("messages", messages, NULL, NULL);
#undef OF

#define OF struct record_processor
static const struct field processor_rows[] = {
    FIGURE_AS("server", server_s, 0, "seconds of the DHCP server's processes"),
    FIGURE_AS("store", store_s, 0, "of the database's; 0 without one"),
    FIGURE_AS("load", load_s, 0, "of perfdhcp"),
    FIGURE_AS("other", other_s, 0, "of all else on the machine"),
};
TABLE("processor", processor, NULL, NULL);
#undef OF

#define OF struct record_server_trial
static const struct field server_trial_rows[] = {
    REAL(offered, OUT,
         "clients per second that perfdhcp was told to send; not of a storm"),
    COUNT(sent, NEEDED, "clients that asked"),
    COUNT(granted, NEEDED, "of these, those that had a lease in time"),
    FIGURE(lost, 0, "`1 - granted / sent`"),
    ROW(FLAG, "kept_up", AT(kept_up, bool), OUT,
        "perfdhcp sent at least 98 % of what it was told to; else the trial "
        "says nothing of the server; not of a storm"),
    ROW(FLAG, "holds", AT(holds, bool), OUT,
        "no more than `max_lost` were lost; not of a storm"),
    FIGURE(elapsed_s, 0, "with the wait for the last answers"),
    COUNT(cores, 0, "processors of the machine"),
    OBJECT("discover", discover, messages, NULL, 0,
           "the first exchange of each client: DISCOVER, or SOLICIT"),
    OBJECT("request", request, messages, NULL, 0,
           "the second: REQUEST, whose answer grants the lease"),
    OBJECT("processor_s", processor, processor, NULL, 0,
           "processor time that was used during the trial"),
    COUNT(resent, OUT, "of a storm: requests of clients that had asked before"),
    REAL(duration_s, OUT,
         "of a storm: from its begin until every client had a lease"),
    COUNT(stored, NULLED | OUT, "leases that the store had after it"),
    FIGURE(start_s, NULLED | OUT,
           "from the start of the server to its first answer"),
    FIGURE(memory_mb, NULLED | OUT,
           "the most memory of the server, or of both of a pair"),
};
static const struct field_rule server_trial_rules[] = {
    { "sent", false, { "granted" } }, { NULL, false, { NULL } }
};
TABLE("server_trial", server_trial, NULL, server_trial_rules);
#undef OF

#define OF struct record_server_second
static const struct field server_second_rows[] = {
    COUNT(asked, 0, "clients"),
    COUNT(granted, 0, "leases"),
};
TABLE("server_second", server_second, NULL, NULL);
#undef OF

#define OF struct record_processors
static const struct field processors_rows[] = {
    TEXT(server, SETTING, NULL, "of the server and its database: `0-2`"),
    TEXT(load, SETTING, NULL, "of perfdhcp"),
};
TABLE("processors", processors, NULL, NULL);
#undef OF

#define OF struct record_failover
static const struct field failover_rows[] = {
    COUNT(lost, 0, "clients without an answer"),
    FIGURE(back_s, NULLED,
           "from the kill until at least 90 % are answered again; null if they "
           "never were"),
    COUNT(only_killed, 0,
          "leases that the killed server has, and not the other"),
    COUNT(only_survivor, 0, "leases that only the other has"),
    FIGURE(again_s, NULLED,
           "from its restart until the killed one serves again; null if it "
           "did not"),
    COUNT(differ, 0, "leases that differ then"),
};
TABLE("failover", failover, NULL, NULL);
#undef OF

#define OF struct record_server
static const struct field server_rows[] = {
    TEXT(command, NEEDED, "^[a-z]+$", "of dhcp.sh: `rate`"),
    TEXT(server, NEEDED | SETTING, "^(kea|dhcpd)$", "the DHCP server"),
    TEXT(server_version, NEEDED, ".", "its version: `2.2.0`"),
    TEXT(store, NEEDED | SETTING, "^(memfile|mysql|pgsql|dhcpd)$",
         "where it keeps its leases"),
    TEXT(store_name, OUT, NULL,
         "of a database, its product and version: `MariaDB 10.11.14`"),
    TEXT(sync, OUT | SETTING, "^[a-z]+$",
         "as asked for by `--sync`; `durability` has what was read back"),
    COUNT(family, NEEDED, "4 or 6"),
    COUNT(threads, ABOVE_0 | NULLED | SETTING,
          "of the server; 1 is without multi-threading; null: several, and the "
          "publication does not tell how many"),
    COUNT(queue, OUT | SETTING, "packets that may wait for its threads"),
    COUNT(delayed_ack, OUT | SETTING,
          "of dhcpd: answers that wait for one sync"),
    COUNT(pool, OUT | SETTING, "addresses that can be granted"),
    COUNT(classes, OUT | SETTING, "client classes, each with a test"),
    COUNT(clients, OUT, "of a storm"),
    FIGURE(seconds, OUT, "that a trial sends"),
    FIGURE(max_lost, SETTING, "the share of clients that may be lost"),
    REAL(within_s, SETTING, "that a client waits for an answer"),
    FIGURE(start_rate, OUT,
           "clients per second: where the search begins, or all of the load"),
    ROW(OBJECT, "processors", AT(processors, struct record_processors),
        OUT | SETTING, "on which server and load ran", .table = &processors),
    TEXT(
        hook, OUT | SETTING, "^(none|block|park|cache)$",
        "a hook library that waits: in line, with the packet parked, or with a "
        "cache of what it learnt"),
    FIGURE(hook_ms, OUT | SETTING, "how long it waits"),
    TEXT(ha, OUT | SETTING, "^(none|hot-standby|load-balancing)$",
         "a pair of servers"),
    FIGURE(ha_delay_s, OUT | SETTING, "of it: `max-response-delay`"),
    FIGURE(kill_s, OUT | SETTING,
           "when its first server was killed; 0: it was not"),
    FIGURE(full, OUT | SETTING, "percent of the pool that others have before"),
    COUNT(subnets, OUT | SETTING, "of the configuration"),
    COUNT(reservations, OUT | SETTING, "of hosts"),
    TEXT(hosts, OUT | SETTING, "^(none|config|mysql|pgsql)$",
         "where these are"),
    FIGURE(rate, NULLED | OUT,
           "leases per second at the highest rate that held; null if none "
           "did, not there if none was searched for"),
    ROW(FLAG, "limited_by_load", AT(limited_by_load, bool), OUT,
        "at a higher rate perfdhcp fell behind: the server may take more"),
    COUNT(stored, NULLED | OUT,
          "leases that the store had, of all trials; null if it keeps none"),
    POINTER(POINTER, "failover", failover, failover,
            "of a pair of which one was killed"),
    LIST(LIST, "trials", trials, trial_count, server_trial, "trial", OUT,
         "in their order; of other commands than a search, one"),
    LIST(LIST, "seconds_each", seconds_each, second_count, server_second,
         "second", OUT, "of `seconds`: second by second"),
};
const struct field_table server_run_fields = {
    "server",   server_rows, sizeof server_rows / sizeof server_rows[0],
    sizeof(OF), NULL,        NULL
};
#undef OF

const char server_format[] = "ubench-kea/1";

#define OF struct record
static const struct field line_rows[] = {
    ROW(CONSTANT, "format", 0, 0, "the name of this format",
        .pattern = server_format),
    TEXT(published, OUT, ".",
         "where figures come from that were not measured by dhcp.sh, and when; "
         "not there if they were"),
    TEXT(started_at, OUT,
         "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
         "when the run began, UTC"),
    TEXT(warning, OUT, NULL, "why the figures may be wrong"),
    ROW(OBJECT, "durability", 0, NEEDED,
        "of its leases, as in a result: read back by the store's runner",
        .table = &durability_fields, .place = "durability"),
    PROPERTIES(host, 0, "^[a-z_]+$", "the machine"),
    ROW(PART, "command", AT(server, const struct record_server *), OUT, NULL,
        .table = &server_run_fields),
};
#undef OF

const struct field_table server_fields = {
    "server_line",         line_rows, sizeof line_rows / sizeof line_rows[0],
    sizeof(struct record), NULL,      NULL
};
