/* SPDX-License-Identifier: ISC */
#include "runner/runner.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/units.h"
#include "load/crash/verify.h"
#include "runner/json/describe.h"
#include "runner/output.h"
#include "runner/text.h"

/* The input and the findings of one verification. */
struct verification {
    const struct runner_config *config;
    struct ledger ledger;
    struct verify_result result;
    uint64_t begun_ns;
    char damage[256]; /* why the store could not be opened, or "" */
};

/* Returns the time from the restart of the store to its first answer to a
   search.  A store in this process restarts when it is opened. */
static uint64_t recovery_ns(const struct verification *v)
{
    const uint64_t started_ns = atomic_load(&v->ledger.header->started_ns);
    const uint64_t from_ns = started_ns != 0 ? started_ns : v->begun_ns;

    return v->result.first_found_ns > from_ns ? v->result.first_found_ns - from_ns : 0;
}

static struct verdict verdict_of(const struct verification *v)
{
    const struct verify_result *const r = &v->result;

    if (v->damage[0] != '\0' || r->corrupt > 0 || r->check == OUTCOME_MISS)
        return (struct verdict){ "corrupt", "the store is damaged" };
    if (r->phantom + r->strangers > 0)
        return (struct verdict){ "phantom", "the store has leases that were never requested" };
    if (r->holes > 0)
        return (struct verdict){ "hole",
                                 "acknowledged changes are lost although later ones are kept" };
    if (r->resurrected > 0 && r->lost + r->outdated == 0)
        return (struct verdict){ "resurrected",
                                 "the store has leases whose deletion was acknowledged" };
    return verify_is_whole(r)
               ? (struct verdict){ "kept", "every acknowledged change is kept" }
               : (struct verdict){ "lost", "the last acknowledged changes are lost" };
}

/* The text */

static void print_row(FILE *out, const char *name, uint64_t count, const char *meaning)
{
    (void)fprintf(out, "%-*s%10s  %s\n", TEXT_INDENT, name, units_count(UNITS_TEXT, count),
                  meaning);
}

/* Prints the verdict, what crashed with which class, and what is left. */
static void print_text(const struct verification *v, FILE *out)
{
    const struct verify_result *const r = &v->result;
    const struct ledger_about *const about = &v->ledger.header->about;
    const struct verdict verdict = verdict_of(v);

    text_print(out, "verdict", "%s: %s%s%s", verdict.name, verdict.meaning,
               v->damage[0] != '\0' ? ": " : "", v->damage);
    text_print(out, "store", "%s", about->product);
    text_print(out, about->durability, "%s (%s)", durability_scan(about->durability)->meaning,
               about->durability_from);
    if (v->damage[0] != '\0')
        return;
    (void)fputc('\n', out);
    text_print(out, "operations",
               "%s acknowledged before the crash; %s unanswered, %s too late "
               "to judge",
               units_count(UNITS_TEXT, r->acknowledged), units_count(UNITS_TEXT, r->unanswered),
               units_count(UNITS_TEXT, r->late));
    print_row(out, "kept", r->kept, "leases in a correct state");
    print_row(out, "lost", r->lost, "created or updated, now missing");
    print_row(out, "outdated", r->outdated, "updated, but the old state is back");
    print_row(out, "resurrected", r->resurrected, "deleted, but present");
    print_row(out, "phantom", r->phantom + r->strangers, "present, never requested");
    print_row(out, "corrupt", r->corrupt, "present, with contents never stored");
    if (r->lost_operations > 0)
        text_print(out, "window", "%s of acknowledgements are lost: %s operations, %s",
                   units_time(UNITS_TEXT, (double)r->window_ns),
                   units_count(UNITS_TEXT, r->window_operations),
                   r->holes == 0 ? "the last of each thread" : "with holes");
    if (r->holes > 0)
        print_row(out, "holes", r->holes, "lost although later changes are kept");
    if (r->torn_batches > 0)
        print_row(out, "torn", r->torn_batches, "transactions kept only in part");
    text_print(out, "check", "%s", r->check_text);
    text_print(out, "recovery", "%s until the first answer",
               units_time(UNITS_TEXT, (double)recovery_ns(v)));
}

/* The line: results/crash.schema.json */

static void write_subject(struct json *out, const struct verification *v)
{
    const struct ledger_about *const about = &v->ledger.header->about;
    struct promise promise;

    ledger_get_promise(&promise, &about->promise);
    json_text(out, "format", "ubench-crash/1");
    json_text(out, "version", about->version);
    json_text(out, "store", about->store);
    json_text(out, "product", about->product);
    json_text(out, "started_at", about->started_at);
    json_begin(out, "durability", '{');
    json_text(out, "class", about->durability);
    json_promise(out, &promise);
    json_text(out, "from", about->durability_from);
    json_end(out, '}');
    json_properties(out, "labels", &v->config->labels);
    json_begin(out, "load", '{');
    json_count(out, "seed", about->seed);
    json_count(out, "preload", about->preload);
    json_count(out, "threads", about->threads);
    json_count(out, "batch", about->batch);
    json_positive(out, "pace_per_s", about->pace_per_s);
    json_end(out, '}');
}

static void write_verdict(struct json *out, const void *subject)
{
    const struct verification *const v = subject;
    const struct ledger_header *const header = v->ledger.header;
    const struct verify_result *const r = &v->result;
    const uint64_t crashed_ns = atomic_load(&header->crashed_ns);
    const uint64_t begun_ns = atomic_load(&header->begun_ns);

    json_begin(out, NULL, '{');
    write_subject(out, v);
    json_text(out, "verdict", verdict_of(v).name);
    json_text(out, "why", v->damage);
    json_count(out, "crashed_after_ns",
               crashed_ns > begun_ns ? crashed_ns - begun_ns : JSON_UNKNOWN);
    json_begin(out, "leases", '{');
    json_count(out, "kept", r->kept);
    json_count(out, "lost", r->lost);
    json_count(out, "outdated", r->outdated);
    json_count(out, "resurrected", r->resurrected);
    json_count(out, "phantom", r->phantom);
    json_count(out, "corrupt", r->corrupt);
    json_count(out, "strangers", r->strangers);
    json_end(out, '}');
    json_begin(out, "operations", '{');
    json_count(out, "acknowledged", r->acknowledged);
    json_count(out, "unanswered", r->unanswered);
    json_count(out, "late", r->late);
    json_count(out, "lost", r->lost_operations);
    json_count(out, "holes", r->holes);
    json_count(out, "torn_batches", r->torn_batches);
    json_end(out, '}');
    json_count(out, "window_ns", r->window_ns);
    json_count(out, "window_operations", r->window_operations);
    json_count(out, "recovery_ns", v->damage[0] == '\0' ? recovery_ns(v) : JSON_UNKNOWN);
    json_text(out, "check", r->check_text);
    json_end(out, '}');
}

static int print_verdict(const struct verification *v, struct err *err)
{
    const char *const path = v->config->output;
    char *const line = json_line(write_verdict, v);

    if (line == NULL)
        return err_set(err, "--verify: out of memory");
    if (v->config->json)
        (void)printf("%s\n", line);
    else
        print_text(v, stdout);
    const int status = path != NULL ? output_append(line, path, err) : 0;
    free(line);
    return status;
}

/* Comparison with the ledger */

static int judge(struct verification *v, const struct store_config *config, struct err *err)
{
    struct err ignored;
    struct store *const store = the_backend.open(config, err);
    struct session *session = NULL;
    int status = -1;

    if (store != NULL)
        session = the_backend.session_open(store, err);
    if (session != NULL)
        status = verify_run(&v->ledger, &the_backend, session, &v->result, err);
    the_backend.session_close(session);
    (void)the_backend.close(store, &ignored);
    if (status == 0 || err->kind != ERR_CORRUPT)
        return status;
    (void)snprintf(v->damage, sizeof v->damage, "%.255s", err->text);
    return 0;
}

int verifier_run(const struct runner_config *config, bool *whole, struct err *err)
{
    static const struct opt_settings none = { .count = 0 };
    struct verification v = { .config = config };
    struct store_config kept = config->store;
    int status = -1;

    v.begun_ns = clock_now_ns();
    if (ledger_open(&v.ledger, config->verify, err) != 0)
        return -1;
    const struct ledger_about *const about = &v.ledger.header->about;
    kept.keep = true;
    kept.sync = SYNC_SERVER;
    if (!the_backend.set_says_where)
        kept.settings = &none;
    kept.schema = (enum schema)about->schema;
    kept.family = (enum lease_family)about->family;
    if (kept.family == LEASE_FAMILY_V6 && the_backend.default_v6_target != NULL &&
        kept.target == the_backend.default_target)
        kept.target = the_backend.default_v6_target;
    if (strcmp(about->store, the_backend.name) != 0)
        (void)err_set(err,
                      "--verify: '%s' is a ledger of %s_ubench; use that runner, not %s_ubench",
                      config->verify, about->store, the_backend.name);
    else if (judge(&v, &kept, err) == 0)
        status = print_verdict(&v, err);
    *whole = v.damage[0] == '\0' && verify_is_whole(&v.result);
    ledger_close(&v.ledger);
    return status;
}
