/* SPDX-License-Identifier: ISC */
/* The replay of a trace on a store that lies, alters, loses or gives up: all of it is noticed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/workloads.h"
#include "tests/lib/check.h"
#include "tests/lib/lease_fields.h"
#include "tests/lib/store_trial.h"

/* Each change of a lease in each state, in a trace of five leases. */
static const char *const changes[] = { "+0 n2 r0 x0 b0 d0 b0 e0 b0 g0 n0 x1",
                                       "+1 e1 b1 b1 d1 e1 g1 r2 x2 g2", "+1 n3 d3 g3 n3 r3 r3 r0" };

/* The configuration of a replay of a trace. */
static struct load_config config_of(struct trace *trace)
{
    struct load_config config = usual_phases;
    char path[] = "/tmp/ubench-replay-XXXXXX";
    struct err err = { 0 };
    const int file = mkstemp(path);
    FILE *const out = fdopen(file, "w");

    assert_non_null(out);
    assert_int_equal(trace_write(trace, out, &err), 0);
    assert_int_equal(fclose(out), 0);
    config.family = trace->family;
    config.candidates = 1;
    config.replay.path = path;
    if (workload_replay.resolve(&config, "replay", &err) != 0)
        fail_msg("%s", err.text);
    (void)unlink(path);
    return config;
}

static struct load_config read_trace(enum lease_family family)
{
    struct trace trace = { .family = family, .leases = 5, .active = 2, .seconds = 3, .count = 0 };
    struct trace_item items[64];

    for (uint32_t second = 0; second < COUNT_OF(changes); second++) {
        for (const char *text = changes[second]; (text = strchr(text, ' ')) != NULL;) {
            static const char letters[] = "nbrxdeg";
            const char letter = text[1];
            const unsigned lease = (unsigned)(text[2] - '0');

            text += 2;
            items[trace.count++] = (struct trace_item){
                .second = second,
                .lease = lease & 7,
                .change = (unsigned)(strchr(letters, letter) - letters) & 7,
            };
        }
    }
    trace.items = items;
    return config_of(&trace);
}

static struct store_trial *run(const struct load_config *config, const struct fault *fault)
{
    struct store_trial *const trial = trial_new(fault);

    (void)trial_run_on(trial, &workload_replay, config, 0);
    return trial;
}

static uint64_t count_calls(const struct load_config *config, char letter)
{
    struct store_trial *const trial = run(config, NULL);
    const uint64_t calls = trial_calls(trial, letter);

    check_number("no fault", trial->end, LOAD_DONE);
    trial_free(trial);
    return calls;
}

TEST(every_lie_of_a_replay_is_noticed)
{
    static const struct {
        enum trick trick;
        const char *letters;
    } tricks[] = { { TRICK_LIE, "CHANIUD" }, { TRICK_PRETEND, "IUD" }, { TRICK_LOSE, "IU" } };

    for (int family = 0; family <= LEASE_FAMILY_V6; family++) {
        struct load_config config = read_trace((enum lease_family)family);

        for (size_t t = 0; t < COUNT_OF(tricks); t++) {
            for (const char *q = tricks[t].letters; *q != '\0'; q++) {
                const uint64_t calls = count_calls(&config, *q);

                for (uint64_t at = 1; at <= calls && at <= 10; at++) {
                    const struct fault fault = { *q, tricks[t].trick, at, 0 };
                    const char row[] = { *q, (char)('0' + at % 10), '\0' };
                    struct store_trial *const trial = run(&config, &fault);

                    if (trial->table.done)
                        check_number(row, trial->end, LOAD_WRONG);
                    trial_free(trial);
                }
            }
        }
        replay_config_release(&config.replay);
    }
}

TEST(a_wrong_field_in_a_replay_is_noticed)
{
    struct load_config config = read_trace(LEASE_FAMILY_V4);

    for (int change = 0; change < LEASE_CHANGES; change++) {
        for (const char *q = "UI"; *q != '\0'; q++) {
            const struct fault fault = { *q, TRICK_ALTER, 1, change };
            const char row[] = { *q, (char)('a' + change), '\0' };
            struct store_trial *const trial = run(&config, &fault);

            check_number(row, trial->end, LOAD_WRONG);
            trial_free(trial);
        }
    }
    replay_config_release(&config.replay);
}

/* Later changes of the lease build on it. */
TEST(what_the_store_gives_up_is_tried_again)
{
    struct load_config config = read_trace(LEASE_FAMILY_V4);
    struct store_trial *const right = run(&config, NULL);

    for (uint64_t at = 1; at <= 5; at++) {
        const struct fault fault = { 'U', TRICK_DEADLOCK, at, 0 };
        struct store_trial *const trial = run(&config, &fault);
        uint64_t deadlocks = 0;

        check_number("end", trial->end, LOAD_DONE);
        check("digest", trial->result.digest == right->result.digest, "the same");
        for (size_t i = 0; i < trial->result.phase_count; i++)
            deadlocks += trial->result.phases[i].deadlocks;
        check_number("deadlocks", deadlocks, 1);
        trial_free(trial);
    }
    trial_free(right);
    replay_config_release(&config.replay);
}

/* A renewal is due a second after a thousand others, however many they were. */
TEST(a_pace_is_that_of_the_trace)
{
    enum { FIRST = 1000 };
    static struct trace_item items[FIRST + 1];
    struct trace trace = { .family = LEASE_FAMILY_V4,
                           .leases = 1,
                           .active = 1,
                           .seconds = 2,
                           .count = COUNT_OF(items),
                           .items = items };

    for (size_t i = 0; i < COUNT_OF(items); i++)
        items[i] = (struct trace_item){ .second = i == FIRST, .change = TRACE_RENEW };
    struct load_config config = config_of(&trace);
    config.replay.speed = 10;
    struct store_trial *const trial = run(&config, NULL);
    const uint64_t elapsed_ns = load_result_elapsed_ns(&trial->result);

    check_text("a pace", trial->err.text, "");
    check_number("a pace", trial->end, LOAD_DONE);
    assert_in_range(elapsed_ns, NS_PER_S / 10, 60 * NS_PER_S);
    trial_free(trial);
    replay_config_release(&config.replay);
}
