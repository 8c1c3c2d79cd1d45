/* SPDX-License-Identifier: ISC */
#include "record/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/field_rows.h"

const char *field_items(const struct field *field, const char *item,
                        size_t *count)
{
    const bool many = field->kind == FIELD_LIST || field->kind == FIELD_TUPLES;
    const char *items;

    memcpy(&items, item + field->offset, sizeof items);
    if (count != NULL)
        *count = items == NULL ? 0
                 : many ? *(const size_t *)(const void *)(item + field->second)
                        : 1;
    return items;
}

#define SHAPE_OF_SECONDS "[answered, late, longest in ns]"
/* NOLINTBEGIN(bugprone-macro-parentheses): members */
#define SECONDS(m, set)                                                        \
    LIST(TUPLES, "seconds", m.items, m.count, answers, SHAPE_OF_SECONDS, set,  \
         "`[answered, late, longest response in ns]` of each second, by when " \
         "the answers were given")
/* NOLINTEND(bugprone-macro-parentheses) */

/* A histogram */

#define OF struct record_bucket
static const struct field bucket_rows[] = { COUNT(low_ns, 0, NULL),
                                            COUNT(count, ABOVE_0, NULL) };
TABLE("bucket", bucket, NULL, NULL);
#undef OF

#define OF struct record_histogram
static const struct field histogram_rows[] = {
    COUNT(count, NEEDED | ABOVE_0, "of values, at least 1"),
    COUNT(sum_ns, NEEDED, "exact"),
    COUNT(min_ns, NEEDED, "exact"),
    COUNT(max_ns, NEEDED, "exact"),
    FIGURE(mean_ns, 0, "exact"),
    FIGURE(sd_ns, 0,
           "sample standard deviation, from the buckets; 0 for a single value"),
    LIST(TUPLES, "buckets", buckets, bucket_count, bucket, "[low, count]",
         NEEDED,
         "`[lowest value in ns, count]` of each bucket that is not empty, in "
         "ascending order"),
    FIGURE(p50_ns, NULLED,
           "the median; all quantiles are at most 0.4 % off, and null if fewer "
           "than 10 values lie beyond: that would be chance"),
    FIGURE(p95_ns, NULLED, "95 % quantile"),
    FIGURE(p99_ns, NULLED, "99 %"),
    FIGURE_AS("p99.9_ns", p99_9_ns, NULLED, "99.9 %"),
    FIGURE_AS("p99.99_ns", p99_99_ns, NULLED, "99.99 %"),
};

/* That it is what a histogram would have been read as; its mean, deviation and
   quantiles follow from that, whatever the line says. */
static void finish_histogram(void *item, struct field_fault *fault)
{
    struct record_histogram *const of = item;
    struct histogram whole;

    histogram_init(&whole);
    if (of->count == 0)
        return;
    if (record_histogram_restore(of, &whole) == 0)
        record_histogram_fill(of, &whole);
    else
        (void)snprintf(fault->text, sizeof fault->text,
                       "the buckets of its %" PRIu64
                       " latencies are not those of that count, sum_ns, min_ns "
                       "and max_ns",
                       of->count);
}
TABLE("histogram", histogram, finish_histogram, NULL);
#undef OF

/* A phase */

#define OF struct record_second
static const struct field second_rows[] = { COUNT(operations, 0, NULL),
                                            REAL(p99_ns, MOST, NULL) };
TABLE("second", second, NULL, NULL);
#undef OF

#define OF struct usage
static const struct field usage_rows[] = {
    COUNT(user_ns, 0, "CPU time in its own code"),
    COUNT(system_ns, 0, "CPU time in the kernel"),
    COUNT(voluntary_switches, 0, "context switches because it had to wait"),
    COUNT(involuntary_switches, 0,
          "context switches because others wanted its core"),
    COUNT(written_bytes, NULLED,
          "given to write(2) and its like; not what was sent to a server"),
    COUNT(disk_bytes, NULLED,
          "of these and of mapped files, what has to go to a disk, in whole "
          "pages"),
    COUNT(fdatasyncs, NULLED,
          "of the lease file, as memfile counts them; null where the store's "
          "library makes them"),
    COUNT(max_rss_bytes, 0, "the most memory that it ever held"),
};
TABLE("usage", usage, NULL, NULL);
#undef OF

#define OF struct record_step
static const struct field step_rows[] = {
    TEXT(name, NEEDED, NULL, "what it is for: `request: by client-id`"),
    TEXT(operation, 0,
         "^(find_(reservation|by_(client_id|hwaddr|duid|address))|create|"
         "update|remove|list_expired|purge_reclaimed)$",
         "of the store, as in [backend.h](../ubench/store/backend.h)"),
    COUNT(count, 0, "how often it was done: hits and misses"),
    COUNT(hits, 0, "that touched a lease"),
    COUNT(misses, 0, "that touched none"),
    HISTOGRAM(latency, "null with `--latency=off`"),
    REAL(predicted, OUT,
         "of searches for candidates with `-w fill`: the count that is "
         "expected"),
};
static const struct field_rule step_rules[] = {
    { "count", true, { "hits", "misses" } }, { NULL, false, { NULL } }
};
TABLE("step", step, NULL, step_rules);
#undef OF

#define OF struct record_phase
static const struct field phase_rows[] = {
    TEXT(name, NEEDED, NULL,
         "`create`, `search`, `update` or `delete`; or the exchange's"),
    FLAG(incomplete, "fewer operations were done than were to be"),
    COUNT(operations, NEEDED,
          "that were answered as they should be and, in groups, committed; of "
          "an exchange: how many times it was done, all its steps"),
    COUNT(hits, 0,
          "of these, the ones that touched one lease. Of an exchange: all"),
    COUNT(misses, 0, "of these, the ones that touched none"),
    COUNT(begun_ns, NULLED | KEPT,
          "when it began, after the beginning of the first phase; null if it "
          "was not reached"),
    COUNT(
        elapsed_ns, NEEDED | KEPT,
        "from before the first operation of any thread to after the last one"),
    HISTOGRAM(latency, "of single operations; null with `--latency=off`"),
    HISTOGRAM(commit, "the same of what begins and commits transactions, both "
                      "together; null without `--batch`, and of searches"),
    LIST(TUPLES, "series", series, second_count, second,
         "[operations, p99 in ns]", 0,
         "`[operations, p99 in ns]` of each second, see below"),
    ROW(OBJECT, "usage", AT(usage, struct usage), NULLED,
        "what the phase cost the client; null if it was not reached",
        .table = &usage),
    COUNT(deadlocks, OUT,
          "exchanges alone: that the store gave up in favour of others, and "
          "that are not in `operations`"),
    COUNT(conflicts, OUT,
          "transactions that the store gave up for one that came first, by the "
          "error's number (Galera, group replication, serializable), and that "
          "are not in `operations`: a phase asks again, an exchange does not. "
          "Left out if there were none"),
    COUNT(stale, OUT,
          "answers that were wrong since that node of the cluster was behind "
          "another, and right when it had caught up. Left out if there were "
          "none"),
    LIST(LIST, "steps", steps, step_count, step, NULL, OUT | FILLED,
         "exchanges alone: what it asked of the store, in this order"),
};
static const struct field_rule phase_rules[] = {
    { "operations", true, { "hits", "misses" } }, { NULL, false, { NULL } }
};

static void finish_phase(void *item, struct field_fault *fault)
{
    enum { MOST_PER_NS = 1000 };
    const struct record_phase *const of = item;

    if (of->operations / MOST_PER_NS >= of->elapsed_ns && of->operations > 0)
        (void)snprintf(fault->text, sizeof fault->text,
                       "operations is %" PRIu64 " in %" PRIu64
                       " ns, which nothing can do",
                       of->operations, of->elapsed_ns);
}
TABLE("phase", phase, finish_phase, phase_rules);
#undef OF

/* An open loop */

#define OF struct record_answers
static const struct field answers_rows[] = { COUNT(answered, 0, NULL),
                                             COUNT(late, 0, NULL),
                                             COUNT(longest_ns, MOST, NULL) };
TABLE("answers", answers, NULL, NULL);
#undef OF
#define OF struct record_trial
static const struct field wait_rows[] = {
    REAL_AS("first", wait_ns[0], MOST, NULL),
    REAL_AS("second", wait_ns[1], MOST, NULL),
    REAL_AS("last", wait_ns[2], MOST, NULL)
};
TABLE("wait", wait, NULL, NULL);

static void finish_trial(void *item, struct field_fault *fault)
{
    const struct record_trial *const of = item;

    for (size_t i = 0; i < of->seconds.count; i++) {
        if (of->seconds.items[i].late > of->seconds.items[i].answered)
            (void)snprintf(fault->text, sizeof fault->text,
                           "seconds is not of " SHAPE_OF_SECONDS);
    }
}

/* Of what was offered, and of what was predicted for that. */
static const struct field_rule trial_rules[] = {
    { "offered",
      true,
      { "answered", "dropped", "merged", "failed", "unanswered" } },
    { "answered", false, { "late" } },
    { NULL, false, { NULL } }
};

static const struct field trial_rows[] = {
    TEXT(stage, NEEDED, "^(single|coarse|fine|verify)$",
         "`single`; of a search: `coarse`, `fine` or `verify`"),
    REAL(rate_per_s, NULLED,
         "requests per second that were offered; null for a storm"),
    COUNT(warmup_ns, KEPT,
          "before `duration_ns`; requests that came then were served and are "
          "in none of these figures"),
    COUNT(duration_ns, ABOVE_0 | KEPT, "how long requests were to be offered"),
    COUNT(deadline_ns, NEEDED | ABOVE_0 | KEPT,
          "an answer later than that is late"),
    COUNT(queue, ABOVE_0, "requests that could wait"),
    FLAG(incomplete,
         "it was interrupted; requests that waited then were not offered"),
    COUNT(elapsed_ns, NEEDED | KEPT, "how long requests were offered"),
    COUNT(offered, NEEDED | ABOVE_0,
          "requests; each was answered, dropped, merged or failed, or stayed "
          "unanswered"),
    COUNT(answered, 0, "in time or late"),
    COUNT(late, NEEDED, "of `answered`, those after the deadline"),
    COUNT(dropped, NEEDED, "the queue was full"),
    COUNT(merged, 0, "the same client waited already (`--queue-policy=dedup`)"),
    COUNT(failed, NEEDED,
          "the store gave the exchange up for another (a deadlock or a "
          "conflict)"),
    COUNT(unanswered, NEEDED,
          "still waiting when the time after the trial was over: the deadline; "
          "of a search, the longest"),
    REAL(in_time_per_s, 0, "`(answered - late) / elapsed_ns * 1e9`"),
    REAL(bad_share, KEPT, "`(late + dropped + failed + unanswered) / offered`"),
    FLAG(grew, "the queue grew to the end, see below"),
    TEXT(invalid, NULLED, ".",
         "why the trial says nothing of the store, see below; null if it does"),
    ROW(TUPLE, "wait_ns", 0, 0,
        "the mean wait of requests that came in the first, second and last "
        "third",
        .table = &wait, .place = "[first, second, last third]"),
    COUNT(
        overhead_ns, 0,
        "of all threads together, between two services, while requests waited"),
    HISTOGRAM(response, "from when a request was due to its answer"),
    HISTOGRAM(service, "from when a thread began with it"),
    HISTOGRAM(lag, "of requests for which a thread was idle: how late it began "
                   "all the same"),
    SECONDS(seconds, 0),
};
TABLE("trial", trial, finish_trial, trial_rules);
#undef OF

#define OF struct record_goal
static const struct field goal_rows[] = {
    TEXT_AS("goal", name, 0, NULL, "its name"),
    TEXT(source, 0, NULL, "which publication judges like that"),
    REAL(bad_share, 0, "the share of requests that may be late or lost"),
    COUNT(deadline_ns, ABOVE_0, "an answer later than that is late"),
    REAL(low_per_s, NULLED,
         "the highest rate that was sustained; null if none was"),
    REAL(high_per_s, NULLED, "the lowest that was not; null if none was"),
    REAL(in_time_per_s, NULLED,
         "answers in time per second in the last trial, at `low_per_s`; null "
         "unless it confirmed that rate"),
    FLAG(verified, "the last trial confirmed it"),
    FLAG(invalid, "at `high_per_s` the trials were invalid: the limit is the "
                  "machine's, not the store's"),
};
TABLE("goal", goal, NULL, NULL);
#undef OF

#define OF struct storm_outcome
static const struct field storm_rows[] = {
    COUNT(clients, NEEDED | ABOVE_0, "that asked"),
    COUNT(served, NEEDED, "of these, those that had an answer"),
    COUNT(sent, NEEDED, "requests, the next among them"),
    COUNT(retransmitted, 0, "requests of clients that had asked before"),
    COUNT(useless, 0, "answers to clients that had one already"),
    COUNT(served_50_ns, NULLED,
          "after how long half of the clients had an answer; null if they "
          "never had"),
    COUNT(served_99_ns, NULLED, "99 %"),
    COUNT(served_100_ns, NULLED, "all"),
};
static const struct field_rule storm_rules[] = {
    { "clients", false, { "served" } },
    { "sent", false, { "retransmitted" } },
    { "served_100_ns", false, { "served_99_ns" } },
    { "served_99_ns", false, { "served_50_ns" } },
    { NULL, false, { NULL } }
};
TABLE("storm", storm, NULL, storm_rules);
#undef OF

#define OF struct record_predicted
static const struct field predicted_rows[] = {
    COUNT(servers, ABOVE_0, "that were simulated"),
    COUNT(service_ns, ABOVE_0,
          "how long each takes: the mean of the closed loop, and the hook's "
          "delay"),
    COUNT_AS("offered", trial.offered, ABOVE_0,
             "this, and what follows: as of a trial"),
    COUNT_AS("answered", trial.answered, 0, ""),
    COUNT_AS("late", trial.late, 0, ""),
    COUNT_AS("dropped", trial.dropped, 0, ""),
    COUNT_AS("merged", trial.merged, 0, ""),
    COUNT_AS("failed", trial.failed, 0, ""),
    COUNT_AS("unanswered", trial.unanswered, 0, ""),
    HISTOGRAM_AS("response", trial.response, ""),
    ROW(OBJECT, "storm", AT(storm, struct storm_outcome), OUT,
        "of a storm: what its clients would have seen", .table = &storm,
        .place = "storm"),
    SECONDS(trial.seconds, OUT),
};
TABLE("predicted", predicted, NULL, trial_rules);
#undef OF

#define OF struct record_closed_loop
static const struct field closed_loop_rows[] = {
    REAL(rate_per_s, NULLED, "exchanges that were answered per second"),
    COUNT(failed, 0, "exchanges that the store gave up"),
    HISTOGRAM(service, "what they took"),
};
TABLE("closed_loop", closed_loop, NULL, NULL);
#undef OF

#define OF struct record_open
static const struct field open_rows[] = {
    OBJECT("closed_loop", closed_loop, closed_loop, NULL, 0,
           "open loops alone: a closed loop before, without the hook"),
    LIST(LIST, "trials", trials, trial_count, trial, "trial", NEEDED,
         "open loops alone: one at a rate or of a storm; of a search, all, in "
         "their order"),
    OBJECT("predicted", predicted, predicted, NULL, NULLED,
           "open loops alone: the same arrivals at simulated servers; null for "
           "a search"),
    LIST(LIST, "goals", goals, goal_count, goal, "goal", OUT,
         "of a search: what was found for each limit"),
    ROW(OBJECT, "storm", AT(storm, struct storm_outcome), OUT,
        "of a storm: what its clients saw", .table = &storm, .place = "storm"),
};
TABLE("open", open, NULL, NULL);
#undef OF

/* A run */

#define OF struct outages
static const struct field reconnect_rows[] = {
    COUNT(outages, 0,
          "how often the server was away; threads that noticed it later than "
          "others belong to the same outage"),
    COUNT(ended, 0,
          "those of them after which something was acknowledged again"),
    COUNT(outage_ns, 0, "the time of these, together, see below"),
    COUNT(longest_ns, MOST, "of the longest of these"),
    COUNT(connections, 0, "that were opened anew"),
    COUNT(unknown, 0, "changes that were submitted and whose answer was lost"),
    COUNT(found_done, 0, "those that were found to have been done"),
    COUNT(repeated, 0,
          "those that were submitted again; in a run that was cut short the "
          "two may come to less than `unknown`"),
};
static const struct field_rule reconnect_rules[] = {
    { "outages", false, { "ended" } },
    { "outage_ns", false, { "longest_ns" } },
    { "unknown", false, { "found_done", "repeated" } },
    { NULL, false, { NULL } }
};
TABLE("reconnect", reconnect, NULL, reconnect_rules);
#undef OF

/* The lowest of the rates that were found for the limits of a search; 0 where
   one was not confirmed. */
static double sustained_per_s(const struct record_open *of)
{
    double lowest = of->goal_count > 0 ? INFINITY : 0;

    for (size_t i = 0; i < of->goal_count; i++)
        lowest =
            fmin(lowest, of->goals[i].verified ? of->goals[i].low_per_s : 0);
    return lowest;
}

static void finish_run(void *item, struct field_fault *fault)
{
    struct record_run *const of = item;

    of->sustained_per_s = of->open != NULL ? sustained_per_s(of->open) : 0;
    for (size_t i = 0; i < of->phase_count && !of->incomplete; i++) {
        if (of->phases[i].incomplete || of->phases[i].elapsed_ns > 0)
            continue;
        fault->place = of->phases[i].name;
        (void)snprintf(fault->text, sizeof fault->text,
                       "it is complete, but took no time");
    }
}

#define OF struct record_run
static const struct field run_rows[] = {
    FLAG(incomplete,
         "it ended before its last operation, or before its last check"),
    FLAG(together,
         "the phases are kinds of exchanges, mixed, and each has the times and "
         "the usage of the whole run; else they ran one after the other"),
    LIST(LIST, "phases", phases, phase_count, phase, NULL, NEEDED | FILLED,
         "create, search, update and delete, in this order; with another "
         "`--workload` each exchange of it; of an open loop those of the last "
         "trial"),
    ROW(FLAG, "verified", AT(verified, bool), FIELD_ALL,
        "every answer was compared with the right one; false for the null "
        "store, which keeps no leases"),
    COUNT(leases_left, 0,
          "leases beyond those that ought to be there that were counted at the "
          "end: 0"),
    TEXT(digest, 0, "^[0-9a-f]{16}$",
         "16 hexadecimal digits over all operations and their outcomes, see "
         "below"),
    ROW(POINTER, "reconnect", AT(reconnect, const struct outages *), OUT,
        "with `--reconnect` alone, and then also if nothing was lost",
        .table = &reconnect),
    POINTER(PART, "trials", open, open, NULL),
};
TABLE("run", run, finish_run, NULL);
#undef OF

/* The line */

#define OF struct record_baselines
static const struct field baselines_rows[] = {
    REAL(clock_ns, NULLED, "one reading of the clock, median"),
    REAL(fdatasync_ns, NULLED,
         "250 bytes written and synced in the folder where the leases lie, "
         "median of up to 100; null if that is on another machine, or not ours "
         "to write in"),
    REAL(fdatasync_min_ns, NULLED,
         "the best of these, and of those that wrote over bytes that were "
         "there"),
    REAL(round_trip_ns, NULLED,
         "one empty round trip to the server, median of 101; null without a "
         "server"),
    REAL(harness_ns, NULLED,
         "one operation on the null store with the same leases: what measuring "
         "costs"),
};
TABLE("floors", baselines, NULL, NULL);
#undef OF

#define OF struct record_part
static const struct field part_rows[] = {
    COUNT(number, NEEDED | ABOVE_0, "which part it is, from 1 on"),
    COUNT(of, NEEDED | ABOVE_0, "how many parts the run was split into"),
    TEXT(host, NEEDED, ".",
         "where it ran: `--label=agent=NAME`, or the name of the machine"),
    COUNT(begun_us, NEEDED,
          "when its first operation began, in microseconds since 1970, by its "
          "own clock"),
    COUNT(common_us, NEEDED, "the same by the clock of `agents.sh`"),
    COUNT(error_us, NEEDED,
          "by which that may be wrong: half of the round trip in which the "
          "clocks were compared"),
    REAL(together, OUT,
         "of parts that were put together: the share of its time in which all "
         "of them were at work, the least of any phase"),
};
TABLE("part", part, NULL, NULL);
#undef OF

#define OF struct record
static const struct field durability_rows[] = {
    ROW(CLASS, "class", AT(durability, enum durability), NULLED,
        "computed from the settings that were read back, see below; null of "
        "figures of others",
        .second = AT(durability_known, bool),
        .pattern = "^(none|volatile|process-safe|bounded|power-safe)$"),
    TEXT_AS("from", durability_from, 0, ".", "these settings"),
    TEXT(node_loss, OUT, "^(yes|no|unknown)$",
         "of a server: whether what was acknowledged survives the loss of its "
         "machine, because another node had to have it, see below"),
};
const struct field_table durability_fields = { "durability",
                                               durability_rows,
                                               sizeof durability_rows /
                                                   sizeof durability_rows[0],
                                               sizeof(OF),
                                               NULL,
                                               NULL };

const char record_format[] = "ubench-result/1";

static const struct field line_rows[] = {
    ROW(CONSTANT, "format", 0, 0, "the name of this format",
        .pattern = record_format),
    TEXT(published, OUT, ".",
         "where figures come from that others published, see below"),
    TEXT(program, NEEDED, "^[a-z0-9]+_ubench$", "the runner: `sqlite_ubench`"),
    TEXT(version, NEEDED, "^[0-9]+[.][0-9]+[.][0-9]+",
         "of ubench, with the git commit it was built from"),
    TEXT(store, NEEDED, "^[a-z0-9]+$",
         "the store, as in the runner's name: `sqlite`"),
    TEXT(started_at, 0,
         "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
         "when it was started, UTC: `2026-01-02T03:04:05Z`"),
    FLAG(incomplete, "fewer than `--repeat` runs are complete"),
    TEXT(error, 0, NULL,
         "why it ended early; empty if it did not, or was merely interrupted"),
    TEXT(warning, 0, NULL,
         "why the figures may be wrong, or empty: a rate above the disk's "
         "floor, a busy machine, a slow clock"),
    ROW(OBJECT, "durability", 0, NEEDED, "what survives",
        .table = &durability_fields, .place = "durability"),
    PROPERTIES(parameters, NEEDED, "^(?!password$)[a-z][a-z0-9-]*$",
               "every option that has a value and means something for the "
               "workload, by its long name, as it would be typed"),
    PROPERTIES(
        labels, OUT, "^[A-Za-z][A-Za-z0-9._-]*$",
        "what `--label` gave, to find the run by; not there in older lines"),
    PROPERTIES(
        facts, 0, ".",
        "what the store says of itself: first the product and its version"),
    OBJECT("floors", baselines, baselines, "floors", 0,
           "what nothing can be faster than on this machine"),
    PROPERTIES(host, 0, "^[a-z_]+$", "the machine, see below"),
    LIST(LIST, "parts", parts, part_count, part, "part", OUT | FILLED,
         "with `--part` alone: which part of a run it is, or, of parts that "
         "`ubench_report merge` has put together, all of them"),
    LIST(LIST, "runs", runs, run_count, run, "run", NEEDED | FILLED,
         "one for each of `--repeat` that was begun, each on a fresh store; "
         "the last may be incomplete"),
};

const struct field_table record_fields = {
    "line",     line_rows, sizeof line_rows / sizeof line_rows[0],
    sizeof(OF), NULL,      NULL
};
