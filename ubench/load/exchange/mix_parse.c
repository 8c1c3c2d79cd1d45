/* SPDX-License-Identifier: ISC */
#include "load/exchange/mix_parse.h"

#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "load/exchange/definition.h"

static bool is_named(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

/* The kinds of workloads (workload_list). */
static const char *const alone[] = { "phases", "search", "update", "churn", "fill", "storm" };

/* Says what there is. */
static int refuse(const char *text, size_t length, enum lease_family family, struct err *err)
{
    const bool v6 = family == LEASE_FAMILY_V6;
    const struct exchange *const other =
        exchange_find(exchange_table, text, length, v6 ? LEASE_FAMILY_V4 : LEASE_FAMILY_V6);

    if (other != NULL)
        return err_usage(err, "--workload: '%s' is for %s%s", other->name,
                         v6 ? "IPv4" : "IPv6 and needs --ipv6",
                         other->party != PARTY_NEW ? " alone"
                         : v6                      ? "; with --ipv6 it is sarr"
                                                   : "; for IPv4 it is dora");
    for (const struct named_mix *m = mix_table; m->name != NULL; m++) {
        if (is_named(m->name, text, length))
            return err_usage(err, "--workload: '%s' is a mix and stands alone", m->name);
    }
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        if (is_named(alone[i], text, length))
            return err_usage(err, "--workload: '%s' stands alone, in no mix", alone[i]);
    }
    (void)err_usage(err, "--workload: '%.*s' is not one of phases", (int)length, text);
    for (size_t i = 1; i < sizeof alone / sizeof *alone; i++) {
        if (!v6 || strcmp(alone[i], "fill") != 0)
            err_add(err, ", %s", alone[i]);
    }
    for (const struct exchange *e = exchange_table; e->name != NULL; e++) {
        if ((e->families & 1u << family) != 0)
            err_add(err, ", %s", e->name);
    }
    for (const struct named_mix *m = mix_table; m->name != NULL; m++)
        err_add(err, ", %s", m->name);
    err_add(err, ", nor weights of exchanges such as renew=90,release=10, nor @FILE");
    return -1;
}

static int add_kind(struct mix *mix, const char *word, size_t length, enum lease_family family,
                    struct err *err)
{
    const char *const equals = memchr(word, '=', length);
    const size_t name_length = equals != NULL ? (size_t)(equals - word) : length;
    const struct exchange *const exchange =
        exchange_find(exchange_table, word, name_length, family);
    char number[16] = "1";
    uint64_t weight;

    if (exchange == NULL)
        return refuse(word, name_length, family, err);
    if (equals != NULL)
        (void)snprintf(number, sizeof number, "%.*s", (int)(length - name_length - 1), equals + 1);
    if (units_scan_count(number, &weight) != 0 || weight < 1 || weight > MIX_WEIGHT_MAX)
        return err_usage(err, "--workload: '%.*s': the weight is not a whole number in 1..%d",
                         (int)length, word, MIX_WEIGHT_MAX);
    if (mix_has(mix, exchange->name))
        return err_usage(err, "--workload: %s is given twice", exchange->name);
    mix_add(mix, exchange, weight, family);
    return 0;
}

int mix_parse(const char *text, enum lease_family family, struct mix *mix, struct err *err)
{
    const char *weights = text;

    *mix = (struct mix){ 0 };
    if (text[0] == '@')
        return definition_read(text + 1, family, mix, err);
    for (const struct named_mix *m = mix_table; m->name != NULL; m++) {
        if (strcmp(m->name, text) == 0)
            weights = family == LEASE_FAMILY_V4 ? m->weights : m->weights_v6;
    }
    while (true) {
        const size_t length = strcspn(weights, ",");

        if (add_kind(mix, weights, length, family, err) != 0)
            return -1;
        if (weights[length] == '\0')
            break;
        weights += length + 1;
    }
    mix_divide(mix);
    return 0;
}
