/* SPDX-License-Identifier: ISC */
/*
 * ubench_leases reads the lease files of a DHCP server for ubench_report: it prints counts and
 * makes traces.  Its output identifies no client.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/opt.h"
#include "demand/summary.h"
#include "demand/trace_make.h"

struct demand_config {
    const char *trace;
    double cache_threshold;
    bool pools;
    bool help;
};

#define CONFIG struct demand_config
static const struct opt options[] = {
    { OPT_TEXT(CONFIG, trace), .name = "trace", .arg = "FILE",
      .help = "also write the history as a trace to FILE, which does not exist" },
    { OPT_SHARE(CONFIG, cache_threshold), .name = "cache-threshold", .arg = "SHARE",
      .fallback = "0.25", .help = "Kea's cache-threshold, for the share of cached renewals" },
    { OPT_FLAG(CONFIG, pools), .name = "pools",
      .help = "read pools from standard input, FIRST LAST on a line, and count their leases" },
    { OPT_FLAG(CONFIG, help), .letter = 'h', .name = "help", .help = "print this and exit" },
    { .kind = OPT_KIND_END },
};

struct demand {
    struct demand_config config;
    struct history history;
    struct summary summary;
    struct file_summary files[FILES_MAX];
};

/* Returns true for the files that Kea's clean-up leaves, which are snapshots. */
static bool is_snapshot(const char *path)
{
    static const char *const endings[] = { ".2", ".completed", ".output" };
    size_t length = strlen(path);

    if (length > 3 && strcmp(path + length - 3, ".gz") == 0)
        length -= 3;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t size = strlen(endings[i]);

        if (length > size && strncmp(path + length - size, endings[i], size) == 0)
            return true;
    }
    return false;
}

static void note_damage(struct demand *demand, const struct record_reader *reader, const char *what)
{
    struct summary *const summary = &demand->summary;
    const size_t file = summary->file_count - 1;

    demand->files[file].damaged++;
    if (summary->damage_count < DAMAGES_KEPT)
        summary->damages[summary->damage_count++] =
            (struct damage){ .file = file, .line = reader->lines.number, .what = what };
}

/* Refuses records of different families. */
static int check_family(struct demand *demand, const struct record_reader *reader, struct err *err)
{
    struct leases *const leases = &demand->history.leases;

    if (leases->count == 0)
        leases->family = reader->family;
    if (leases->family == reader->family)
        return 0;
    return err_set(err,
                   "%s:%llu: an %s lease after those of the other family; give the files of one "
                   "server, for IPv4 or for IPv6",
                   reader->lines.path, (unsigned long long)reader->lines.number,
                   reader->family == LEASE_FAMILY_V4 ? "IPv4" : "IPv6");
}

/* Adds a record.  An address that dhcpd lists as free has lost its lease, or had none at all. */
static int add_record(struct history *history, struct record *record, bool snapshot,
                      struct err *err)
{
    if (record->state == ROW_FREE) {
        if (!leases_has_row(&history->leases, record->address))
            return 0;
        record->state = ROW_ABSENT;
    }
    return history_add(history, record, snapshot, err);
}

static int read_records(struct demand *demand, struct record_reader *reader, struct err *err)
{
    const bool snapshot = is_snapshot(reader->lines.path);
    struct file_summary *const file = &demand->files[demand->summary.file_count - 1];
    struct record record;
    const char *complaint;

    demand->history.has_snapshot = demand->history.has_snapshot || snapshot;
    for (;;) {
        switch (record_next(reader, &record, &complaint, err)) {
        case RECORD_END:
            file->lines = reader->lines.number;
            return history_flush(&demand->history, snapshot, err);
        case RECORD_ERROR:
            return -1;
        case RECORD_DAMAGED:
            note_damage(demand, reader, complaint);
            break;
        case RECORD_READ:
            file->records++;
            if (check_family(demand, reader, err) != 0 ||
                add_record(&demand->history, &record, snapshot, err) != 0)
                return -1;
        }
    }
}

static int read_file(struct demand *demand, const char *path, struct err *err)
{
    struct record_reader reader = { .format = RECORD_ISC };
    int status = record_open(&reader, path, err);

    if (status == 0) {
        struct file_summary *const file = &demand->files[demand->summary.file_count++];

        file->format = reader.format;
        file->ahead = record_is_ahead(path);
        if (file->ahead)
            reader.latest_s = UINT64_MAX;
        /* A file may have a header alone. */
        if (demand->history.leases.count == 0 && reader.format == RECORD_KEA)
            demand->history.leases.family = reader.family;
        demand->history.clock_s = demand->history.previous_s = 0;
        demand->history.file = (unsigned)demand->summary.file_count - 1;
        const uint64_t stale = demand->history.stale;
        status = read_records(demand, &reader, err);
        file->stale = demand->history.stale - stale;
    }
    record_close(&reader);
    return status;
}

/* Reads pools, also of the other family, from standard input.  Returns 0, or -1 with err. */
static int read_pools(struct demand *demand, struct err *err)
{
    struct summary *const summary = &demand->summary;
    const enum lease_family family = demand->history.leases.family;
    char first[LEASE_ADDRESS_TEXT_SIZE];
    char last[LEASE_ADDRESS_TEXT_SIZE];
    size_t capacity = 0;

    while (scanf("%45s %45s", first, last) == 2) {
        if (summary->pool_count == capacity) {
            capacity = capacity * 2 + 64;
            struct pool *const pools = realloc(summary->pools, capacity * sizeof *pools);
            if (pools == NULL)
                return err_set(err, "out of memory for %zu pools", capacity);
            summary->pools = pools;
        }
        struct pool *const pool = &summary->pools[summary->pool_count];
        *pool = (struct pool){ .number = summary->pool_count };
        summary->pool_count++;
        if (record_address(first, family, &pool->first) != 0 ||
            record_address(last, family, &pool->last) != 0) { /* no lease is in it */
            pool->first = (struct lease_address){ .high = UINT64_MAX, .low = UINT64_MAX };
            pool->last = (struct lease_address){ .high = 0 };
        }
    }
    return 0;
}

static int run(struct demand *demand, char *const *paths, struct err *err)
{
    for (char *const *path = paths; *path != NULL; path++) {
        if (path - paths == FILES_MAX)
            return err_usage(err, "more than %d files were given", FILES_MAX);
        if (read_file(demand, *path, err) != 0)
            return -1;
    }
    if (demand->config.pools && read_pools(demand, err) != 0)
        return -1;
    if (demand->config.trace != NULL &&
        trace_make(&demand->history, demand->config.trace, err) != 0)
        return -1;
    if (summary_write(&demand->summary, &demand->history, stdout, err) != 0)
        return -1;
    return fflush(stdout) == 0 ? 0 : err_set(err, "standard output: %s", strerror(errno));
}

static int run_with(const struct demand_config *config, char *const *paths, struct err *err)
{
    struct demand *const demand = err_calloc(1, sizeof *demand, err);

    if (demand == NULL)
        return -1;
    demand->config = *config;
    demand->summary.files = demand->files;
    demand->history.cache_threshold = config->cache_threshold;
    demand->history.keeps_events = config->trace != NULL;
    const int status = run(demand, paths, err);
    history_release(&demand->history);
    free(demand->summary.pools);
    free(demand);
    return status;
}

/* Returns how many words are options; the words after them are files. */
static int count_options(int argc, char **argv)
{
    int count = 1;

    while (count < argc && strncmp(argv[count], "--", 2) == 0 && argv[count][2] != '\0')
        count++;
    return count;
}

int main(int argc, char **argv)
{
    struct demand_config config = { .help = false };
    struct err err = { 0 };
    const int words = count_options(argc, argv);

    if (opt_parse(options, &config, words, argv, NULL, &err) == 0) {
        if (config.help) {
            (void)printf("Usage: ubench_leases [--OPTION=VALUE]... FILE...\n"
                         "Counts what the lease files of a DHCP server show, for ubench_report "
                         "demand, as JSON.\n");
            opt_print_help(options, true, stdout);
            return 0;
        }
        char *const *const paths = argv + words + (words < argc && strcmp(argv[words], "--") == 0);
        if (*paths == NULL)
            (void)err_usage(&err, "no lease file was given; try: ubench_report demand --help");
        else if (run_with(&config, paths, &err) == 0)
            return 0;
    }
    (void)fprintf(stderr, "%s\n", err.text);
    return err.kind == ERR_USAGE ? 2 : 1;
}
