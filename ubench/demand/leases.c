/* SPDX-License-Identifier: ISC */
#include "demand/leases.h"

#include <stdlib.h>

#include "core/random.h"

struct lease_address leases_address(const struct leases *leases, size_t position)
{
    return leases->family == LEASE_FAMILY_V4
               ? lease_address_v4(((const uint32_t *)leases->addresses)[position])
               : ((const struct lease_address *)leases->addresses)[position];
}

/* Returns the place of an address in the index, or a free one for it. */
static uint32_t *find_place(const struct leases *leases, struct lease_address address)
{
    size_t i = random_mix(address.low + random_mix(address.high)) & (leases->index_size - 1);

    while (leases->index[i] != 0 &&
           !lease_address_equal(leases_address(leases, leases->index[i] - 1), address))
        i = (i + 1) & (leases->index_size - 1);
    return &leases->index[i];
}

static int grow_index(struct leases *leases, struct err *err)
{
    enum { FIRST_SIZE = 1 << 10 };
    const size_t size = leases->index_size > 0 ? 2 * leases->index_size : FIRST_SIZE;
    uint32_t *const index = err_calloc(size, sizeof *index, err);

    if (index == NULL)
        return -1;
    free(leases->index);
    leases->index = index;
    leases->index_size = size;
    for (size_t i = 0; i < leases->count; i++)
        *find_place(leases, leases_address(leases, i)) = (uint32_t)i + 1;
    return 0;
}

/* Unused pages take no memory, so the capacity may grow in large steps. */
static int grow_leases(struct leases *leases, struct err *err)
{
    enum { FIRST_CAPACITY = 1 << 10 };
    const size_t capacity =
        leases->capacity > 0 ? leases->capacity + leases->capacity / 2 : FIRST_CAPACITY;
    const size_t address_size =
        leases->family == LEASE_FAMILY_V4 ? sizeof(uint32_t) : sizeof(struct lease_address);
    struct site_lease *const all = realloc(leases->all, capacity * sizeof *all);

    if (all != NULL)
        leases->all = all;
    void *const addresses =
        all != NULL ? realloc(leases->addresses, capacity * address_size) : NULL;
    if (addresses == NULL)
        return err_set(err, "out of memory for %zu leases", capacity);
    leases->addresses = addresses;
    leases->capacity = capacity;
    return 0;
}

int64_t leases_find(struct leases *leases, struct lease_address address, struct err *err)
{
    if (4 * leases->count >= 3 * leases->index_size && grow_index(leases, err) != 0)
        return LEASES_NONE;
    uint32_t *const place = find_place(leases, address);
    if (*place != 0)
        return *place - 1;
    if (leases->count == leases->capacity && grow_leases(leases, err) != 0)
        return LEASES_NONE;
    if (leases->count == LEASES_MAX) {
        (void)err_set(err, "more than %d leases", LEASES_MAX);
        return LEASES_NONE;
    }
    const size_t position = leases->count++;
    leases->all[position] = (struct site_lease){ .state = ROW_ABSENT };
    if (leases->family == LEASE_FAMILY_V4)
        ((uint32_t *)leases->addresses)[position] = (uint32_t)address.low;
    else
        ((struct lease_address *)leases->addresses)[position] = address;
    *place = (uint32_t)position + 1;
    return (int64_t)position;
}

bool leases_has_row(const struct leases *leases, struct lease_address address)
{
    const uint32_t place = leases->index_size > 0 ? *find_place(leases, address) : 0;

    return place != 0 && leases->all[place - 1].state != ROW_ABSENT;
}

void leases_forget_addresses(struct leases *leases)
{
    free(leases->addresses);
    free(leases->index);
    leases->addresses = NULL;
    leases->index = NULL;
    leases->index_size = 0;
}

void leases_release(struct leases *leases)
{
    leases_forget_addresses(leases);
    free(leases->all);
    *leases = (struct leases){ .family = leases->family };
}
