/* SPDX-License-Identifier: ISC */
#include "lease/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/random.h"
#include "tests/lib/check.h"

enum { LEASES = 40, COUNT = 3000 };

/* A trace at random: any change that its lease can have, and often the one that is expected. */
static struct trace make_trace(uint64_t seed)
{
    struct trace trace = { .leases = LEASES, .active = (uint32_t)(seed % LEASES) };
    uint8_t states[LEASES] = { 0 };
    uint32_t second = 0;
    uint64_t drawn = 0;

    trace.items = calloc(COUNT, sizeof *trace.items);
    assert_non_null(trace.items);
    for (uint32_t i = 0; i < trace.active; i++)
        states[i] = TRACE_ACTIVE;
    while (trace.count < COUNT) {
        const uint64_t draw = random_at(seed, drawn++);
        const uint32_t lease = (uint32_t)(draw % 3 == 0 ? drawn % LEASES : draw / 3 % LEASES);
        const enum trace_change change =
            draw >> 32 & 1 ? TRACE_RENEW : (enum trace_change)((draw >> 33) % TRACE_CHANGES);
        const int after = trace_state_after(states[lease], change);

        if (after < 0)
            continue;
        states[lease] = (uint8_t)after;
        second += draw >> 40 & 7 ? 0 : (uint32_t)((draw >> 48) % 1000);
        trace.items[trace.count++] = (struct trace_item){ .second = second,
                                                          .lease = lease & (TRACE_LEASES_MAX - 1),
                                                          .change = change };
    }
    trace.seconds = second + 1;
    return trace;
}

static void write_trace(struct trace *trace, char *path)
{
    struct err err = { 0 };
    const int file = mkstemp(path);
    FILE *const out = fdopen(file, "w");

    assert_non_null(out);
    assert_int_equal(trace_write(trace, out, &err), 0);
    assert_int_equal(fclose(out), 0);
}

TEST(a_trace_is_read_as_it_was_written)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        char path[] = "/tmp/ubench-trace-XXXXXX";
        struct trace trace = make_trace(seed);
        struct trace found;
        struct err err = { 0 };

        write_trace(&trace, path);
        if (trace_read(path, &found, &err) != 0)
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
        assert_true(found.count == trace.count && found.hash == trace.hash);
        assert_true(found.leases == trace.leases && found.active == trace.active);
        assert_true(found.seconds == trace.seconds && found.family == trace.family);
        assert_memory_equal(found.counts, trace.counts, sizeof trace.counts);
        assert_memory_equal(found.items, trace.items, trace.count * sizeof *trace.items);
        trace_release(&trace);
        trace_release(&found);
        (void)unlink(path);
    }
}

TEST(the_beginning_of_a_trace_is_a_trace)
{
    struct trace whole = make_trace(3);
    struct trace_item *const items = whole.items;

    for (uint32_t seconds = whole.seconds; seconds > 0; seconds /= 2) {
        char path[] = "/tmp/ubench-trace-XXXXXX";
        struct trace part = whole;
        struct trace found;
        struct err err = { 0 };
        uint64_t count = 0;

        while (count < whole.count && items[count].second <= seconds)
            count++;
        trace_cut(&part, seconds);
        check_number("changes", part.count, count);
        check_number("seconds", part.seconds, seconds);
        if (seconds == whole.seconds)
            continue; /* nothing was cut, nor counted */
        const uint64_t hash = part.hash;
        write_trace(&part, path);
        if (trace_read(path, &found, &err) != 0)
            fail_msg("%u s: %s", (unsigned)seconds, err.text);
        assert_true(found.hash == hash && found.count == count);
        assert_memory_equal(found.counts, part.counts, sizeof part.counts);
        trace_release(&found);
        (void)unlink(path);
    }
    trace_release(&whole);
}

/* Clients that renew on time take no room: two leases by turns, or all of them. */
TEST(regular_renewals_are_short)
{
    for (uint32_t leases = 2; leases <= LEASES; leases += LEASES - 2) {
        char path[] = "/tmp/ubench-trace-XXXXXX";
        struct trace trace = { .leases = leases, .active = leases, .seconds = 2, .count = COUNT };
        char text[512];

        trace.items = calloc(COUNT, sizeof *trace.items);
        assert_non_null(trace.items);
        for (uint32_t i = 0; i < COUNT; i++)
            trace.items[i] = (struct trace_item){ .second = 1,
                                                  .lease = (i % leases) & (TRACE_LEASES_MAX - 1),
                                                  .change = TRACE_RENEW };
        write_trace(&trace, path);
        FILE *const file = fopen(path, "r");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        (void)fclose(file);
        assert_non_null(strstr(text, "\n+1 r*3000\n"));
        trace_release(&trace);
        (void)unlink(path);
    }
}
