/* SPDX-License-Identifier: ISC */
#include "load/exchange/replay_pace.h"

#include "core/clock.h"
#include "lease/trace.h"
#include "load/engine.h"

void replay_pace_init(struct replay_pace *pace)
{
    (void)pthread_mutex_init(&pace->lock, NULL);
    histogram_init(&pace->late);
    histogram_init(&pace->seen);
}

void replay_pace_release(struct replay_pace *pace)
{
    series_release(&pace->series);
    (void)pthread_mutex_destroy(&pace->lock);
}

/* Returns the time of change i since the start; the changes of a second are spread over it. */
static uint64_t due_ns(const struct replay_config *replay, struct replay_second *at, uint64_t i)
{
    const struct trace *const trace = replay->trace;
    const uint32_t second = trace->items[i].second;

    if (i < at->first || i >= at->end) {
        at->first = at->end = i;
        while (at->first > 0 && trace->items[at->first - 1].second == second)
            at->first--;
        while (at->end < trace->count && trace->items[at->end].second == second)
            at->end++;
    }
    const double within = (double)(i - at->first) / (double)(at->end - at->first);
    return (uint64_t)(((double)second + within) * (double)NS_PER_S / replay->speed);
}

/* Records how late a change begins. */
static void note_late(struct replay_pace *pace, const struct worker *worker, uint64_t due,
                      uint64_t now_ns)
{
    (void)pthread_mutex_lock(&pace->lock);
    if (pace->series.next_ns == 0)
        series_begin(&pace->series, &pace->seen, worker->begun_ns);
    if (series_is_due(&pace->series, now_ns))
        series_tick(&pace->series, &pace->late, now_ns);
    histogram_record(&pace->late, now_ns > due ? now_ns - due : 0);
    (void)pthread_mutex_unlock(&pace->lock);
}

bool replay_pace_wait(struct replay_pace *pace, struct worker *worker, struct replay_second *at,
                      uint64_t i)
{
    const struct replay_config *const replay = &worker->engine->config.replay;

    if (replay->speed <= 0)
        return true;
    const uint64_t due = worker->begun_ns + due_ns(replay, at, i);
    if (!progress_sleep_until(worker->progress, due))
        return false;
    note_late(pace, worker, due, clock_now_ns());
    worker->last_ns = clock_now_ns();
    return true;
}

void replay_pace_end(struct replay_pace *pace, struct replay_result *result)
{
    if (pace->series.next_ns != 0)
        series_end(&pace->series, &pace->late);
    result->late = pace->late;
    result->series = pace->series;
    pace->series = (struct series){ 0 };
}
