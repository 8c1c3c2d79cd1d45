/* SPDX-License-Identifier: ISC */
#include "load/openloop/blocking_call.h"

#include <time.h>

#include "core/clock.h"
#include "load/workers.h"
#include "tests/lib/check.h"

#define MS UINT64_C(1000000)

enum { INNER = 2, ASKING = 64 };

/* An inner service that notes how many are in it at once, and in which of its
   threads. */
struct inner {
    _Atomic(int) inside;
    _Atomic(int) most;
    _Atomic(int) in_thread[INNER];
    _Atomic(int) clashes;
    _Atomic(uint64_t) served;
};

static enum service_end serve(void *context, size_t thread, uint64_t number,
                              struct err *err)
{
    struct inner *const inner = context;
    const int inside = atomic_fetch_add(&inner->inside, 1) + 1;
    const struct timespec pause = { .tv_nsec = 2000000 };

    if (thread >= INNER || atomic_fetch_add(&inner->in_thread[thread], 1) != 0)
        atomic_fetch_add(&inner->clashes, 1);
    if (inside > atomic_load(&inner->most))
        atomic_store(&inner->most, inside);
    (void)nanosleep(&pause, NULL);
    if (thread < INNER)
        atomic_fetch_sub(&inner->in_thread[thread], 1);
    atomic_fetch_sub(&inner->inside, 1);
    atomic_fetch_add(&inner->served, number);
    return SERVICE_ANSWERED;
}

struct scene {
    struct blocking_call call;
    struct service service;
    _Atomic(int) answered;
};

static void ask(void *context, size_t index)
{
    struct scene *const scene = context;
    struct err err = { 0 };

    if (scene->service.serve(scene->service.context, index, 1, &err) ==
        SERVICE_ANSWERED)
        atomic_fetch_add(&scene->answered, 1);
}

/* All wait for the slow service at the same time, and then take turns in the
   two threads of the store. */
TEST(a_pool_waits_together_and_shares_the_store)
{
    struct inner inner = { .inside = 0 };
    const struct service store = { &inner, serve };
    struct progress *const progress = progress_new();
    struct scene scene = { .answered = 0 };
    struct err err = { 0 };

    assert_non_null(progress);
    assert_int_equal(blocking_call_init(&scene.call, 500 * MS, &store, INNER,
                                        progress, &err),
                     0);
    scene.service = blocking_call_service(&scene.call);
    const uint64_t before_ns = clock_now_ns();
    assert_int_equal(workers_run(ASKING, ask, &scene, &err), 0);
    const uint64_t passed_ns = clock_now_ns() - before_ns;
    assert_int_equal(atomic_load(&scene.answered), ASKING);
    assert_int_equal(atomic_load(&inner.served), ASKING);
    assert_int_equal(atomic_load(&inner.clashes), 0);
    assert_in_range(atomic_load(&inner.most), 1, INNER);
    /* One after the other would take 32 s. */
    assert_in_range(passed_ns, 500 * MS, 25 * NS_PER_S);
    blocking_call_release(&scene.call);
    progress_free(progress);
}

TEST(an_early_end_does_not_wait_for_it)
{
    struct inner inner = { .inside = 0 };
    const struct service store = { &inner, serve };
    struct progress *const progress = progress_new();
    struct blocking_call call;
    struct err err = { 0 };

    assert_non_null(progress);
    assert_int_equal(
        blocking_call_init(&call, 60 * NS_PER_S, &store, INNER, progress, &err),
        0);
    atomic_store(&progress->stop, 1);
    const struct service service = blocking_call_service(&call);
    assert_int_equal(service.serve(service.context, 0, 1, &err),
                     SERVICE_FAILED);
    assert_int_equal(atomic_load(&inner.served), 0);
    blocking_call_release(&call);
    progress_free(progress);
}
