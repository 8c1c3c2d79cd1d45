/* SPDX-License-Identifier: ISC */
#include "load/exchange/table.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/random.h"
#include "core/units.h"

#define HIT  OUTCOME_HIT
#define MISS OUTCOME_MISS

/* A step: what it is for, what is asked, and the answer of a correct store. */
const struct exchange exchange_table[] = {
    /* IPv4 */
    { "dora", "DISCOVER and REQUEST of a new client", EXCHANGE_V4, PARTY_NEW, 1,
      .steps = { { "discover host", STEP_FIND_RESERVATION, HIT },
                 { "discover client-id", STEP_FIND_CLIENT_ID, MISS },
                 { "discover hwaddr", STEP_FIND_HWADDR, MISS },
                 { "discover address", STEP_CHECK_CANDIDATES, MISS },
                 { "request host", STEP_FIND_RESERVATION, HIT },
                 { "request client-id", STEP_FIND_CLIENT_ID, MISS },
                 { "request hwaddr", STEP_FIND_HWADDR, MISS },
                 { "request address", STEP_FIND_ADDRESS, MISS },
                 { "allocate address", STEP_FIND_ADDRESS, MISS },
                 { "allocate", STEP_CREATE, HIT } } },
    { "dora-known", "DISCOVER and REQUEST of a client that has a lease", EXCHANGE_V4, PARTY_KNOWN,
      1, .any_time = true,
      .steps = { { "discover host", STEP_FIND_RESERVATION, HIT },
                 { "discover client-id", STEP_FIND_CLIENT_ID, HIT },
                 { "request host", STEP_FIND_RESERVATION, HIT },
                 { "request client-id", STEP_FIND_CLIENT_ID, HIT },
                 { "request address", STEP_FIND_ADDRESS, HIT },
                 { "extend", STEP_RENEW, HIT } } },
    { "renew", "REQUEST at half the lifetime", EXCHANGE_V4, PARTY_KNOWN, 1,
      .steps = { { "host", STEP_FIND_RESERVATION, HIT },
                 { "client-id", STEP_FIND_CLIENT_ID, HIT },
                 { "address", STEP_FIND_ADDRESS, HIT },
                 { "extend", STEP_RENEW, HIT } } },
    { "init-reboot", "REQUEST of a client that was switched on again", EXCHANGE_V4, PARTY_KNOWN, 1,
      .any_time = true,
      .steps = { { "host", STEP_FIND_RESERVATION, HIT },
                 { "assigned client-id", STEP_FIND_CLIENT_ID, HIT },
                 { "client-id", STEP_FIND_CLIENT_ID, HIT },
                 { "address", STEP_FIND_ADDRESS, HIT },
                 { "extend", STEP_RENEW, HIT } } },
    /* IPv6 */
    { "sarr", "SOLICIT and REQUEST of a new client, IPv6", EXCHANGE_V6, PARTY_NEW, 1,
      .steps = { { "solicit duid", STEP_FIND_DUID, MISS },
                 { "solicit address", STEP_CHECK_CANDIDATES, MISS },
                 { "request duid", STEP_FIND_DUID, MISS },
                 { "request address", STEP_FIND_ADDRESS, MISS },
                 { "allocate", STEP_CREATE, HIT } } },
    { "renew", "RENEW at half the lifetime", EXCHANGE_V6, PARTY_KNOWN, 1,
      .steps = { { "duid in subnet", STEP_FIND_IN_SUBNET, HIT }, { "extend", STEP_RENEW, HIT } } },
    /* Both */
    { "release", "RELEASE; the row stays (lease affinity on)", EXCHANGE_V4 | EXCHANGE_V6,
      PARTY_KNOWN, 1,
      .steps = { { "address", STEP_FIND_ADDRESS, HIT }, { "end", STEP_RELEASE, HIT } } },
    { "release-delete", "RELEASE; the row goes (lease affinity off)", EXCHANGE_V4 | EXCHANGE_V6,
      PARTY_KNOWN, 1,
      .steps = { { "address", STEP_FIND_ADDRESS, HIT }, { "delete", STEP_REMOVE, HIT } } },
    { "decline", "DECLINE of an address that another host uses", EXCHANGE_V4 | EXCHANGE_V6,
      PARTY_KNOWN, 1,
      .steps = { { "address", STEP_FIND_ADDRESS, HIT }, { "set aside", STEP_DECLINE, HIT } } },
    { "reclaim", "a cycle of the server: 100 expired leases", EXCHANGE_V4 | EXCHANGE_V6, PARTY_NONE,
      RECLAIM_LEASES,
      .steps = { { "list expired", STEP_LIST_EXPIRED, HIT }, { "reclaim", STEP_RECLAIM, HIT } } },
    { "purge", "the server deletes 250 reclaimed leases", EXCHANGE_V4 | EXCHANGE_V6, PARTY_NONE,
      PURGE_LEASES, .steps = { { "purge", STEP_PURGE, HIT } } },
    { .name = NULL },
};

/* The numbers that digests have had for these exchanges since the first published results. */
static const struct {
    const char *name;
    unsigned families;
    uint32_t number;
} digest_numbers[] = {
    { "dora", EXCHANGE_V4, 0 },
    { "dora-known", EXCHANGE_V4, 1 },
    { "renew", EXCHANGE_V4, 2 },
    { "init-reboot", EXCHANGE_V4, 3 },
    { "sarr", EXCHANGE_V6, 4 },
    { "renew", EXCHANGE_V6, 5 },
    { "release", EXCHANGE_V4 | EXCHANGE_V6, 6 },
    { "release-delete", EXCHANGE_V4 | EXCHANGE_V6, 7 },
    { "decline", EXCHANGE_V4 | EXCHANGE_V6, 8 },
    { "reclaim", EXCHANGE_V4 | EXCHANGE_V6, 9 },
    { "purge", EXCHANGE_V4 | EXCHANGE_V6, 10 },
};

const struct named_mix mix_table[] = {
    { "steady", "a quiet day: 90 % renew, 5 % new, 2 % release, 3 % expire",
      "renew=90,dora=5,release=2,reclaim=3", "renew=90,sarr=5,release=2,reclaim=3" },
    { "guests", "a guest network: clients come, go and come back",
      "dora=35,dora-known=15,renew=15,release=15,reclaim=20",
      "sarr=40,renew=25,release=15,reclaim=20" },
    { .name = NULL },
};

static bool is_named(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

const struct exchange *exchange_find(const struct exchange *table, const char *name, size_t length,
                                     enum lease_family family)
{
    for (const struct exchange *e = table; e->name != NULL; e++) {
        if ((e->families & 1u << family) != 0 && is_named(e->name, name, length))
            return e;
    }
    return NULL;
}

/* Adds a text to a 32-bit FNV-1a hash. */
static uint32_t hash(uint32_t h, const char *text)
{
    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * UINT32_C(16777619);
    return h;
}

uint32_t exchange_digest_number(const char *name, enum lease_family family)
{
    for (size_t i = 0; i < sizeof digest_numbers / sizeof *digest_numbers; i++) {
        if ((digest_numbers[i].families & 1u << family) != 0 &&
            strcmp(digest_numbers[i].name, name) == 0)
            return digest_numbers[i].number;
    }
    /* Above all numbers of the table. */
    return hash(hash(UINT32_C(2166136261), family == LEASE_FAMILY_V6 ? "6 " : "4 "), name) |
           UINT32_C(1) << 31;
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
    err_add(err, ", nor weights of exchanges such as renew=90,release=10");
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
    if (units_scan_count(number, &weight) != 0 || weight < 1 || weight > 1000000)
        return err_usage(err,
                         "--workload: '%.*s': the weight is not a whole number "
                         "in 1..1000000",
                         (int)length, word);
    if (mix_has(mix, exchange->name))
        return err_usage(err, "--workload: %s is given twice", exchange->name);
    mix_add(mix, exchange, weight, family);
    return 0;
}

bool mix_has(const struct mix *mix, const char *name)
{
    size_t i = 0;

    while (i < mix->count && strcmp(mix->kinds[i].exchange.name, name) != 0)
        i++;
    return i < mix->count;
}

void mix_add(struct mix *mix, const struct exchange *exchange, uint64_t weight,
             enum lease_family family)
{
    assert(mix->count < MIX_MAX);
    mix->kinds[mix->count].exchange = *exchange;
    mix->kinds[mix->count].digest_number = exchange_digest_number(exchange->name, family);
    mix->kinds[mix->count].weight = weight;
    mix->count++;
}

void mix_divide(struct mix *mix)
{
    double weights = 0;
    double total = 0;
    double sum = 0;

    for (size_t i = 0; i < mix->count; i++) {
        weights += (double)mix->kinds[i].weight;
        total += (double)mix->kinds[i].weight / (double)mix->kinds[i].exchange.leases;
    }
    mix->leases = weights / total;
    for (size_t i = 0; i < mix->count; i++) {
        sum += (double)mix->kinds[i].weight / (double)mix->kinds[i].exchange.leases;
        mix->kinds[i].below = (uint64_t)(sum / total * 4294967296.0);
    }
    mix->kinds[mix->count - 1].below = UINT64_C(1) << 32;
}

int mix_parse(const char *text, enum lease_family family, struct mix *mix, struct err *err)
{
    const char *weights = text;

    *mix = (struct mix){ 0 };
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

bool mix_has_step(const struct mix *mix, enum step_action action)
{
    for (size_t p = 0; p < mix->count; p++) {
        for (const struct step *step = mix->kinds[p].exchange.steps; step->action != STEP_END;
             step++) {
            if (step->action == action)
                return true;
        }
    }
    return false;
}

void mix_leave_out(struct mix *mix, enum step_action action)
{
    for (size_t p = 0; p < mix->count; p++) {
        struct step *to = mix->kinds[p].exchange.steps;

        for (const struct step *s = to; s->action != STEP_END; s++) {
            if (s->action != action)
                *to++ = *s;
        }
        *to = (struct step){ .action = STEP_END };
    }
}

size_t mix_draw(const struct mix *mix, uint64_t key, uint64_t i)
{
    const uint64_t draw = random_at(key, i) >> 32;
    size_t kind = 0;

    while (draw >= mix->kinds[kind].below)
        kind++;
    return kind;
}
