/* SPDX-License-Identifier: ISC */
#include "report/choose.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

const char *choose_class(const struct record *record)
{
    return record->durability_known ? durability_name(record->durability)
                                    : "unknown";
}

const char *choose_value(const struct record *record, const char *key)
{
    const struct record_properties *const places[] = {
        &record->parameters, &record->facts, &record->labels, &record->host
    };

    if (strcmp(key, "store") == 0)
        return record->store;
    if (strcmp(key, "version") == 0)
        return record->version;
    if (strcmp(key, "durability") == 0)
        return choose_class(record);
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        const char *const value = record_properties_find(places[i], key);

        if (value != NULL)
            return value;
    }
    return NULL;
}

bool choose_has_all(const struct record *record,
                    const struct opt_settings *wanted)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const char *const value = choose_value(record, wanted->items[i].name);

        if (value == NULL || strcmp(value, wanted->items[i].value) != 0)
            return false;
    }
    return true;
}

const char *choose_setting(const struct opt_settings *settings, const char *key)
{
    for (size_t i = 0; i < settings->count; i++) {
        if (strcmp(settings->items[i].name, key) == 0)
            return settings->items[i].value;
    }
    return NULL;
}

/* Refuses NAME=VALUE that no result has; says what there is instead. */
static int check_setting(const char *option, const struct opt_setting *setting,
                         const struct archive *archive, struct err *err)
{
    enum { SHOWN = 8 };
    const char *shown[SHOWN];
    size_t count = 0;

    for (size_t i = 0; i < archive->count; i++) {
        const char *const value =
            choose_value(&archive->records[i], setting->name);
        size_t k = 0;

        if (value != NULL && strcmp(value, setting->value) == 0)
            return 0;
        while (value != NULL && k < count && strcmp(shown[k], value) != 0)
            k++;
        if (value != NULL && k == count && count < SHOWN)
            shown[count++] = value;
    }
    if (count == 0)
        return err_set_class(err, ERR_USAGE,
                             "--%s: no result has '%s'; a parameter, a fact, "
                             "a label, store, version or durability is wanted",
                             option, setting->name);
    struct arena memory = { 0 };
    const char *list = "";
    for (size_t i = 0; i < count; i++)
        list = arena_join(&memory, list, ", ", "%.40s", shown[i]);
    (void)err_set_class(
        err, ERR_USAGE, "--%s: no result has %s=%s; there is %s%s", option,
        setting->name, setting->value, list, count == SHOWN ? ", ..." : "");
    arena_release(&memory);
    return -1;
}

int choose_check(const char *option, const struct opt_settings *settings,
                 const struct archive *archive, struct err *err)
{
    for (size_t i = 0; i < settings->count; i++) {
        if (check_setting(option, &settings->items[i], archive, err) != 0)
            return -1;
    }
    return 0;
}
