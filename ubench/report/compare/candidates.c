/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "report/choose.h"
#include "report/compare/parts.h"

/* Makes room for so many. */
static void make_room(struct comparisons *comparisons, size_t count)
{
    struct arena *const memory = &comparisons->memory;

    comparisons->configs =
        arena_alloc(memory, count, sizeof *comparisons->configs);
    comparisons->items = arena_alloc(memory, count, sizeof *comparisons->items);
    for (size_t i = 0; i < count; i++)
        comparisons->items[i] =
            (struct comparison){ .memory = memory, .lacking = "" };
}

static int add(struct opt_settings *settings, const char *name,
               const char *value, struct err *err)
{
    if (settings->count == OPT_SETTINGS_MAX)
        return err_set_class(err, ERR_USAGE, "more than %d settings for %s",
                             OPT_SETTINGS_MAX, name);
    settings->items[settings->count++] = (struct opt_setting){ name, value };
    return 0;
}

/* A key that is there twice; NULL if none is. */
static const char *find_repeated(const struct opt_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        const char *const name = settings->items[i].name;

        for (size_t k = i + 1; k < settings->count; k++) {
            if (strcmp(settings->items[k].name, name) == 0)
                return name;
        }
    }
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    return key_compare_values(*(const char *const *)a, *(const char *const *)b);
}

/* The values of a key among the results, in order, each once. */
static size_t list_values(const struct compare_config *config,
                          const struct archive *archive, const char **values)
{
    size_t count = 0;
    size_t distinct = 0;

    for (size_t i = 0; i < archive->count; i++) {
        const struct record *const record = &archive->records[i];
        const char *const value = choose_value(record, config->by);

        if (value != NULL && choose_has_all(record, &config->where) &&
            (!record_is_reference(record) ||
             choose_setting(&config->where, "role") != NULL))
            values[count++] = value;
    }
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(values[i], values[distinct - 1]) != 0)
            values[distinct++] = values[i];
    }
    return distinct;
}

static int find_by_values(struct comparisons *comparisons,
                          const struct compare_config *config,
                          const struct archive *archive, struct err *err)
{
    const char **const values =
        arena_alloc(&comparisons->memory, archive->count + 1, sizeof *values);
    const size_t count = list_values(config, archive, values);
    const char *const chosen = choose_setting(&config->baseline, config->by);

    if (count < 2)
        return err_set_class(err, ERR_USAGE,
                             "--by: the results have %s value of '%s'",
                             count == 0 ? "no" : "only one", config->by);
    const char *const baseline = chosen != NULL ? chosen : values[0];
    make_room(comparisons, count);
    for (size_t i = 0; i < count; i++) {
        struct compare_config *const to =
            &comparisons->configs[comparisons->count];

        if (strcmp(values[i], baseline) == 0)
            continue;
        *to = *config;
        to->candidate.count = 0;
        comparisons->count++;
        for (size_t k = 0; k < config->baseline.count; k++) {
            const struct opt_setting *const item = &config->baseline.items[k];

            if (strcmp(item->name, config->by) != 0 &&
                add(&to->candidate, item->name, item->value, err) != 0)
                return -1;
        }
        if ((chosen == NULL &&
             add(&to->baseline, config->by, baseline, err) != 0) ||
            add(&to->candidate, config->by, values[i], err) != 0)
            return -1;
    }
    return 0;
}

static int find_repeats(struct comparisons *comparisons,
                        const struct compare_config *config, struct err *err)
{
    const struct opt_settings *const all = &config->candidate;
    const char *const repeated = find_repeated(all);

    make_room(comparisons, all->count);
    for (size_t i = 0; i < all->count; i++) {
        struct compare_config *const to =
            &comparisons->configs[comparisons->count];

        if (repeated != NULL && strcmp(all->items[i].name, repeated) != 0)
            continue;
        *to = *config;
        comparisons->count++;
        if (repeated == NULL)
            return 0;
        to->candidate.count = 0;
        for (size_t k = 0; k < all->count; k++) {
            const struct opt_setting *const item = &all->items[k];

            if ((k == i || strcmp(item->name, repeated) != 0) &&
                add(&to->candidate, item->name, item->value, err) != 0)
                return -1;
        }
    }
    return 0;
}

int compare_candidates_find(struct comparisons *comparisons,
                            const struct compare_config *config,
                            const char *const *files, size_t file_count,
                            const struct archive *archive, struct err *err)
{
    if (config->by != NULL)
        return find_by_values(comparisons, config, archive, err);
    if (config->candidate.count > 0)
        return find_repeats(comparisons, config, err);
    make_room(comparisons, file_count);
    for (size_t i = 1; i < file_count; i++) {
        struct compare_config *const to =
            &comparisons->configs[comparisons->count++];

        *to = *config;
        to->files[COMPARE_BASELINE] = files[0];
        to->files[COMPARE_CANDIDATE] = files[i];
    }
    return 0;
}
