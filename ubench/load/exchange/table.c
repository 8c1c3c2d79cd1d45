/* SPDX-License-Identifier: ISC */
#include "load/exchange/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"

#define HIT  OUTCOME_HIT
#define MISS OUTCOME_MISS

/* A step: its purpose, the question, and the answer of a correct store. */
const struct exchange exchange_table[] = {
    /* IPv4 */
    { "dora", "DISCOVER and REQUEST of a new client", EXCHANGE_V4, PARTY_NEW, 1,
      .steps = { { "discover host", STEP_FIND_RESERVATION, HIT },
                 { "discover client-id", STEP_FIND_CLIENT_ID, MISS, PACKET_DISCOVER },
                 { "discover hwaddr", STEP_FIND_HWADDR, MISS },
                 { "discover address", STEP_CHECK_CANDIDATES, MISS },
                 { "request host", STEP_FIND_RESERVATION, HIT },
                 { "request client-id", STEP_FIND_CLIENT_ID, MISS, PACKET_REQUEST },
                 { "request hwaddr", STEP_FIND_HWADDR, MISS },
                 { "request address", STEP_FIND_ADDRESS, MISS },
                 { "allocate address", STEP_FIND_ADDRESS, MISS },
                 { "allocate", STEP_CREATE, HIT } } },
    { "dora-known", "DISCOVER and REQUEST of a client that has a lease", EXCHANGE_V4, PARTY_KNOWN,
      1, .any_time = true,
      .steps = { { "discover host", STEP_FIND_RESERVATION, HIT },
                 { "discover client-id", STEP_FIND_CLIENT_ID, HIT, PACKET_DISCOVER },
                 { "request host", STEP_FIND_RESERVATION, HIT },
                 { "request client-id", STEP_FIND_CLIENT_ID, HIT, PACKET_REQUEST },
                 { "request address", STEP_FIND_ADDRESS, HIT },
                 { "extend", STEP_RENEW, HIT } } },
    { "renew", "REQUEST at half the lifetime", EXCHANGE_V4, PARTY_KNOWN, 1,
      .steps = { { "host", STEP_FIND_RESERVATION, HIT },
                 { "client-id", STEP_FIND_CLIENT_ID, HIT, PACKET_REQUEST },
                 { "address", STEP_FIND_ADDRESS, HIT },
                 { "extend", STEP_RENEW, HIT } } },
    { "init-reboot", "REQUEST of a client that was switched on again", EXCHANGE_V4, PARTY_KNOWN, 1,
      .any_time = true,
      .steps = { { "host", STEP_FIND_RESERVATION, HIT },
                 { "assigned client-id", STEP_FIND_CLIENT_ID, HIT, PACKET_REBOOT },
                 { "client-id", STEP_FIND_CLIENT_ID, HIT },
                 { "address", STEP_FIND_ADDRESS, HIT },
                 { "extend", STEP_RENEW, HIT } } },
    /* IPv6 */
    { "sarr", "SOLICIT and REQUEST of a new client, IPv6", EXCHANGE_V6, PARTY_NEW, 1,
      .steps = { { "solicit duid", STEP_FIND_DUID, MISS, PACKET_DISCOVER },
                 { "solicit address", STEP_CHECK_CANDIDATES, MISS },
                 { "request duid", STEP_FIND_DUID, MISS, PACKET_REQUEST },
                 { "request address", STEP_FIND_ADDRESS, MISS },
                 { "allocate", STEP_CREATE, HIT } } },
    { "renew", "RENEW at half the lifetime", EXCHANGE_V6, PARTY_KNOWN, 1,
      .steps = { { "duid in subnet", STEP_FIND_IN_SUBNET, HIT, PACKET_RENEW },
                 { "extend", STEP_RENEW, HIT } } },
    /* Both */
    { "release", "RELEASE; the row stays (lease affinity on)", EXCHANGE_V4 | EXCHANGE_V6,
      PARTY_KNOWN, 1,
      .steps = { { "address", STEP_FIND_ADDRESS, HIT, PACKET_END },
                 { "end", STEP_RELEASE, HIT } } },
    { "release-delete", "RELEASE; the row goes (lease affinity off)", EXCHANGE_V4 | EXCHANGE_V6,
      PARTY_KNOWN, 1,
      .steps = { { "address", STEP_FIND_ADDRESS, HIT, PACKET_REMOVE },
                 { "delete", STEP_REMOVE, HIT } } },
    { "decline", "DECLINE of an address that another host uses", EXCHANGE_V4 | EXCHANGE_V6,
      PARTY_KNOWN, 1,
      .steps = { { "address", STEP_FIND_ADDRESS, HIT, PACKET_END },
                 { "set aside", STEP_DECLINE, HIT } } },
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

const struct exchange *exchange_find(const struct exchange *table, const char *name, size_t length,
                                     enum lease_family family)
{
    for (const struct exchange *e = table; e->name != NULL; e++) {
        if ((e->families & 1u << family) != 0 && strlen(e->name) == length &&
            strncmp(e->name, name, length) == 0)
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
    /* Larger than all numbers of the table. */
    return hash(hash(UINT32_C(2166136261), family == LEASE_FAMILY_V6 ? "6 " : "4 "), name) |
           UINT32_C(1) << 31;
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

void mix_release(struct mix *mix)
{
    free(mix->text);
    *mix = (struct mix){ 0 };
}

size_t exchange_steps(const struct exchange *exchange, enum step_action action)
{
    size_t count = 0;

    for (const struct step *step = exchange->steps; step->action != STEP_END; step++)
        count += step->action == action;
    return count;
}

bool mix_has_step(const struct mix *mix, enum step_action action)
{
    size_t p = 0;

    while (p < mix->count && exchange_steps(&mix->kinds[p].exchange, action) == 0)
        p++;
    return p < mix->count;
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

static bool insert_pick(struct exchange *exchange)
{
    struct step *at = exchange->steps;
    struct step *end = exchange->steps;

    while (at->action != STEP_CHECK_CANDIDATES && at->action != STEP_END)
        at++;
    while (end->action != STEP_END)
        end++;
    if (at == end)
        return true;
    if (end == exchange->steps + STEPS_MAX)
        return false;
    memmove(at + 1, at, (size_t)(end - at + 1) * sizeof *at);
    *at = (struct step){ .name = "pick address", .action = STEP_PICK, .expected = HIT };
    return true;
}

bool mix_insert_picks(struct mix *mix)
{
    bool fit = true;

    for (size_t p = 0; p < mix->count; p++)
        fit = insert_pick(&mix->kinds[p].exchange) && fit;
    return fit;
}

size_t mix_draw(const struct mix *mix, uint64_t key, uint64_t i)
{
    if (mix->count == 1)
        return 0;
    const uint64_t draw = random_at(key, i) >> 32;
    size_t kind = 0;

    while (draw >= mix->kinds[kind].below)
        kind++;
    return kind;
}
