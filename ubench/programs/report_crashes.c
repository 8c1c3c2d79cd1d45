/* SPDX-License-Identifier: ISC */
/* ubench_report crashes: what campaigns of scripts/crash.sh came to. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "measure/statistics.h"
#include "programs/report.h"

enum { NAME_SIZE = 64, LEVEL_SIZE = 8 };

/* All crashes of one cell at one level. */
struct cell {
    char name[NAME_SIZE];
    char level[LEVEL_SIZE];
    char class[16];
    char control[24]; /* "loses at 2", "keeps at 1 2" or "" */
    uint64_t judged;
    uint64_t losses;
    uint64_t corrupt;
    uint64_t holes;
    uint64_t invalid;
    size_t kept; /* of these, values: at most STATISTICS_MAX */
    double lost[STATISTICS_MAX];
    double window_ms[STATISTICS_MAX];
    size_t recovered;
    double recovery_ms[STATISTICS_MAX];
};

struct campaign {
    size_t count;
    struct cell **cells;
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *const text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* The cell of that name and level, a new one if need be; NULL: no memory. */
static struct cell *find_cell(struct campaign *campaign, const char *name,
                              const char *level)
{
    for (size_t i = 0; i < campaign->count; i++) {
        if (strcmp(campaign->cells[i]->name, name) == 0 &&
            strcmp(campaign->cells[i]->level, level) == 0)
            return campaign->cells[i];
    }
    struct cell **const cells =
        realloc(campaign->cells, (campaign->count + 1) * sizeof *cells);
    struct cell *const cell = calloc(1, sizeof *cell);
    if (cells != NULL)
        campaign->cells = cells;
    if (cells == NULL || cell == NULL) {
        free(cell);
        return NULL;
    }
    (void)snprintf(cell->name, sizeof cell->name, "%s", name);
    (void)snprintf(cell->level, sizeof cell->level, "%s", level);
    campaign->cells[campaign->count++] = cell;
    return cell;
}

static void add_crash(struct cell *cell, const json_t *line)
{
    const char *const verdict = text_of(line, "verdict");
    const json_t *const window = json_object_get(line, "window_operations");
    const json_t *const recovery = json_object_get(line, "recovery_ns");

    if (strcmp(verdict, "invalid") == 0) {
        cell->invalid++;
        return;
    }
    (void)snprintf(cell->class, sizeof cell->class, "%s",
                   text_of(json_object_get(line, "durability"), "class"));
    cell->judged++;
    cell->losses += strcmp(verdict, "kept") != 0;
    cell->corrupt += strcmp(verdict, "corrupt") == 0;
    cell->holes += strcmp(verdict, "hole") == 0;
    if (json_is_integer(window) && cell->kept < STATISTICS_MAX) {
        cell->lost[cell->kept] = json_number_value(window);
        cell->window_ms[cell->kept++] = number_of(line, "window_ns") / 1e6;
    }
    if (json_is_integer(recovery) && cell->recovered < STATISTICS_MAX)
        cell->recovery_ms[cell->recovered++] =
            json_number_value(recovery) / 1e6;
}

static int add_line(struct campaign *campaign, const json_t *line,
                    struct err *err)
{
    const json_t *const labels = json_object_get(line, "labels");

    if (strcmp(text_of(line, "format"), "ubench-crash/1") != 0)
        return 0; /* the machine's own line, say */
    struct cell *const cell =
        find_cell(campaign, text_of(labels, "cell"), text_of(labels, "level"));
    if (cell == NULL)
        return err_set(err, "out of memory");
    (void)snprintf(cell->control, sizeof cell->control, "%s",
                   text_of(labels, "control"));
    add_crash(cell, line);
    return 0;
}

static int read_file(struct campaign *campaign, const char *path,
                     struct err *err)
{
    FILE *const file = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    size_t number = 0;
    int status = 0;

    if (file == NULL)
        return err_set(err, "%s: %s", path, strerror(errno));
    while (status == 0 && getline(&text, &room, file) > 0) {
        json_error_t why;
        json_t *const line = json_loads(text, 0, &why);

        number++;
        status = line == NULL
                     ? err_set(err, "%s: line %zu: %s", path, number, why.text)
                     : add_line(campaign, line, err);
        json_decref(line);
    }
    free(text);
    (void)fclose(file);
    return status;
}

/* The table */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* "median [least-most]", or "-". */
static void print_spread(double *values, size_t count, int width)
{
    char text[64] = "-";

    if (count > 0) {
        qsort(values, count, sizeof *values, compare);
        const int decimals = values[count - 1] < 10 ? 1 : 0;

        (void)snprintf(text, sizeof text, "%.*f [%.*f-%.*f]", decimals,
                       statistics_median_sorted(values, count), decimals,
                       values[0], decimals, values[count - 1]);
    }
    (void)printf("  %-*s", width, text);
}

static void print_cell(struct cell *cell)
{
    char crashes[48];

    (void)snprintf(crashes, sizeof crashes, "%" PRIu64 " of %" PRIu64,
                   cell->losses, cell->judged);
    (void)printf("%-32s %-5s %-12s %11s", cell->name, cell->level, cell->class,
                 crashes);
    if (cell->judged > 0)
        (void)printf(" %7.2f %%", 100 * statistics_binomial_upper(
                                            cell->losses, cell->judged));
    else
        (void)printf("         -");
    print_spread(cell->lost, cell->kept, 20);
    print_spread(cell->window_ms, cell->kept, 20);
    print_spread(cell->recovery_ms, cell->recovered, 20);
    if (cell->holes > 0)
        (void)printf(" %" PRIu64 " with holes", cell->holes);
    if (cell->corrupt > 0)
        (void)printf(" %" PRIu64 " corrupt", cell->corrupt);
    if (cell->invalid > 0)
        (void)printf(" %" PRIu64 " not judged", cell->invalid);
    (void)fputc('\n', stdout);
}

/* True if the cell is such a control at its own level. */
static bool is_control(const struct cell *cell, const char *what)
{
    const size_t length = strlen(what);

    return strncmp(cell->control, what, length) == 0 &&
           strchr(cell->control + length, cell->level[0]) != NULL;
}

/* Contradictions of the class that the settings stand for: what is power-safe
   and lost at all, what is process-safe or bounded and lost to a mere kill.
   The control that lies is there to do so. */
static bool contradicts(const struct cell *cell)
{
    const bool kill = cell->level[0] == '1';
    const bool safe = strcmp(cell->class, "power-safe") == 0;
    const bool process = strcmp(cell->class, "process-safe") == 0 ||
                         strcmp(cell->class, "bounded") == 0;

    return cell->losses > 0 && !is_control(cell, "loses at ") &&
           (safe || (kill && process));
}

static void print_contradictions(const struct campaign *campaign)
{
    for (size_t i = 0; i < campaign->count; i++) {
        const struct cell *const cell = campaign->cells[i];

        if (contradicts(cell))
            (void)printf("CONTRADICTION: %s is %s by its settings, and lost "
                         "acknowledged changes in %" PRIu64 " of %" PRIu64
                         " crashes at level %s\n",
                         cell->name, cell->class, cell->losses, cell->judged,
                         cell->level);
    }
}

/* What a level's controls say: NULL if it may be believed. */
static const char *doubt(const struct campaign *campaign, const char *level)
{
    bool must_lose = false;
    bool must_keep = false;

    for (size_t i = 0; i < campaign->count; i++) {
        const struct cell *const cell = campaign->cells[i];
        const bool loses = is_control(cell, "loses at ");
        const bool keeps = is_control(cell, "keeps at ");

        if (strcmp(cell->level, level) != 0 || cell->judged == 0)
            continue;
        if (loses && cell->losses == 0)
            return "a control that must lose did not";
        if (keeps && cell->losses > 0)
            return "a control that must not lose did";
        must_lose |= loses;
        must_keep |= keeps;
    }
    /* A backend alone and a bad disk have those of the others. */
    if (strcmp(level, "1b") == 0)
        return NULL;
    if (!must_keep)
        return "there is no control that must not lose";
    return must_lose ? NULL : "there is no control that must lose";
}

static int print_levels(const struct campaign *campaign)
{
    static const char *const levels[] = { "1", "1b", "2", "3" };
    int status = REPORT_DONE;

    print_contradictions(campaign);
    (void)printf("%-32s %-5s %-12s %11s %9s  %-20s  %-20s  %-20s\n", "cell",
                 "level", "class", "lossy", "at most", "lost operations",
                 "window [ms]", "recovery [ms]");
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        bool any = false;

        for (size_t i = 0; i < campaign->count; i++)
            any |= strcmp(campaign->cells[i]->level, levels[l]) == 0;
        if (!any)
            continue;
        const char *const why = doubt(campaign, levels[l]);
        if (why != NULL) {
            (void)printf("level %s: no verdict: %s\n", levels[l], why);
            status = REPORT_FAILED;
            continue;
        }
        for (size_t i = 0; i < campaign->count; i++) {
            if (strcmp(campaign->cells[i]->level, levels[l]) == 0)
                print_cell(campaign->cells[i]);
        }
    }
    (void)printf("\nlossy: crashes that lost or damaged something that was "
                 "acknowledged; at most: how\noften that happens in truth, "
                 "with a confidence of 95 %% (Clopper-Pearson).\n");
    return status;
}

struct crashes_config {
    bool help;
};

static const struct opt crashes_opts[] = {
    { .kind = OPT_KIND_FLAG,
      .letter = 'h',
      .name = "help",
      .offset = OPT_FIELD_BOOL(struct crashes_config, help),
      .help = "print this and exit" },
    { .kind = OPT_KIND_END },
};

static int run_crashes(int argc, char **argv)
{
    struct crashes_config config = { 0 };
    struct campaign campaign = { 0 };
    struct err err = { 0 };
    int first;
    int status = report_begin(&report_crashes, &config, &config.help, argc,
                              argv, &first);

    if (status != REPORT_GO_ON)
        return status;
    if (first >= argc)
        (void)err_set_class(&err, ERR_USAGE, "no files were named");
    for (int i = first; i < argc && err.text[0] == '\0'; i++)
        (void)read_file(&campaign, argv[i], &err);
    if (err.text[0] == '\0' && campaign.count == 0)
        (void)err_set(&err, "there are no crashes in %s", argv[first]);
    status = err.text[0] != '\0' ? report_failed(&report_crashes, &err)
                                 : print_levels(&campaign);
    for (size_t i = 0; i < campaign.count; i++)
        free(campaign.cells[i]);
    free(campaign.cells);
    return status;
}

const struct report_command report_crashes = {
    .name = "crashes",
    .operands = "FILE...",
    .summary = "what was lost in the crashes of scripts/crash.sh",
    .epilogue = "ubench_report crashes build/crash/crashes.jsonl\n"
                "    A level whose controls failed has no verdict, and the "
                "exit status is 1.\n",
    .opts = crashes_opts,
    .run = run_crashes,
};
