/* SPDX-License-Identifier: ISC */
#include "record/crash_results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/durability.h"
#include "measure/statistics.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *level;
    const char *name;
} levels[] = { { "1", "kill -9" },
               { "1b", "kill -9 of a backend" },
               { "1c", "kill -9 of the client" },
               { "2", "power cut" },
               { "3", "bad disk" },
               { "4", "loss of its node" },
               { "4k", "kill -9 of its node" },
               { "4s", "SIGSTOP of its node" },
               { "4n", "no network of its node" } };

/* The rank of a level; behind all if there is no such level. */
static size_t rank_of(const char *level)
{
    size_t rank = 0;

    while (rank < COUNT_OF(levels) && strcmp(levels[rank].level, level) != 0)
        rank++;
    return rank;
}

const char *crash_level_name(const char *level)
{
    const size_t rank = rank_of(level);

    return rank < COUNT_OF(levels) ? levels[rank].name : "";
}

/* Reading */

static const char *text_of(const json_t *object, const char *key)
{
    const char *const text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static uint64_t count_of(const json_t *object, const char *key)
{
    const json_t *const value = json_object_get(object, key);

    return json_is_integer(value) && json_integer_value(value) >= 0
               ? (uint64_t)json_integer_value(value)
               : RECORD_UNKNOWN;
}

static bool is_verdict(const char *text)
{
    static const char *const verdicts[] = { "kept",   "lost",    "resurrected",
                                            "hole",   "phantom", "corrupt",
                                            "invalid" };

    for (size_t i = 0; i < COUNT_OF(verdicts); i++) {
        if (strcmp(verdicts[i], text) == 0)
            return true;
    }
    return false;
}

/* NULL, or what is wrong with a line. */
static const char *find_fault(const json_t *line)
{
    const json_t *const labels = json_object_get(line, "labels");
    const char *const verdict = text_of(line, "verdict");
    const char *const class =
        text_of(json_object_get(line, "durability"), "class");
    enum durability any;

    if (!is_verdict(verdict))
        return "the verdict is not one that is known";
    if (text_of(line, "store")[0] == '\0')
        return "store is missing";
    if (text_of(labels, "cell")[0] == '\0')
        return "the label cell is missing: it is of no campaign";
    if (rank_of(text_of(labels, "level")) == COUNT_OF(levels))
        return "the label level is not 1, 1b, 1c, 2, 3, 4, 4k, 4s or 4n";
    if (class[0] == '\0' && strcmp(verdict, "invalid") != 0 &&
        strcmp(verdict, "corrupt") != 0)
        return "durability is missing";
    if (class[0] != '\0' && durability_scan(class, &any) != 0)
        return "the class of durability is not one that is known";
    return NULL;
}

/* A new cell, behind those of its file whose level is not above its own. */
static struct crash_cell *insert_cell(struct crash_results *to,
                                      const struct crash_cell *cell)
{
    size_t place = to->count;

    to->cells = arena_grow(&to->memory, to->cells, to->count, &to->room,
                           sizeof *to->cells);
    for (; place > 0 && strcmp(to->cells[place - 1].file, cell->file) == 0 &&
           rank_of(to->cells[place - 1].level) > rank_of(cell->level);
         place--)
        to->cells[place] = to->cells[place - 1];
    to->cells[place] = *cell;
    to->count++;
    return &to->cells[place];
}

/* The cell of the line, a new one if need be. */
static struct crash_cell *find_cell(struct crash_results *to, const char *file,
                                    const json_t *line)
{
    const json_t *const labels = json_object_get(line, "labels");
    struct arena *const memory = &to->memory;

    for (size_t i = 0; i < to->count; i++) {
        struct crash_cell *const cell = &to->cells[i];

        if (strcmp(cell->file, file) == 0 &&
            strcmp(cell->name, text_of(labels, "cell")) == 0 &&
            strcmp(cell->level, text_of(labels, "level")) == 0)
            return cell;
    }
    const struct crash_cell cell = {
        .file = file,
        .name = record_copy_text(memory, text_of(labels, "cell")),
        .level = record_copy_text(memory, text_of(labels, "level")),
        .store = record_copy_text(memory, text_of(line, "store")),
        .control = record_copy_text(memory, text_of(labels, "control")),
        .product = "",
        .class = "",
        .from = "",
    };
    return insert_cell(to, &cell);
}

/* A line of a server that did not start does not tell its settings. */
static void add_settings(struct arena *memory, struct crash_cell *cell,
                         const json_t *line)
{
    const json_t *const durability = json_object_get(line, "durability");
    const char *const class = text_of(durability, "class");
    const char *const from = text_of(durability, "from");

    if (class[0] == '\0')
        return;
    if (cell->class[0] != '\0') {
        if (strcmp(cell->class, class) != 0 || strcmp(cell->from, from) != 0)
            cell->class = "mixed";
        return;
    }
    cell->class = record_copy_text(memory, class);
    cell->from = record_copy_text(memory, from);
    cell->product = record_copy_text(memory, text_of(line, "product"));
    cell->batch = count_of(json_object_get(line, "load"), "batch");
}

/* Lost, outdated and resurrected ones; RECORD_UNKNOWN if they are not there. */
static uint64_t count_leases(const json_t *line)
{
    static const char *const ways[] = { "lost", "outdated", "resurrected" };
    const json_t *const leases = json_object_get(line, "leases");
    uint64_t sum = 0;

    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        const uint64_t count = count_of(leases, ways[i]);

        if (count > UINT32_MAX)
            return RECORD_UNKNOWN;
        sum += count;
    }
    return sum;
}

static void add_line(struct crash_results *to, const char *file,
                     const json_t *line)
{
    const char *const verdict = text_of(line, "verdict");
    const json_t *const operations = json_object_get(line, "operations");
    struct crash_cell *const cell = find_cell(to, file, line);

    if (strcmp(verdict, "invalid") == 0) {
        cell->invalid++;
        return;
    }
    add_settings(&to->memory, cell, line);
    cell->lossy += strcmp(verdict, "kept") != 0;
    cell->corrupt += strcmp(verdict, "corrupt") == 0;
    cell->holes += strcmp(verdict, "hole") == 0;
    /* Older lines do not say. */
    cell->torn +=
        json_integer_value(json_object_get(operations, "torn_batches")) > 0;
    cell->crashes = arena_grow(&to->memory, cell->crashes, cell->judged,
                               &cell->room, sizeof *cell->crashes);
    cell->crashes[cell->judged++] = (struct crash){ {
        [CRASH_LEASES] = count_leases(line),
        [CRASH_WINDOW_OPERATIONS] = count_of(line, "window_operations"),
        [CRASH_WINDOW_NS] = count_of(line, "window_ns"),
        [CRASH_RECOVERY_NS] = count_of(line, "recovery_ns"),
    } };
}

void crash_results_gather(struct crash_results *results,
                          const struct archive *archive,
                          archive_complain *complain, void *context)
{
    *results = (struct crash_results){ .count = 0 };
    for (size_t i = 0; i < archive->crash_count; i++) {
        const struct archive_crash *const crash = &archive->crashes[i];
        json_t *const line = json_loadb(crash->text, crash->length, 0, NULL);
        const char *const fault = find_fault(line);

        if (fault != NULL)
            complain(context, crash->file, crash->line, fault);
        else
            add_line(results, crash->file, line);
        json_decref(line);
    }
}

void crash_results_release(struct crash_results *results)
{
    arena_release(&results->memory);
    *results = (struct crash_results){ .count = 0 };
}

/* What they say */

/* True if "loses at 2 3" names the cell's level. */
static bool is_control(const struct crash_cell *cell, const char *what)
{
    const size_t length = strlen(what);

    return strncmp(cell->control, what, length) == 0 &&
           strchr(cell->control + length, cell->level[0]) != NULL;
}

bool crash_must_lose(const struct crash_cell *cell)
{
    return is_control(cell, "loses at ");
}

const char *crash_doubt(const struct crash_results *results,
                        const struct crash_cell *cell)
{
    bool must_lose = false;
    bool must_keep = false;

    for (size_t i = 0; i < results->count; i++) {
        const struct crash_cell *const other = &results->cells[i];
        const bool keeps = is_control(other, "keeps at ");

        if (strcmp(other->file, cell->file) != 0 ||
            strcmp(other->level, cell->level) != 0 || other->judged == 0)
            continue;
        if (crash_must_lose(other) && other->lossy == 0)
            return "a control that must lose did not";
        if (keeps && other->lossy > 0)
            return "a control that must not lose did";
        must_lose |= crash_must_lose(other);
        must_keep |= keeps;
    }
    /* The kill of a backend or a client alone is judged as that of all is. */
    if (strcmp(cell->level, "1b") == 0 || strcmp(cell->level, "1c") == 0)
        return NULL;
    if (!must_keep)
        return "there is no control that must not lose";
    return must_lose ? NULL : "there is no control that must lose";
}

bool crash_contradicts(const struct crash_results *results,
                       const struct crash_cell *cell)
{
    /* A class promises nothing of the loss of its node, "4" and so on. */
    const bool node = cell->level[0] == '4';
    const bool kill = cell->level[0] == '1';
    const bool safe = strcmp(cell->class, "power-safe") == 0;
    const bool process = strcmp(cell->class, "process-safe") == 0 ||
                         strcmp(cell->class, "bounded") == 0;

    return cell->lossy > 0 && !node && !crash_must_lose(cell) &&
           (safe || (kill && process)) && crash_doubt(results, cell) == NULL;
}

double crash_bound(const struct crash_cell *cell)
{
    return cell->judged > 0
               ? statistics_binomial_upper(cell->lossy, cell->judged)
               : 1;
}

/* Beside a rate */

/* "SQLite 3.40.1": the store's first fact, as a crash tells it. */
static bool same_product(const struct crash_cell *cell,
                         const struct record *record)
{
    if (record->facts.count == 0)
        return false;
    const struct record_property *const property = &record->facts.items[0];
    const size_t name = strlen(property->key);
    const size_t length = name + 1 + strlen(property->value);

    /* More may follow, but not of the version. */
    return strncmp(cell->product, property->key, name) == 0 &&
           cell->product[name] == ' ' &&
           strncmp(cell->product + name + 1, property->value,
                   strlen(property->value)) == 0 &&
           strchr(" ,", cell->product[length]) != NULL;
}

static bool same_settings(const struct crash_cell *cell,
                          const struct record *record)
{
    const char *const batch = record_parameter(record, "batch");

    return record->durability_known &&
           strcmp(cell->store, record->store) == 0 &&
           strcmp(cell->class, durability_name(record->durability)) == 0 &&
           strcmp(cell->from, record->durability_from) == 0 &&
           strtoull(batch[0] != '\0' ? batch : "1", NULL, 10) == cell->batch &&
           same_product(cell, record);
}

/* True if it lost more often; of cells that did so as often, if it says less.
   NULL is the best of all. */
static bool is_worse(const struct crash_cell *a, const struct crash_cell *b)
{
    if (b == NULL)
        return true;
    const double share = (double)a->lossy / (double)a->judged;
    const double other = (double)b->lossy / (double)b->judged;

    return share > other || (share >= other && a->judged < b->judged);
}

const char *crash_results_of(const struct crash_results *results,
                             const struct record *record, struct arena *memory)
{
    const struct crash_cell *worst[COUNT_OF(levels)] = { NULL };
    const char *text = "";

    for (size_t i = 0; i < results->count; i++) {
        const struct crash_cell *const cell = &results->cells[i];
        const struct crash_cell **const of = &worst[rank_of(cell->level)];

        if (cell->judged > 0 && !crash_must_lose(cell) &&
            same_settings(cell, record) && crash_doubt(results, cell) == NULL &&
            is_worse(cell, *of))
            *of = cell;
    }
    for (size_t i = 0; i < COUNT_OF(levels); i++) {
        if (worst[i] != NULL)
            text = arena_join(memory, text, ", ",
                              "%s %" PRIu64 " of %zu (at most %.3g %%)",
                              levels[i].name, worst[i]->lossy, worst[i]->judged,
                              100 * crash_bound(worst[i]));
    }
    return text;
}
