/* SPDX-License-Identifier: ISC */
#include "lease/generator.h"

#include <string.h>

enum {
    CLIENT_BITS = 46, /* free bits of a locally administered unicast MAC */
    MAC_LENGTH = 6,
    CLIENTS_PER_S = 1000,
    TYPICAL_VALID_S = 3600,
    GUIDE_VALID_S = 1000, /* of the 2012 tool */
    GUIDE_NUMBER_LENGTH = 12,
    GUIDE_HOSTNAME_LENGTH = 3,
    FIRST_SUBNET_ID = 1,
    V6_PREFIX_LENGTH = 128, /* of an address */
};

void generator_init(struct generator *generator, enum lease_family family,
                    enum lease_profile profile, uint64_t seed)
{
    generator->profile = profile;
    generator->valid_s = profile == LEASE_PROFILE_GUIDE ? GUIDE_VALID_S : TYPICAL_VALID_S;
    generator->subnets = 1;
    generator->type = LEASE_TYPE_V4;
    generator->base = lease_address_v4(GENERATOR_BASE_ADDRESS);
    if (family == LEASE_FAMILY_V6) {
        generator->type = LEASE_TYPE_NA;
        generator->base = (struct lease_address){ .low = 1, .high = GENERATOR_BASE_PREFIX };
    }
    permutation_init(&generator->clients, UINT64_C(1) << CLIENT_BITS, random_mix(seed));
    for (int k = 0; k < LEASE_HWADDR_SIZE; k++)
        generator->guide_hwaddr[k] = (uint8_t)('A' + k);
    for (int k = 0; k < GENERATOR_GUIDE_CLIENT_ID; k++)
        generator->guide_client_id[k] = (uint8_t)('!' + k);
}

/* Returns the subnet of a client.  Client numbers are practically random;
   addresses are not used, since neighbours come at the same time. */
static uint32_t subnet_id(const struct generator *generator, uint64_t client)
{
    return FIRST_SUBNET_ID + (uint32_t)random_below((uint32_t)client, generator->subnets);
}

static uint32_t valid_s(const struct generator *generator, uint32_t version)
{
    return generator->valid_s * (version + 1);
}

static int64_t cltt_s(const struct generator *generator, uint64_t i, uint32_t version)
{
    /* The sum of the half lifetimes before each renewal: 1/2 + 2/2 + ... +
       version/2. */
    const uint64_t renewals = (uint64_t)version * (version + 1) / 2;

    return GENERATOR_EPOCH_S + (int64_t)(i / CLIENTS_PER_S + renewals * generator->valid_s / 2);
}

int64_t generator_expire_s(const struct generator *generator, uint64_t i, uint32_t version)
{
    return cltt_s(generator, i, version) + valid_s(generator, version);
}

/* Spreads the eight nibbles of a number over eight bytes, the highest first in
   memory. */
static uint64_t spread_nibbles(uint32_t number)
{
    uint64_t x = number;

    x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
    x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return __builtin_bswap64(x);
}

/* Returns eight lower-case hexadecimal digits, the highest first in memory. */
static uint64_t hex_digits(uint32_t number)
{
    const uint64_t nibbles = spread_nibbles(number);
    const uint64_t letters =
        (nibbles + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);

    return nibbles + UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10);
}

enum { HOSTNAME_LENGTH = 25, HOSTNAME_WORDS = 4 };

/* Returns eight bytes as a word, the first in its low bits; constant bytes give
   a constant. */
static inline uint64_t word_of(const char bytes[static 8])
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Writes "host-0000002a.example.org" as words: bytes written in pieces cannot
   be read as words until all pieces are in the cache. */
static inline void make_hostname(uint64_t words[static HOSTNAME_WORDS], uint64_t i)
{
    const uint64_t digits = hex_digits((uint32_t)i);

    words[0] = word_of("host-\0\0\0") | digits << 40;
    words[1] = digits >> 24 | word_of("\0\0\0\0\0.ex");
    words[2] = word_of("ample.or");
    words[3] = word_of("g\0\0\0\0\0\0\0");
}

/* Returns the MAC as the first six bytes of a word.  It is locally administered
   and unicast: the low bits of its first byte are 10. */
static uint64_t make_mac(uint64_t client)
{
    const uint64_t mac = (client >> 40 << 2 | 2) << 40 | (client & UINT64_C(0xffffffffff));

    return __builtin_bswap64(mac << 16);
}

/* Returns the client-id of RFC 2132, section 9.14: a type byte (1, Ethernet),
   then the MAC. */
static uint64_t make_client_id(uint64_t mac)
{
    return mac << 8 | 1;
}

static void fill_typical(struct lease *lease, uint64_t i, uint64_t client)
{
    const uint64_t mac[2] = { make_mac(client), 0 };
    const uint64_t client_id = make_client_id(mac[0]);
    uint64_t hostname[HOSTNAME_WORDS];

    make_hostname(hostname, i);
    memcpy(lease->hwaddr, mac, sizeof mac);
    memcpy(lease->client_id, &client_id, sizeof client_id);
    memcpy(lease->hostname, hostname, sizeof hostname);
    lease->hwaddr_length = MAC_LENGTH;
    lease->client_id_length = MAC_LENGTH + 1;
    lease->hostname_length = HOSTNAME_LENGTH;
    lease->fqdn_fwd = false;
    lease->fqdn_rev = false;
}

/* Writes the DUID (RFC 8415, section 11): for every second client from its MAC
   and the time of its creation (section 11.2), for the others from the MAC
   alone (section 11.4). */
static void fill_duid(struct lease *lease, uint64_t client)
{
    const uint64_t mac = make_mac(client);
    /* Seconds since 2000: in 2017 or one of the eight years after it. */
    const uint64_t time =
        __builtin_bswap32(UINT32_C(0x20000000) | (uint32_t)(client >> 1 & 0xfffffff));
    const bool timed = client % 2 != 0;
    const uint64_t duid[2] = {
        timed ? word_of("\0\1\0\1\0\0\0") | time << 32 : word_of("\0\3\0\1\0\0\0") | mac << 32,
        timed ? mac : mac >> 32,
    };

    memcpy(lease->client_id, duid, sizeof duid);
    lease->client_id_length = (uint8_t)((timed ? 8 : 4) + MAC_LENGTH);
}

/* Turns a v4 lease into a v6 lease, except for its address.  A function of its
   own, so that the v4 code has all registers. */
static void __attribute__((noinline))
fill_v6(const struct generator *generator, struct lease *lease, uint64_t client, uint32_t version)
{
    /* The end of the MAC: ISC's client numbers its interfaces in this way. */
    lease->iaid = (uint32_t)client;
    lease->preferred_s = valid_s(generator, version) / 8 * 5;
    lease->prefix_length = V6_PREFIX_LENGTH;
    if (generator->profile == LEASE_PROFILE_TYPICAL)
        fill_duid(lease, client);
}

/* Returns the bits in which a word differs from the first length bytes of a
   string. */
static uint64_t difference(const void *bytes, uint64_t word, unsigned length)
{
    uint64_t found;

    memcpy(&found, bytes, sizeof found);
    return (found ^ word) << (64 - 8 * length);
}

/* Returns the bits in which a lease differs from the result of fill_typical. */
static inline __attribute__((always_inline)) uint64_t typical_difference(const struct lease *lease,
                                                                         uint64_t i, uint64_t mac)
{
    uint64_t hostname[HOSTNAME_WORDS];

    make_hostname(hostname, i);
    return (lease->hwaddr_length ^ MAC_LENGTH) | (lease->client_id_length ^ (MAC_LENGTH + 1)) |
           (lease->hostname_length ^ HOSTNAME_LENGTH) |
           (uint64_t)(lease->fqdn_fwd | lease->fqdn_rev) |
           difference(lease->hwaddr, mac, MAC_LENGTH) |
           difference(lease->client_id, make_client_id(mac), MAC_LENGTH + 1) |
           difference(lease->hostname, hostname[0], 8) |
           difference(lease->hostname + 8, hostname[1], 8) |
           difference(lease->hostname + 16, hostname[2], 8) |
           difference(lease->hostname + 24, hostname[3], 1);
}

static void fill_guide(const struct generator *generator, struct lease *lease, uint64_t client)
{
    /* Twelve bytes identify the client: each is a nibble of the client number,
       from 'A' on.  The other bytes are those of 2012. */
    const uint64_t letters = UINT64_C(0x4141414141414141);
    const uint64_t number[2] = {
        spread_nibbles((uint32_t)(client >> 16)) + letters,
        spread_nibbles((uint32_t)(client & 0xffff) << 16) + letters,
    };

    memcpy(lease->hwaddr, generator->guide_hwaddr, sizeof generator->guide_hwaddr);
    memcpy(lease->hwaddr, number, GUIDE_NUMBER_LENGTH);
    memcpy(lease->client_id, generator->guide_client_id, sizeof generator->guide_client_id);
    memcpy(lease->client_id, number, GUIDE_NUMBER_LENGTH);
    memcpy(lease->hostname, "foo", GUIDE_HOSTNAME_LENGTH);
    lease->hwaddr_length = LEASE_HWADDR_MAX;
    lease->client_id_length = GENERATOR_GUIDE_CLIENT_ID;
    lease->hostname_length = GUIDE_HOSTNAME_LENGTH;
    lease->fqdn_fwd = true;
    lease->fqdn_rev = true;
}

void generator_make(const struct generator *generator, uint64_t i, uint32_t version,
                    struct lease *lease)
{
    const uint64_t client = permutation_at(&generator->clients, i);

    lease->address = generator_address(generator, i);
    lease->type = (uint8_t)generator->type;
    lease->valid_s = valid_s(generator, version);
    lease->cltt_s = cltt_s(generator, i, version);
    lease->subnet_id = subnet_id(generator, client);
    lease->pool_id = 0;
    lease->state = LEASE_STATE_DEFAULT;
    if (generator->profile == LEASE_PROFILE_GUIDE)
        fill_guide(generator, lease, client);
    else
        fill_typical(lease, i, client);
    if (generator->type != LEASE_TYPE_V4)
        fill_v6(generator, lease, client, version);
}

/* The fast path, for the leases of nearly all runs. */
static bool matches_typical_v4(const struct generator *generator, uint64_t i, uint32_t version,
                               const struct lease *lease)
{
    const uint64_t client = permutation_at(&generator->clients, i);
    const uint64_t mac = make_mac(client);
    const struct lease_address address = generator_address(generator, i);

    return ((lease->address.low ^ address.low) | (lease->address.high ^ address.high) |
            (lease->type ^ generator->type) | (lease->valid_s ^ valid_s(generator, version)) |
            (uint64_t)(lease->cltt_s ^ cltt_s(generator, i, version)) |
            (lease->subnet_id ^ subnet_id(generator, client)) | lease->pool_id |
            (lease->state ^ LEASE_STATE_DEFAULT) | typical_difference(lease, i, mac)) == 0;
}

static bool __attribute__((noinline)) matches_made(const struct generator *generator, uint64_t i,
                                                   uint32_t version, const struct lease *lease)
{
    struct lease made;

    generator_make(generator, i, version, &made);
    return lease_equal(&made, lease);
}

bool generator_matches(const struct generator *generator, uint64_t i, uint32_t version,
                       const struct lease *lease)
{
    return generator->type == LEASE_TYPE_V4 && generator->profile == LEASE_PROFILE_TYPICAL
               ? matches_typical_v4(generator, i, version, lease)
               : matches_made(generator, i, version, lease);
}

/* The inverse of make_mac. */
static uint64_t client_of_mac(const uint8_t *bytes)
{
    uint64_t mac = 0;

    for (int k = 0; k < MAC_LENGTH; k++)
        mac = mac << 8 | bytes[k];
    return mac >> 42 << 40 | (mac & UINT64_C(0xffffffffff));
}

/* The inverse of fill_guide. */
static uint64_t client_of_letters(const uint8_t *bytes)
{
    uint64_t client = 0;

    for (int k = 0; k < GUIDE_NUMBER_LENGTH; k++)
        client = client << 4 | ((unsigned)(bytes[k] - 'A') & 0xf);
    return client;
}

uint64_t generator_find(const struct generator *generator, const struct lease *lease)
{
    const bool guide = generator->profile == LEASE_PROFILE_GUIDE;

    if (lease->hwaddr_length != (guide ? LEASE_HWADDR_MAX : MAC_LENGTH))
        return UINT64_MAX;
    const uint64_t client = guide ? client_of_letters(lease->hwaddr) : client_of_mac(lease->hwaddr);
    return client >> CLIENT_BITS == 0 ? permutation_find(&generator->clients, client) : UINT64_MAX;
}
