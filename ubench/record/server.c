/* SPDX-License-Identifier: ISC */
#include "record/server.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "record/fields.h"

/* More than this share of the processors is worth a warning. */
static const double most_other = 0.05;

/* Properties that are made. */
struct maker {
    struct arena *memory;
    struct record_property items[64];
    size_t count;
};

static void add(struct maker *to, const char *name, const char *value)
{
    if (to->count < sizeof to->items / sizeof to->items[0] &&
        value[0] != '\0' && strcmp(value, "none") != 0)
        to->items[to->count++] = (struct record_property){ name, value };
}

static void add_real(struct maker *to, const char *name, double value)
{
    if (value > 0)
        add(to, name, arena_print(to->memory, "%.6g", value));
}

static void add_count(struct maker *to, const char *name, uint64_t value)
{
    if (value != RECORD_UNKNOWN && value > 0)
        add(to, name, arena_print(to->memory, "%" PRIu64, value));
}

static void add_setting(struct maker *to, const char *name,
                        const struct field *row, const void *at)
{
    if (row->kind == FIELD_TEXT)
        add(to, name, *(const char *const *)at);
    else if (row->kind == FIELD_COUNT)
        add_count(to, name, *(const uint64_t *)at);
    else if (row->kind == FIELD_REAL || row->kind == FIELD_FIGURE)
        add_real(to, name, *(const double *)at);
}

/* What of the server's members makes a configuration. */
static void add_settings(struct maker *to, const struct record_server *server)
{
    const struct field_table *const table = &server_run_fields;

    for (size_t i = 0; i < table->count; i++) {
        const struct field *const row = &table->rows[i];
        const char *const at = (const char *)server + row->offset;

        if ((row->flags & FIELD_SETTING) == 0)
            continue;
        add_setting(to, row->name, row, at);
        for (size_t k = 0; row->kind == FIELD_OBJECT && k < row->table->count;
             k++)
            add_setting(to,
                        arena_print(to->memory, "%s.%s", row->name,
                                    row->table->rows[k].name),
                        &row->table->rows[k], at + row->table->rows[k].offset);
    }
}

static struct record_properties properties_of(const struct maker *made)
{
    struct record_property *const items =
        arena_alloc(made->memory, made->count + 1, sizeof *items);

    memcpy(items, made->items, made->count * sizeof *items);
    return (struct record_properties){ made->count, items };
}

/* Other commands have one trial, of a rate that was asked for or of a storm. */
static bool is_search(const struct record_server *server)
{
    return isfinite(server->rate) || server->trial_count != 1;
}

static struct record_properties parameters_of(const struct record_server *of,
                                              struct arena *memory)
{
    struct maker made = { .memory = memory };

    add(&made, "workload", arena_print(memory, "server %s", of->command));
    add(&made, "ipv6", of->family == 6 ? "yes" : "");
    add_settings(&made, of);
    if (of->threads == 0)
        add(&made, "threads", "several");
    if (is_search(of))
        return properties_of(&made);
    if (of->trials[0].duration_s > 0)
        add_count(&made, "clients", of->clients);
    else
        add_real(&made, "rate", of->trials[0].offered);
    return properties_of(&made);
}

/* The server, and the database: "MariaDB 10.11.14" is two words. */
static struct record_properties facts_of(const struct record *record,
                                         struct arena *memory)
{
    const char *const product = record->server->store_name;
    const char *const version = strrchr(product, ' ');
    struct maker made = { .memory = memory };

    add(&made, record->program, record->version);
    if (version != NULL)
        add(&made,
            arena_print(memory, "%.*s", (int)(version - product), product),
            version + 1);
    return properties_of(&made);
}

const struct record_server_trial *
record_server_best(const struct record_server *server)
{
    const struct record_server_trial *best = NULL;

    for (size_t i = 0; i < server->trial_count; i++) {
        const struct record_server_trial *const trial = &server->trials[i];

        if (trial->holds && trial->kept_up &&
            (best == NULL || trial->offered > best->offered))
            best = trial;
    }
    return is_search(server) ? best : &server->trials[0];
}

double record_server_cost_us(const struct record_server_trial *trial,
                             double processor_s)
{
    return trial->granted > 0 ? processor_s * 1e6 / (double)trial->granted
                              : (double)NAN;
}

static const char *warning_of(const struct record *record, struct arena *memory)
{
    const struct record_server *const server = record->server;
    const struct record_server_trial *const best = record_server_best(server);
    const char *text = record->warning;

    if (server->limited_by_load)
        text = arena_join(memory, text, "; ", "%s",
                          "perfdhcp could not send faster: the server may take "
                          "more");
    if (best == NULL || best->cores == RECORD_UNKNOWN)
        return text;
    const double share =
        best->processor.other_s / (best->elapsed_s * (double)best->cores);
    if (share > most_other)
        text = arena_join(memory, text, "; ",
                          "other work used %.0f %% of the processors",
                          share * 100);
    return text;
}

static uint64_t nanoseconds(double seconds)
{
    return seconds > 0
               ? (uint64_t)fmin(seconds * 1e9 + 0.5, (double)RECORD_NUMBER_MAX)
               : 0;
}

/* An open loop of one trial: a rate that was asked for, or a storm. */
static const struct record_open *open_of(const struct record_server *server,
                                         struct arena *memory)
{
    const struct record_server_trial *const from = &server->trials[0];
    struct record_open *const open = arena_alloc(memory, 1, sizeof *open);
    struct record_trial *const trial = arena_alloc(memory, 1, sizeof *trial);
    const bool storm = from->duration_s > 0;

    *trial = (struct record_trial){
        .stage = "single",
        .rate_per_s = from->offered,
        .duration_ns = nanoseconds(server->seconds),
        .deadline_ns = nanoseconds(server->within_s),
        .elapsed_ns = nanoseconds(storm ? from->duration_s : server->seconds),
        .offered = from->sent,
        .answered = from->granted,
        .unanswered = from->sent - from->granted,
        .in_time_per_s =
            storm ? 0 : (double)from->granted / fmax(server->seconds, 1),
        .bad_share = from->sent > 0 ? (double)(from->sent - from->granted) /
                                          (double)from->sent
                                    : 0,
        .invalid = storm || from->kept_up
                       ? ""
                       : "perfdhcp fell behind its own schedule",
    };
    *open = (struct record_open){ .trial_count = 1, .trials = trial };
    if (storm)
        open->storm = (struct storm_outcome){
            .clients = from->sent,
            .served = from->granted,
            .sent = from->sent +
                    (from->resent != RECORD_UNKNOWN ? from->resent : 0),
            .retransmitted = from->resent,
            .useless = RECORD_UNKNOWN,
            .served_50_ns = 0, /* perfdhcp does not tell */
            .served_99_ns = 0,
            .served_100_ns = from->granted == from->sent
                                 ? nanoseconds(from->duration_s)
                                 : RECORD_UNKNOWN,
        };
    return open;
}

/* The leases of the trial that the rate comes from; of a rate alone, as
   published ones are, as many as make it exact. */
static struct record_phase phase_of(const struct record_server *server)
{
    const struct record_server_trial *const best = record_server_best(server);
    const uint64_t leases = best != NULL ? best->granted : 1000000;

    return (struct record_phase){
        .name = server->family == 6 ? "sarr" : "dora",
        .operations = isfinite(server->rate) || best != NULL ? leases : 0,
        .hits = RECORD_UNKNOWN,
        .misses = RECORD_UNKNOWN,
        .begun_ns = RECORD_UNKNOWN,
        .elapsed_ns = nanoseconds(
            server->rate > 0 ? (double)leases / server->rate : server->seconds),
        .deadlocks = RECORD_UNKNOWN,
    };
}

void record_server_finish(struct record *record, struct arena *memory)
{
    const struct record_server *const server = record->server;
    struct record_phase *const phase = arena_alloc(memory, 1, sizeof *phase);
    struct record_run *const run = arena_alloc(memory, 1, sizeof *run);

    record->program = strcmp(server->server, "kea") != 0 ? server->server
                      : server->family == 6              ? "kea-dhcp6"
                                                         : "kea-dhcp4";
    record->version = server->server_version;
    record->store =
        strcmp(server->store, server->server) == 0
            ? server->store
            : arena_print(memory, "%s/%s", record->program, server->store);
    record->parameters = parameters_of(server, memory);
    record->facts = facts_of(record, memory);
    record->warning = warning_of(record, memory);
    *phase = phase_of(server);
    *run = (struct record_run){
        .incomplete = is_search(server) && !(server->rate > 0),
        .open = is_search(server) ? NULL : open_of(server, memory),
        .verified = true,
        .leases_left = RECORD_UNKNOWN,
        .digest = "",
        .phase_count = 1,
        .phases = phase,
    };
    record->incomplete = run->incomplete;
    record->run_count = 1;
    record->runs = run;
}
