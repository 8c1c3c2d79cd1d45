/* SPDX-License-Identifier: ISC */
#include "core/clock.h"

#include <pthread.h>
#include <stdatomic.h>

#include "tests/lib/check.h"

enum { BURNS = 30, OTHERS = 4 };
static const uint64_t wanted_ns = 500 * NS_PER_US;

/* The most exact of several: a hypervisor may take the processor away from any
   of them, unseen by the clock. */
static uint64_t least_used_ns(void)
{
    uint64_t least_ns = UINT64_MAX;

    for (int i = 0; i < BURNS; i++) {
        const uint64_t before_ns = clock_used_ns();

        busy_wait_ns(wanted_ns);
        const uint64_t took_ns = clock_used_ns() - before_ns;
        check("a busy wait", took_ns >= wanted_ns, "took less than it was to");
        if (took_ns < least_ns)
            least_ns = took_ns;
    }
    return least_ns;
}

static void *spin(void *stop)
{
    while (!atomic_load((atomic_bool *)stop))
        continue;
    return NULL;
}

TEST(it_uses_what_it_is_told_to)
{
    check("alone", least_used_ns() < wanted_ns + wanted_ns / 5, "too much");
}

/* Others that want the processor make it slower, and use nothing of its
   time. */
TEST(a_busy_machine_changes_nothing)
{
    pthread_t others[OTHERS];
    atomic_bool stop = false;

    for (int i = 0; i < OTHERS; i++)
        assert_int_equal(pthread_create(&others[i], NULL, spin, &stop), 0);
    const uint64_t least_ns = least_used_ns();
    atomic_store(&stop, true);
    for (int i = 0; i < OTHERS; i++)
        assert_int_equal(pthread_join(others[i], NULL), 0);
    check("busy", least_ns < wanted_ns + wanted_ns / 5, "too much");
}
