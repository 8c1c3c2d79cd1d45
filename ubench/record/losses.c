/* SPDX-License-Identifier: ISC */
#include "record/losses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/durability.h"
#include "measure/statistics.h"

static const char *const levels[] = { "1", "1b", "1c", "2", "3" };

enum { LEVELS = sizeof levels / sizeof levels[0] };

static const char *const verdicts[] = { "kept",   "lost",    "resurrected",
                                        "hole",   "phantom", "corrupt",
                                        "invalid" };

/* A line, and the cell that it belongs to. */
struct crash {
    size_t cell;
    size_t place; /* in the archive */
    struct loss loss;
};

/* What a line is read into. */
struct gatherer {
    struct losses *losses;
    struct loss_cell *cells;
    struct crash *crashes; /* those that were judged */
    size_t crash_count;
};

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

static bool is_one_of(const char *const *texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(texts[i], text) == 0)
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
    enum durability durability;

    if (!is_one_of(verdicts, sizeof verdicts / sizeof verdicts[0], verdict))
        return "the verdict is not one that is known";
    if (text_of(line, "store")[0] == '\0')
        return "store is missing";
    if (text_of(labels, "cell")[0] == '\0')
        return "the label cell is missing: it is of no campaign";
    if (!is_one_of(levels, LEVELS, text_of(labels, "level")))
        return "the label level is not 1, 1b, 1c, 2 or 3";
    if (class[0] == '\0' && strcmp(verdict, "invalid") != 0 &&
        strcmp(verdict, "corrupt") != 0)
        return "durability is missing";
    if (class[0] != '\0' && durability_scan(class, &durability) != 0)
        return "the class of durability is not one that is known";
    return NULL;
}

/* The cell of the line, a new one if need be. */
static size_t find_cell(struct gatherer *to, const char *file,
                        const json_t *line)
{
    const json_t *const labels = json_object_get(line, "labels");
    struct arena *const memory = &to->losses->memory;
    size_t i = 0;

    for (; i < to->losses->count; i++) {
        if (strcmp(to->cells[i].file, file) == 0 &&
            strcmp(to->cells[i].name, text_of(labels, "cell")) == 0 &&
            strcmp(to->cells[i].level, text_of(labels, "level")) == 0)
            return i;
    }
    to->cells[to->losses->count++] = (struct loss_cell){
        .file = file,
        .name = record_copy_text(memory, text_of(labels, "cell")),
        .level = record_copy_text(memory, text_of(labels, "level")),
        .store = record_copy_text(memory, text_of(line, "store")),
        .control = record_copy_text(memory, text_of(labels, "control")),
        .product = "",
        .class = "",
        .from = "",
        .why = "",
    };
    return i;
}

/* A line of a server that did not start does not tell its settings. */
static void add_settings(struct arena *memory, struct loss_cell *cell,
                         const json_t *line)
{
    const json_t *const durability = json_object_get(line, "durability");
    const char *const class = text_of(durability, "class");

    if (class[0] == '\0')
        return;
    if (cell->class[0] != '\0') {
        if (strcmp(cell->class, class) != 0 ||
            strcmp(cell->from, text_of(durability, "from")) != 0)
            cell->class = "mixed";
        return;
    }
    cell->class = record_copy_text(memory, class);
    cell->from = record_copy_text(memory, text_of(durability, "from"));
    cell->product = record_copy_text(memory, text_of(line, "product"));
    cell->batch = count_of(json_object_get(line, "load"), "batch");
}

/* Lost, outdated and resurrected ones; RECORD_UNKNOWN if nobody counted. */
static uint64_t count_leases(const json_t *line)
{
    static const char *const ways[] = { "lost", "outdated", "resurrected" };
    const json_t *const leases = json_object_get(line, "leases");
    uint64_t sum = 0;

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const uint64_t count = count_of(leases, ways[i]);

        if (count > UINT32_MAX)
            return RECORD_UNKNOWN;
        sum += count;
    }
    return sum;
}

static void add_line(struct gatherer *to, const char *file, size_t place,
                     const json_t *line)
{
    const char *const verdict = text_of(line, "verdict");
    const size_t number = find_cell(to, file, line);
    struct loss_cell *const cell = &to->cells[number];
    const bool lossy = strcmp(verdict, "kept") != 0;

    if (strcmp(verdict, "invalid") == 0) {
        if (cell->invalid++ == 0)
            cell->why =
                record_copy_text(&to->losses->memory, text_of(line, "why"));
        return;
    }
    add_settings(&to->losses->memory, cell, line);
    cell->judged++;
    cell->lossy += lossy;
    cell->corrupt += strcmp(verdict, "corrupt") == 0;
    cell->holes += strcmp(verdict, "hole") == 0;
    /* Older lines do not say. */
    cell->torn += json_integer_value(json_object_get(
                      json_object_get(line, "operations"), "torn_batches")) > 0;
    to->crashes[to->crash_count++] = (struct crash){
        .cell = number,
        .place = place,
        .loss = { .lossy = lossy,
                  .leases = count_leases(line),
                  .window_operations = count_of(line, "window_operations"),
                  .window_ns = count_of(line, "window_ns"),
                  .recovery_ns = count_of(line, "recovery_ns") },
    };
}

static int by_cell(const void *a, const void *b)
{
    const struct crash *const x = a;
    const struct crash *const y = b;

    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Gives each cell the crashes that are its own. */
static void hand_out(struct gatherer *from)
{
    struct loss *const all =
        arena_alloc(&from->losses->memory, from->crash_count + 1, sizeof *all);
    size_t next = 0;

    if (from->crash_count > 0)
        qsort(from->crashes, from->crash_count, sizeof *from->crashes, by_cell);
    for (size_t i = 0; i < from->crash_count; i++)
        all[i] = from->crashes[i].loss;
    for (size_t i = 0; i < from->losses->count; i++) {
        from->cells[i].crashes = all + next;
        next += from->cells[i].judged;
    }
}

static size_t level_rank(const char *level)
{
    size_t rank = 0;

    while (rank < LEVELS && strcmp(levels[rank], level) != 0)
        rank++;
    return rank;
}

/* Sorts by file and level; what is equal keeps its order. */
static void sort_cells(struct loss_cell *cells, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct loss_cell cell = cells[i];
        size_t k = i;

        for (; k > 0 && strcmp(cells[k - 1].file, cell.file) == 0 &&
               level_rank(cells[k - 1].level) > level_rank(cell.level);
             k--)
            cells[k] = cells[k - 1];
        cells[k] = cell;
    }
}

void losses_gather(struct losses *losses, const struct archive *archive,
                   archive_complain *complain, void *context)
{
    *losses = (struct losses){ .count = 0 };
    struct arena *const memory = &losses->memory;
    const size_t most = archive->other_count + 1;
    struct gatherer to = {
        .losses = losses,
        .cells = arena_alloc(memory, most, sizeof *to.cells),
        .crashes = arena_alloc(memory, most, sizeof *to.crashes),
    };

    for (size_t i = 0; i < archive->other_count; i++) {
        const struct archive_other *const other = &archive->others[i];
        json_t *const line = json_loadb(other->text, other->length, 0, NULL);
        const char *const fault = find_fault(line);

        if (fault != NULL)
            complain(context, other->file, other->line, fault);
        else
            add_line(&to, other->file, i, line);
        json_decref(line);
    }
    hand_out(&to);
    sort_cells(to.cells, losses->count);
    losses->cells = to.cells;
}

void losses_release(struct losses *losses)
{
    arena_release(&losses->memory);
    *losses = (struct losses){ .count = 0 };
}

/* What they say */

/* True if "loses at 2 3" names the cell's level. */
static bool is_control(const struct loss_cell *cell, const char *what)
{
    const size_t length = strlen(what);

    return strncmp(cell->control, what, length) == 0 &&
           strchr(cell->control + length, cell->level[0]) != NULL;
}

bool loss_is_meant(const struct loss_cell *cell)
{
    return is_control(cell, "loses at ");
}

static bool same_level(const struct loss_cell *a, const struct loss_cell *b)
{
    return strcmp(a->file, b->file) == 0 && strcmp(a->level, b->level) == 0;
}

const char *losses_doubt(const struct losses *losses,
                         const struct loss_cell *cell)
{
    bool must_lose = false;
    bool must_keep = false;

    for (size_t i = 0; i < losses->count; i++) {
        const struct loss_cell *const other = &losses->cells[i];
        const bool keeps = is_control(other, "keeps at ");

        if (!same_level(other, cell) || other->judged == 0)
            continue;
        if (loss_is_meant(other) && other->lossy == 0)
            return "a control that must lose did not";
        if (keeps && other->lossy > 0)
            return "a control that must not lose did";
        must_lose |= loss_is_meant(other);
        must_keep |= keeps;
    }
    /* The kill of a backend or a client alone is judged as that of all is. */
    if (strcmp(cell->level, "1b") == 0 || strcmp(cell->level, "1c") == 0)
        return NULL;
    if (!must_keep)
        return "there is no control that must not lose";
    return must_lose ? NULL : "there is no control that must lose";
}

bool losses_contradict(const struct losses *losses,
                       const struct loss_cell *cell)
{
    const bool kill = cell->level[0] == '1';
    const bool safe = strcmp(cell->class, "power-safe") == 0;
    const bool process = strcmp(cell->class, "process-safe") == 0 ||
                         strcmp(cell->class, "bounded") == 0;

    return cell->lossy > 0 && !loss_is_meant(cell) &&
           (safe || (kill && process)) && losses_doubt(losses, cell) == NULL;
}

double loss_bound(const struct loss_cell *cell)
{
    return cell->judged > 0
               ? statistics_binomial_upper(cell->lossy, cell->judged)
               : 1;
}

const char *loss_level_name(const char *level)
{
    static const char *const names[LEVELS + 1] = { "kill -9",
                                                   "kill -9 of a backend",
                                                   "kill -9 of the client",
                                                   "power cut",
                                                   "bad disk",
                                                   "" };

    return names[level_rank(level)];
}

/* Beside a rate */

/* "SQLite 3.40.1": the store's first fact, as a crash tells it. */
static bool same_product(const struct loss_cell *cell,
                         const struct record *record)
{
    if (record->facts.count == 0)
        return false;
    const struct record_property *const property = &record->facts.items[0];
    const size_t length = strlen(property->key);

    return strncmp(cell->product, property->key, length) == 0 &&
           cell->product[length] == ' ' &&
           strncmp(cell->product + length + 1, property->value,
                   strlen(property->value)) == 0;
}

static bool same_settings(const struct loss_cell *cell,
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

static double lossy_share(const struct loss_cell *cell)
{
    return (double)cell->lossy / (double)cell->judged;
}

/* Of two, the one that lost more often; of these, the one that tells less. */
static bool is_worse(const struct loss_cell *a, const struct loss_cell *b)
{
    if (lossy_share(a) > lossy_share(b) || lossy_share(a) < lossy_share(b))
        return lossy_share(a) > lossy_share(b);
    return a->judged < b->judged;
}

const struct loss_cell *losses_find(const struct losses *losses,
                                    const struct record *record,
                                    const char *level)
{
    const struct loss_cell *worst = NULL;

    for (size_t i = 0; i < losses->count; i++) {
        const struct loss_cell *const cell = &losses->cells[i];

        if (cell->judged == 0 || loss_is_meant(cell) ||
            strcmp(cell->level, level) != 0 || !same_settings(cell, record) ||
            losses_doubt(losses, cell) != NULL)
            continue;
        if (worst == NULL || is_worse(cell, worst))
            worst = cell;
    }
    return worst;
}

const char *losses_tell(const struct losses *losses,
                        const struct record *record, struct arena *memory)
{
    const char *text = "";

    for (size_t i = 0; i < LEVELS; i++) {
        const struct loss_cell *const cell =
            losses_find(losses, record, levels[i]);

        if (cell != NULL)
            text = arena_print(
                memory, "%s%s%s %" PRIu64 " of %" PRIu64 " (at most %.3g %%)",
                text, text[0] != '\0' ? ", " : "", loss_level_name(levels[i]),
                cell->lossy, cell->judged, 100 * loss_bound(cell));
    }
    return text;
}
