/* SPDX-License-Identifier: ISC */
#include "lease/generator.h"

#include <string.h>

enum {
    CLIENT_BITS = 46, /* what a locally administered unicast MAC leaves */
    MAC_LENGTH = 6,
    CLIENTS_PER_S = 1000,
    TYPICAL_VALID_S = 3600,
    GUIDE_VALID_S = 1000, /* of the 2012 tool */
    SUBNET_ID = 1,
};

void generator_init(struct generator *generator, enum lease_profile profile,
                    uint64_t seed)
{
    generator->profile = profile;
    permutation_init(&generator->clients, UINT64_C(1) << CLIENT_BITS,
                     random_mix(seed));
    for (int k = 0; k < LEASE_HWADDR_MAX; k++)
        generator->guide_hwaddr[k] = (uint8_t)('A' + k);
    for (int k = 0; k < GENERATOR_GUIDE_CLIENT_ID; k++)
        generator->guide_client_id[k] = (uint8_t)('!' + k);
}

static uint32_t base_valid_s(const struct generator *generator)
{
    return generator->profile == LEASE_PROFILE_GUIDE ? GUIDE_VALID_S
                                                     : TYPICAL_VALID_S;
}

static uint32_t valid_s(const struct generator *generator, uint32_t version)
{
    return base_valid_s(generator) * (version + 1);
}

static int64_t cltt_s(const struct generator *generator, uint64_t i,
                      uint32_t version)
{
    /* The sum of the halved lifetimes before: 1/2 + 2/2 + ... + version/2. */
    const uint64_t renewals = (uint64_t)version * (version + 1) / 2;

    return GENERATOR_EPOCH_S +
           (int64_t)(i / CLIENTS_PER_S +
                     renewals * base_valid_s(generator) / 2);
}

int64_t generator_expire_s(const struct generator *generator, uint64_t i,
                           uint32_t version)
{
    return cltt_s(generator, i, version) + valid_s(generator, version);
}

/* Puts the eight nibbles of a number into eight bytes, the highest first in
   memory. */
static uint64_t spread_nibbles(uint32_t number)
{
    uint64_t x = number;

    x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
    x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return __builtin_bswap64(x);
}

/* Writes eight lower-case hexadecimal digits. */
static void write_hex(char *out, uint32_t number)
{
    const uint64_t nibbles = spread_nibbles(number);
    const uint64_t letters = (nibbles + UINT64_C(0x0606060606060606)) >> 4 &
                             UINT64_C(0x0101010101010101);
    const uint64_t digits =
        nibbles + UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10);

    memcpy(out, &digits, sizeof digits);
}

static void fill_typical(struct lease *lease, uint64_t i, uint64_t client)
{
    static const char prefix[] = "host-";
    static const char domain[] = ".example.org";
    enum { NUMBER_AT = 5, NUMBER_LENGTH = 8 };
    /* Locally administered, unicast: the low bits of the first byte are 10. */
    const uint64_t mac =
        (client >> 40 << 2 | 2) << 40 | (client & UINT64_C(0xffffffffff));
    const uint64_t wire = __builtin_bswap64(mac << 16);

    memset(lease->hwaddr, 0, sizeof lease->hwaddr);
    memcpy(lease->hwaddr, &wire, sizeof wire);
    lease->hwaddr_length = MAC_LENGTH;
    /* RFC 2132, section 9.14: a type byte (1, Ethernet), then the MAC. */
    lease->client_id[0] = 1;
    memcpy(lease->client_id + 1, &wire, sizeof wire);
    lease->client_id_length = MAC_LENGTH + 1;
    memcpy(lease->hostname, prefix, NUMBER_AT);
    write_hex(lease->hostname + NUMBER_AT, (uint32_t)i);
    memcpy(lease->hostname + NUMBER_AT + NUMBER_LENGTH, domain,
           sizeof domain - 1);
    lease->hostname_length = NUMBER_AT + NUMBER_LENGTH + sizeof domain - 1;
    lease->fqdn_fwd = false;
    lease->fqdn_rev = false;
}

/* The bytes of 2012 ('A' and '!' upwards), but for twelve that tell clients
   apart: the client number, a nibble a byte. */
static void fill_guide(const struct generator *generator, struct lease *lease,
                       uint64_t client)
{
    enum { NUMBER_LENGTH = 12 };
    const uint64_t letters = UINT64_C(0x4141414141414141);
    const uint64_t high = spread_nibbles((uint32_t)(client >> 16)) + letters;
    const uint64_t low =
        spread_nibbles((uint32_t)(client & 0xffff) << 16) + letters;

    lease->hwaddr_length = LEASE_HWADDR_MAX;
    lease->client_id_length = GENERATOR_GUIDE_CLIENT_ID;
    memcpy(lease->hwaddr, &high, sizeof high);
    memcpy(lease->hwaddr + 8, &low, 4);
    memcpy(lease->client_id, lease->hwaddr, NUMBER_LENGTH);
    memcpy(lease->hwaddr + NUMBER_LENGTH,
           generator->guide_hwaddr + NUMBER_LENGTH,
           LEASE_HWADDR_MAX - NUMBER_LENGTH);
    memcpy(lease->client_id + NUMBER_LENGTH,
           generator->guide_client_id + NUMBER_LENGTH,
           GENERATOR_GUIDE_CLIENT_ID - NUMBER_LENGTH);
    memcpy(lease->hostname, "foo", 3);
    lease->hostname_length = 3;
    lease->fqdn_fwd = true;
    lease->fqdn_rev = true;
}

void generator_make(const struct generator *generator, uint64_t i,
                    uint32_t version, struct lease *lease)
{
    const uint64_t client = permutation_at(&generator->clients, i);

    lease->address = generator_address(i);
    lease->valid_s = valid_s(generator, version);
    lease->cltt_s = cltt_s(generator, i, version);
    lease->subnet_id = SUBNET_ID;
    lease->pool_id = 0;
    lease->state = LEASE_STATE_DEFAULT;
    if (generator->profile == LEASE_PROFILE_GUIDE)
        fill_guide(generator, lease, client);
    else
        fill_typical(lease, i, client);
}
