/* SPDX-License-Identifier: ISC */
/* Host reservations. */
#include "tests/conformance/fixture.h"

#include "tests/lib/check.h"

static void add_reservation(struct fixture *fixture, const char *what,
                            const struct reservation_key *key, uint32_t address,
                            enum outcome wanted)
{
    const enum outcome got = the_backend.add_reservation(fixture->session, key,
                                                         lease_address_v4(address), &fixture->err);

    check_text(what, fixture->err.text, "");
    check(what, got == wanted, "add_reservation");
}

/* The address, or 0 if there is to be none. */
static void find_reservation(struct fixture *fixture, const char *what,
                             const struct reservation_key *key, uint32_t address)
{
    struct lease_address found = { .low = 0 };

    const enum outcome got =
        the_backend.find_reservation(fixture->session, key, &found, &fixture->err);

    check_text(what, fixture->err.text, "");
    check(what, got == (address != 0 ? OUTCOME_HIT : OUTCOME_MISS), "find_reservation");
    check_number(what, found.low, address);
}

/* Keys that differ in one thing each; the longest and a byte of each kind. */
TEST(reservations_are_found_by_their_whole_key)
{
    uint8_t bytes[LEASE_CLIENT_ID_MAX];
    const struct {
        const char *what;
        struct reservation_key key;
    } rows[] = {
        { "a hwaddr", { RESERVATION_BY_HWADDR, 1, bytes, 6 } },
        { "of another subnet", { RESERVATION_BY_HWADDR, 2, bytes, 6 } },
        { "of the last subnet", { RESERVATION_BY_HWADDR, UINT32_MAX, bytes, 6 } },
        { "a client-id", { RESERVATION_BY_CLIENT_ID, 1, bytes, 6 } },
        { "a longer one", { RESERVATION_BY_HWADDR, 1, bytes, 7 } },
        { "a shorter one", { RESERVATION_BY_HWADDR, 1, bytes, 5 } },
        { "another one", { RESERVATION_BY_HWADDR, 1, bytes + 1, 6 } },
        { "the longest", { RESERVATION_BY_CLIENT_ID, 1, bytes, LEASE_CLIENT_ID_MAX } },
    };
    struct fixture *const fixture = *state;
    const struct variant *const variant = fixture->variant;
    struct variant reserving = *variant;

    if (fixture->suite->skip != NULL)
        skip();
    if (variant->config.family != LEASE_FAMILY_V4 || the_backend.add_reservation == NULL)
        return;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37); /* 0 first; quotes, backslashes */
    reserving.config.reservations = true;
    fixture->variant = &reserving;
    for (int round = 0; round < 2; round++) {
        fixture_open(fixture);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            for (size_t k = i; k < COUNT_OF(rows); k++)
                find_reservation(fixture, rows[k].what, &rows[k].key, 0);
            fixture_begin(fixture);
            add_reservation(fixture, rows[i].what, &rows[i].key, UINT32_MAX - (uint32_t)i,
                            OUTCOME_HIT);
            fixture_commit(fixture);
            for (size_t k = 0; k <= i; k++)
                find_reservation(fixture, rows[k].what, &rows[k].key, UINT32_MAX - (uint32_t)k);
        }
        add_reservation(fixture, "again", &rows[0].key, 1, OUTCOME_MISS);
        find_reservation(fixture, "again", &rows[0].key, UINT32_MAX);
        fixture_count(fixture, "no lease", 0);
        if (round == 0 && the_backend.reset(fixture->session, &fixture->err) != 0)
            fail_msg("reset: %s", fixture->err.text);
        for (size_t k = 0; round == 0 && k < COUNT_OF(rows); k++)
            find_reservation(fixture, "after reset", &rows[k].key, 0);
        fixture_close(fixture);
    }
    fixture->variant = variant;
}
