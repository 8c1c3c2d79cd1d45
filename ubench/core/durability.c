/* SPDX-License-Identifier: ISC */
#include "core/durability.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"

const struct durability_words durability_classes[] = {
    [DURABILITY_NONE] = { "none", "nothing is stored: this is the cost of measuring" },
    [DURABILITY_VOLATILE] = { "volatile", "killing a process or cutting the power can lose "
                                          "acknowledged changes" },
    [DURABILITY_PROCESS_SAFE] = { "process-safe", "killing a process loses nothing; a power cut "
                                                  "can lose any number of changes" },
    [DURABILITY_BOUNDED] = { "bounded", "killing a process loses nothing; a power cut can lose the "
                                        "changes since the log's last sync" },
    [DURABILITY_POWER_SAFE] = { "power-safe", "every acknowledged change "
                                              "survives a power cut" },
};

const struct durability_words *durability_scan(const char *name)
{
    const struct durability_words *found = &durability_classes[DURABILITY_POWER_SAFE];

    while (found != durability_classes && strcmp(found->name, name) != 0)
        found--;
    return found;
}

const struct durability_words node_losses[] = {
    [NODE_LOSS_NO] = { "unbounded", "not survived: changes are acknowledged before "
                                    "another node has them" },
    [NODE_LOSS_UNKNOWN] = { "unknown",
                            "unknown: nodes came or went, or the server does not show them" },
    [NODE_LOSS_YES] = { "nothing", "survived: another node has each acknowledged "
                                   "change" },
};

const char *const loss_names[] = {
    [LOSS_NOTHING] = "nothing",
    [LOSS_BOUNDED] = "bounded",
    [LOSS_UNBOUNDED] = "unbounded",
};

static void copy(char *to, size_t size, const char *text)
{
    (void)snprintf(to, size, "%s", text);
    text_clean(to);
}

static bool ends_with(const char *text, char last)
{
    return text[0] != '\0' && text[strlen(text) - 1] == last;
}

/* Appends a value in lower case, as a small table has it: "off" for "OFF". */
static void add_lower(char *text, size_t size, const char *value)
{
    const size_t length = strlen(text);

    text_append(text, size, "%s", value);
    for (char *c = text + length; *c != '\0'; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
}

struct promise_setting *promise_set(struct promise *promise, const char *name, const char *value,
                                    const char *label)
{
    assert(promise->setting_count < PROMISE_SETTINGS_MAX);
    struct promise_setting *const setting = &promise->settings[promise->setting_count++];

    *setting = (struct promise_setting){ .label = "" };
    copy(setting->name, sizeof setting->name, name);
    copy(setting->value, sizeof setting->value, value);
    if (label == NULL)
        return setting;
    (void)snprintf(setting->label, sizeof setting->label, "%s ", label);
    add_lower(setting->label, sizeof setting->label, setting->value);
    return setting;
}

static struct loss greater(struct loss x, struct loss y)
{
    if (x.kind != y.kind)
        return x.kind > y.kind ? x : y;
    return x.window_s > y.window_s ? x : y;
}

static void set_label(struct promise *promise, const struct durability_limit *limit,
                      const char *value)
{
    for (size_t i = 0; i < promise->setting_count; i++) {
        struct promise_setting *const setting = &promise->settings[i];

        if (strcmp(setting->name, limit->setting) != 0)
            continue;
        copy(setting->label, sizeof setting->label, limit->label);
        if (ends_with(limit->label, ' '))
            add_lower(setting->label, sizeof setting->label, value);
    }
}

void promise_limit(struct promise *promise, const struct durability_limit *limit, const char *value)
{
    assert(promise->reason_count < PROMISE_REASONS_MAX);
    struct promise_reason *const reason = &promise->reasons[promise->reason_count++];

    promise->kill = greater(promise->kill, limit->kill);
    promise->power = greater(promise->power, limit->power);
    if (limit->label != NULL)
        set_label(promise, limit, value);
    copy(reason->code, sizeof reason->code, limit->code);
    copy(reason->text, sizeof reason->text, limit->text);
    if (ends_with(limit->text, '='))
        text_append(reason->text, sizeof reason->text, "%s", value);
    text_clean(reason->text);
}

/* Returns true if the list, with a blank around each value, has the value. */
static bool is_one(const char *value, const char *list)
{
    const size_t length = strlen(value);

    while (*list == ' ' && list[1] != '\0' &&
           (strncasecmp(list + 1, value, length) != 0 || list[1 + length] != ' '))
        list += 1 + strcspn(list + 1, " ");
    return *list == ' ' && list[1] != '\0';
}

static struct loss with_window(struct loss loss, double window_s)
{
    if (loss.window_s < 0)
        loss.window_s = window_s;
    return loss;
}

void promise_limits(struct promise *promise, const struct durability_limit *limits,
                    const char *engine, const struct properties *values, double window_s)
{
    for (; limits->code != NULL; limits++) {
        const char *const value = properties_find(values, limits->setting);
        struct durability_limit limit = *limits;

        if (value == NULL || (limit.engine != NULL && strcmp(limit.engine, engine) != 0) ||
            is_one(value, limit.values) != limit.holds)
            continue;
        limit.kill = with_window(limit.kill, window_s);
        limit.power = with_window(limit.power, window_s);
        promise_limit(promise, &limit, value);
    }
}

enum durability promise_class(const struct promise *promise)
{
    if (promise->stores_nothing)
        return DURABILITY_NONE;
    if (promise->kill.kind != LOSS_NOTHING)
        return DURABILITY_VOLATILE;
    switch (promise->power.kind) {
    case LOSS_NOTHING:
        return DURABILITY_POWER_SAFE;
    case LOSS_BOUNDED:
        return DURABILITY_BOUNDED;
    case LOSS_UNBOUNDED:
        break;
    }
    return DURABILITY_PROCESS_SAFE;
}

void promise_text(const struct promise *promise, char *text, size_t size)
{
    const char *before = ": ";

    text[0] = '\0';
    for (size_t i = 0; i < promise->setting_count; i++) {
        const struct promise_setting *const setting = &promise->settings[i];

        if (setting->quiet)
            continue;
        text_append(text, size, "%s", text[0] != '\0' ? ", " : "");
        if (setting->text[0] != '\0')
            text_append(text, size, "%s", setting->text);
        else
            text_append(text, size, "%s=%s", setting->name, setting->value);
    }
    for (size_t i = 0; i < promise->reason_count; i++) {
        if (promise->reasons[i].text[0] == '\0')
            continue;
        text_append(text, size, "%s%s", text[0] != '\0' ? before : "", promise->reasons[i].text);
        before = "; ";
    }
}
