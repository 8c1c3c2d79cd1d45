/* SPDX-License-Identifier: ISC */
#include "demand/trace_make.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lease/trace.h"

#define NO_NUMBER UINT32_MAX

struct maker {
    const struct history *history;
    struct trace trace;
    uint32_t *numbers; /* of each lease */
    uint8_t *states;   /* enum trace_state, of each lease */
};

/* Numbers the leases: first those that exist at the start, by their first event
   and then those without one; then all others. */
static void number_leases(struct maker *maker)
{
    const struct history *const history = maker->history;
    const struct leases *const leases = &history->leases;
    uint32_t next = 0;

    memset(maker->numbers, 0xff, leases->count * sizeof *maker->numbers);
    for (int live_first = 1; live_first >= 0; live_first--) {
        for (size_t i = 0; i < history->event_count; i++) {
            const size_t lease = history->events[i].lease;

            if (maker->numbers[lease] == NO_NUMBER &&
                leases->all[lease].live_first == (unsigned)live_first)
                maker->numbers[lease] = next++;
        }
        for (size_t i = 0; live_first == 1 && i < leases->count; i++) {
            if (leases->all[i].live_first && maker->numbers[i] == NO_NUMBER)
                maker->numbers[i] = next++;
            maker->states[i] = leases->all[i].live_first ? TRACE_ACTIVE : TRACE_GONE;
        }
        if (live_first == 1)
            maker->trace.active = next;
    }
    maker->trace.leases = next;
}

/* Returns the change that an event makes to a lease in that state;
   TRACE_CHANGES: none.  Derives from the state what the files do not show, for
   example that a lease came from a partner. */
static enum trace_change change_of(const struct event *event, enum trace_state state)
{
    const bool gone = state == TRACE_GONE;

    switch ((enum event_kind)event->kind) {
    case EVENT_NEW:
    case EVENT_RETURNED:
    case EVENT_RENEWED:
        if (gone)
            return TRACE_NEW;
        return event->kind == EVENT_RETURNED || state != TRACE_ACTIVE ? TRACE_RETURN : TRACE_RENEW;
    case EVENT_REPEATED:
        return state == TRACE_ACTIVE ? TRACE_RENEW : TRACE_CHANGES;
    case EVENT_RELEASED:
        return state == TRACE_ACTIVE ? TRACE_RELEASE : TRACE_CHANGES;
    case EVENT_DECLINED:
        return state == TRACE_ACTIVE ? TRACE_DECLINE : TRACE_CHANGES;
    case EVENT_EXPIRED:
        return gone || state == TRACE_EXPIRED ? TRACE_CHANGES : TRACE_EXPIRE;
    case EVENT_DELETED:
    case EVENT_CLEANED:
        return gone ? TRACE_CHANGES : TRACE_DELETE;
    case EVENT_KINDS:
    case EVENT_LAST:
    case EVENT_COLUMNS:
        break;
    }
    return TRACE_CHANGES;
}

/* Makes the changes, in the order of the records, with times that never
   decrease. */
static void make_changes(struct maker *maker)
{
    const struct history *const history = maker->history;
    struct trace *const trace = &maker->trace;
    uint32_t second = 0;

    for (size_t i = 0; i < history->event_count; i++) {
        const struct event *const event = &history->events[i];
        const enum trace_state state = maker->states[event->lease];
        const enum trace_change change = change_of(event, state);

        if (change == TRACE_CHANGES)
            continue;
        if (event->second > history->begun_s && event->second - history->begun_s > second)
            second = event->second - history->begun_s;
        trace->items[trace->count++] = (struct trace_item){
            .second = second,
            .lease = maker->numbers[event->lease] & (TRACE_LEASES_MAX - 1),
            .change = change,
        };
        maker->states[event->lease] = (uint8_t)trace_state_after(state, change);
    }
    trace->seconds = second + 1;
}

static int write_file(struct trace *trace, const char *path, struct err *err)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    FILE *const out = file >= 0 ? fdopen(file, "w") : NULL;

    if (out == NULL) {
        (void)err_set(err, "%s: %s", path, strerror(errno));
        if (file >= 0)
            (void)close(file);
        return -1;
    }
    int status = trace_write(trace, out, err);
    if (ferror(out) != 0 && status == 0)
        status = err_set(err, "%s: cannot be written", path);
    if (fclose(out) != 0 && status == 0)
        status = err_set(err, "%s: %s", path, strerror(errno));
    if (status != 0)
        (void)unlink(path);
    return status;
}

int trace_make(const struct history *history, const char *path, struct err *err)
{
    struct maker maker = { .history = history, .trace.family = history->leases.family };
    const size_t leases = history->leases.count + 1;
    int status = -1;

    if (history->event_count == 0)
        return err_set(err, "the files have no history, only the last state of each lease; a trace "
                            "needs the server's own lease file, which is a log");
    maker.numbers = err_calloc(leases, sizeof *maker.numbers, err);
    maker.states = err_calloc(leases, sizeof *maker.states, err);
    maker.trace.items = err_calloc(history->event_count, sizeof *maker.trace.items, err);
    if (maker.numbers != NULL && maker.states != NULL && maker.trace.items != NULL) {
        number_leases(&maker);
        make_changes(&maker);
        status = write_file(&maker.trace, path, err);
    }
    free(maker.numbers);
    free(maker.states);
    trace_release(&maker.trace);
    return status;
}
