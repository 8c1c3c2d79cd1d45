/* SPDX-License-Identifier: ISC */
#include "lease/trace_order.h"

#include <stdlib.h>

int trace_state_after(enum trace_state state, enum trace_change change)
{
    /* The next state, by state and change; -1: impossible. */
    static const signed char after[][TRACE_CHANGES] = {
        [TRACE_GONE] = { TRACE_ACTIVE, -1, -1, -1, -1, -1, -1 },
        [TRACE_ACTIVE] = { -1, TRACE_ACTIVE, TRACE_ACTIVE, TRACE_RELEASED, TRACE_DECLINED,
                           TRACE_EXPIRED, TRACE_GONE },
        [TRACE_EXPIRED] = { -1, TRACE_ACTIVE, -1, -1, -1, -1, TRACE_GONE },
        [TRACE_RELEASED] = { -1, TRACE_ACTIVE, -1, -1, -1, TRACE_EXPIRED, TRACE_GONE },
        [TRACE_DECLINED] = { -1, TRACE_ACTIVE, -1, -1, -1, TRACE_EXPIRED, TRACE_GONE },
    };

    return after[state][change];
}

int trace_order_init(struct trace_order *order, uint32_t leases, uint32_t active, struct err *err)
{
    *order = (struct trace_order){ .leases = leases,
                                   .unused = active,
                                   .first = active > 0 ? 0 : TRACE_NO_LEASE,
                                   .last = active > 0 ? active - 1 : TRACE_NO_LEASE,
                                   .expected = active > 0 ? 0 : TRACE_NO_LEASE };
    order->next = err_calloc((size_t)leases + 1, sizeof *order->next, err);
    order->previous = err_calloc((size_t)leases + 1, sizeof *order->previous, err);
    order->states = err_calloc((size_t)leases + 1, sizeof *order->states, err);
    if (order->next == NULL || order->previous == NULL || order->states == NULL)
        return -1;
    for (uint32_t i = 0; i < active; i++) {
        order->next[i] = i + 1 < active ? i + 1 : TRACE_NO_LEASE;
        order->previous[i] = i > 0 ? i - 1 : TRACE_NO_LEASE;
        order->states[i] = TRACE_ACTIVE;
    }
    return 0;
}

void trace_order_release(struct trace_order *order)
{
    free(order->next);
    free(order->previous);
    free(order->states);
    *order = (struct trace_order){ .leases = 0 };
}

uint32_t trace_order_expected(const struct trace_order *order, enum trace_change change)
{
    switch (change) {
    case TRACE_NEW:
        return order->unused < order->leases ? order->unused : TRACE_NO_LEASE;
    case TRACE_RENEW:
        return order->expected;
    case TRACE_EXPIRE:
        return order->first;
    case TRACE_RETURN:
    case TRACE_RELEASE:
    case TRACE_DECLINE:
    case TRACE_DELETE:
    case TRACE_CHANGES:
        break;
    }
    return TRACE_NO_LEASE;
}

/* Returns the next active lease; after the last, the first. */
static uint32_t follower(const struct trace_order *order, uint32_t lease)
{
    return order->next[lease] != TRACE_NO_LEASE ? order->next[lease] : order->first;
}

void trace_order_skip(struct trace_order *order)
{
    if (order->expected != TRACE_NO_LEASE)
        order->expected = follower(order, order->expected);
}

/* Removes an active lease from the list. */
static void take_out(struct trace_order *order, uint32_t lease)
{
    const uint32_t next = order->next[lease];
    const uint32_t previous = order->previous[lease];

    if (next != TRACE_NO_LEASE)
        order->previous[next] = previous;
    else
        order->last = previous;
    if (previous != TRACE_NO_LEASE)
        order->next[previous] = next;
    else
        order->first = next;
}

static void append(struct trace_order *order, uint32_t lease)
{
    order->next[lease] = TRACE_NO_LEASE;
    order->previous[lease] = order->last;
    if (order->last != TRACE_NO_LEASE)
        order->next[order->last] = lease;
    else
        order->first = lease;
    order->last = lease;
    if (order->expected == TRACE_NO_LEASE)
        order->expected = lease;
}

int trace_order_change(struct trace_order *order, uint32_t lease, enum trace_change change)
{
    const int after = lease < order->leases ? trace_state_after(order->states[lease], change) : -1;

    if (after < 0)
        return -1;
    if (order->states[lease] == TRACE_ACTIVE) {
        const bool expected = lease == order->expected || change == TRACE_RENEW;
        const uint32_t behind = follower(order, lease);

        take_out(order, lease);
        if (expected)
            order->expected = behind != lease ? behind : order->first;
    }
    if (after == TRACE_ACTIVE)
        append(order, lease);
    if (lease >= order->unused)
        order->unused = lease + 1;
    order->states[lease] = (uint8_t)after;
    return 0;
}
