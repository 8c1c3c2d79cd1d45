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

static const struct named_mix *find_mix(const char *name, size_t length)
{
    const struct named_mix *m = mix_table;

    while (m->name != NULL && !is_named(m->name, name, length))
        m++;
    return m->name != NULL ? m : NULL;
}

const char *mix_find_unknown(const char *text, size_t *length)
{
    if (text[0] == '@')
        return NULL;
    for (const char *word = text;; word++) {
        const size_t end = strcspn(word, ",");

        *length = strcspn(word, ",=");
        if (exchange_find(exchange_table, word, *length, LEASE_FAMILY_V4) == NULL &&
            exchange_find(exchange_table, word, *length, LEASE_FAMILY_V6) == NULL &&
            find_mix(word, *length) == NULL)
            return word;
        word += end;
        if (*word == '\0')
            return NULL;
    }
}

void mix_add_names(enum lease_family family, struct err *err)
{
    for (const struct exchange *e = exchange_table; e->name != NULL; e++) {
        if ((e->families & 1u << family) != 0)
            err_add(err, ", %s", e->name);
    }
    for (const struct named_mix *m = mix_table; m->name != NULL; m++)
        err_add(err, ", %s", m->name);
    err_add(err, ", nor weights of exchanges such as renew=90,release=10, nor @FILE");
}

/* Refuses a name that is not an exchange of this family. */
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
    if (find_mix(text, length) != NULL)
        return err_usage(err, "--workload: '%.*s' is a mix; use it alone", (int)length, text);
    return err_usage(err, "--workload: '%.*s' is not an exchange", (int)length, text);
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
    const struct named_mix *const named = find_mix(text, strlen(text));
    const char *weights = text;

    *mix = (struct mix){ 0 };
    if (text[0] == '@')
        return definition_read(text + 1, family, mix, err);
    if (named != NULL)
        weights = family == LEASE_FAMILY_V4 ? named->weights : named->weights_v6;
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
