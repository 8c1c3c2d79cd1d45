/* SPDX-License-Identifier: ISC */
#include "runner/json/describe.h"

#include <stdlib.h>
#include <string.h>

#include "load/exchange/definition.h"
#include "load/exchange/steps.h"
#include "store/file_system.h"

/* Exchanges */

/* Returns how many store operations a step does; JSON_UNKNOWN for a search for
   a reservation, which tries the client's identifiers until one has a
   reservation. */
static uint64_t step_operations(const struct step *step, uint64_t candidates)
{
    if (step->action == STEP_FIND_RESERVATION)
        return JSON_UNKNOWN;
    if (step->action == STEP_CHECK_CANDIDATES)
        return candidates;
    return step->action == STEP_RECLAIM ? RECLAIM_LEASES : 1;
}

/* Returns the operations of all steps that change leases, or of all that
   search. */
static uint64_t sum_operations(const struct exchange *exchange, uint64_t candidates, bool changes)
{
    uint64_t sum = 0;

    for (const struct step *s = exchange->steps; s->action != STEP_END; s++) {
        const uint64_t count = step_operations(s, candidates);

        if (step_kinds[s->action].changes != changes)
            continue;
        if (count == JSON_UNKNOWN)
            return JSON_UNKNOWN;
        sum += count;
    }
    return sum;
}

void json_exchange(struct json *out, const struct exchange *exchange, uint64_t candidates)
{
    json_text(out, "name", exchange->name);
    json_count(out, "leases", exchange->leases);
    json_count(out, "searches", sum_operations(exchange, candidates, false));
    json_count(out, "changes", sum_operations(exchange, candidates, true));
    json_begin(out, "steps", '[');
    for (const struct step *s = exchange->steps; s->action != STEP_END; s++) {
        json_begin(out, NULL, '{');
        json_text(out, "name", s->name);
        json_text(out, "operation", step_kinds[s->action].operation);
        json_flag(out, "changes", step_kinds[s->action].changes);
        json_count(out, "count", step_operations(s, candidates));
        json_end(out, '}');
    }
    json_end(out, ']');
}

void json_definition(struct json *out, const struct exchange *exchange, uint64_t weight)
{
    char *const text = definition_text(exchange, weight);
    char *rest = text;

    json_begin(out, "definition", '[');
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (line[0] != '\0')
            json_text(out, NULL, line);
    }
    json_end(out, ']');
    free(text);
}

/* Writes the exchanges as a server without reservations does them, with one
   address checked. */
static void write_exchanges(struct json *out)
{
    json_begin(out, "exchanges", '[');
    for (const struct exchange *e = exchange_table; e->name != NULL; e++) {
        struct mix mix = { .count = 1, .kinds = { { .exchange = *e } } };

        mix_leave_out(&mix, STEP_FIND_RESERVATION);
        json_begin(out, NULL, '{');
        json_text(out, "help", e->help);
        json_begin(out, "families", '[');
        if ((e->families & EXCHANGE_V4) != 0)
            json_count(out, NULL, 4);
        if ((e->families & EXCHANGE_V6) != 0)
            json_count(out, NULL, 6);
        json_end(out, ']');
        json_exchange(out, &mix.kinds[0].exchange, 1);
        json_definition(out, e, 1);
        json_end(out, '}');
    }
    json_end(out, ']');
}

/* Writes the operations: their names in steps, and the phase that does the
   same. */
static void write_operations(struct json *out)
{
    json_begin(out, "operations", '[');
    for (size_t a = STEP_END + 1; a < STEP_ACTIONS; a++) {
        const struct step_kind *const kind = &step_kinds[a];
        size_t first = STEP_END + 1;

        while (strcmp(step_kinds[first].operation, kind->operation) != 0)
            first++;
        if (first < a)
            continue;
        json_begin(out, NULL, '{');
        json_text(out, "name", kind->operation);
        json_flag(out, "changes", kind->changes);
        json_text(out, "phase", kind->phase);
        json_end(out, '}');
    }
    json_end(out, ']');
}

/* Durability */

static void write_loss(struct json *out, const char *name, struct loss loss)
{
    json_begin(out, name, '{');
    json_text(out, "loss", loss_names[loss.kind]);
    if (loss.kind == LOSS_BOUNDED)
        json_positive(out, "window_s", loss.window_s);
    json_end(out, '}');
}

static void write_optional(struct json *out, const char *name, const char *text)
{
    if (text[0] != '\0')
        json_text(out, name, text);
}

void json_promise(struct json *out, const struct promise *promise)
{
    write_loss(out, "kill", promise->kill);
    write_loss(out, "power", promise->power);
    json_begin(out, "settings", '[');
    for (size_t i = 0; i < promise->setting_count; i++) {
        const struct promise_setting *const setting = &promise->settings[i];

        json_begin(out, NULL, '{');
        json_text(out, "name", setting->name);
        json_text(out, "value", setting->value);
        write_optional(out, "label", setting->label);
        if (setting->decisive)
            json_flag(out, "decisive", true);
        json_end(out, '}');
    }
    json_end(out, ']');
    json_begin(out, "reasons", '[');
    for (size_t i = 0; i < promise->reason_count; i++)
        json_text(out, NULL, promise->reasons[i].code);
    json_end(out, ']');
}

static void write_words(struct json *out, const char *name, const struct durability_words *words,
                        size_t count)
{
    json_begin(out, name, '[');
    for (size_t i = 0; i < count; i++) {
        json_begin(out, NULL, '{');
        json_text(out, "name", words[i].name);
        json_text(out, "meaning", words[i].meaning);
        json_end(out, '}');
    }
    json_end(out, ']');
}

/* Writes the values without the blanks around them: "littlesync
   O_DIRECT_NO_FSYNC". */
static void write_values(struct json *out, const char *values)
{
    json_begin(out, "values", '[');
    for (const char *v = values + 1; *v != '\0';) {
        const size_t length = strcspn(v, " ");
        char value[64];

        (void)snprintf(value, sizeof value, "%.*s", (int)length, v);
        json_text(out, NULL, value);
        v += length + (v[length] == ' ');
    }
    json_end(out, ']');
}

/* Writes the limits; each holds if the value of its setting is, or is not, one
   of a list. */
static void write_limits(struct json *out, const struct durability_limit *limit)
{
    for (; limit != NULL && limit->code != NULL; limit++) {
        json_begin(out, NULL, '{');
        json_text(out, "code", limit->code);
        json_text(out, "setting", limit->setting);
        json_text(out, "engine", limit->engine);
        json_text(out, "if", limit->holds ? "is" : "is not");
        write_values(out, limit->values);
        json_text(out, "kill", loss_names[limit->kill.kind]);
        json_text(out, "power", loss_names[limit->power.kind]);
        json_end(out, '}');
    }
}

/* Options and workloads */

static void write_option(struct json *out, const struct opt *row)
{
    const char letter[] = { row->letter, '\0' };

    json_begin(out, NULL, '{');
    json_text(out, "name", row->name);
    json_text(out, "letter", row->letter != '\0' ? letter : NULL);
    json_text(out, "argument", row->arg);
    json_text(out, "default", row->fallback);
    json_text(out, "help", row->help);
    json_begin(out, "choices", '[');
    for (const struct opt_choice *c = row->choices; c != NULL && c->name != NULL; c++)
        json_text(out, NULL, c->name);
    json_end(out, ']');
    json_end(out, '}');
}

static void write_workload(struct json *out, const struct options *options,
                           const struct workload *workload)
{
    json_begin(out, NULL, '{');
    json_text(out, "name", workload->name);
    json_text(out, "option", workload->option);
    json_text(out, "help", workload->help);
    json_begin(out, "options", '[');
    for (const struct opt *row = options->rows; row->kind != OPT_KIND_END; row++) {
        if (options_is_taken(row, workload))
            json_text(out, NULL, row->name);
    }
    json_end(out, ']');
    json_text(out, "length", workload->length);
    json_flag(out, "exchanges", workload->exchanges);
    json_flag(out, "reads", workload->reads);
    json_flag(out, "changes", workload->changes);
    json_flag(out, "by_level", workload->by_level);
    /* The other workloads end by a crash or by their duration only. */
    json_flag(out, "ends", !workload->cut_short);
    json_end(out, '}');
}

static void write_mixes(struct json *out)
{
    json_begin(out, "mixes", '[');
    for (const struct named_mix *m = mix_table; m->name != NULL; m++) {
        json_begin(out, NULL, '{');
        json_text(out, "name", m->name);
        json_text(out, "help", m->help);
        json_text(out, "weights", m->weights);
        json_text(out, "weights_v6", m->weights_v6);
        json_end(out, '}');
    }
    json_end(out, ']');
}

static void write_description(struct json *out, const void *subject)
{
    const struct options *const options = subject;
    const struct backend *const backend = options->backend;

    json_begin(out, NULL, '{');
    json_text(out, "format", "ubench-describe/1");
    json_text(out, "store", backend->name);
    json_begin(out, "options", '[');
    for (const struct opt *row = options->rows; row->kind != OPT_KIND_END; row++)
        write_option(out, row);
    json_end(out, ']');
    json_begin(out, "workloads", '[');
    for (const struct workload *const *w = workload_list; *w != NULL; w++)
        write_workload(out, options, *w);
    json_end(out, ']');
    write_mixes(out);
    write_exchanges(out);
    write_operations(out);
    write_words(out, "classes", durability_classes, DURABILITY_POWER_SAFE + 1);
    write_words(out, "node_losses", node_losses, NODE_LOSS_YES + 1);
    json_begin(out, "limits", '[');
    write_limits(out, backend->limits);
    if ((backend->scope & OPT_SCOPE_FILE) != 0)
        write_limits(out, file_system_limits);
    json_end(out, ']');
    json_end(out, '}');
}

int describe_print(const struct options *options, FILE *out)
{
    char *const line = json_line(write_description, options);

    if (line == NULL)
        return -1;
    (void)fprintf(out, "%s\n", line);
    free(line);
    return 0;
}
