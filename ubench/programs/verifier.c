/* SPDX-License-Identifier: ISC */
#include "programs/runner.h"

#include <string.h>

#include <jansson.h>

#include "core/units.h"
#include "load/crash/verify.h"
#include "record/output.h"
#include "report/fold.h"

/* All that one verification needs and finds. */
struct verification {
    const struct runner_config *config;
    const struct backend *backend;
    struct ledger ledger;
    struct verify_result result;
    uint64_t begun_ns;
    char damage[256]; /* why the store could not even be opened, or "" */
};

/* From when the store was started again until it answered a search; a store
   in this process is started by opening it. */
static uint64_t recovery_ns(const struct verification *v)
{
    const uint64_t started_ns = atomic_load(&v->ledger.header->started_ns);
    const uint64_t from_ns = started_ns != 0 ? started_ns : v->begun_ns;

    return v->result.first_found_ns > from_ns
               ? v->result.first_found_ns - from_ns
               : 0;
}

static const char *verdict_name(const struct verification *v)
{
    const struct verify_result *const r = &v->result;

    if (v->damage[0] != '\0' || r->corrupt > 0 || r->check == OUTCOME_MISS)
        return "corrupt";
    if (r->phantom + r->strangers > 0)
        return "phantom";
    if (r->holes > 0)
        return "hole";
    if (r->resurrected > 0 && r->lost + r->outdated == 0)
        return "resurrected";
    return verify_is_whole(r) ? "kept" : "lost";
}

static bool is_whole(const struct verification *v)
{
    return v->damage[0] == '\0' && verify_is_whole(&v->result);
}

/* The text */

static const char *verdict_meaning(const char *verdict)
{
    static const char *const meanings[][2] = {
        { "corrupt", "what is there is damaged" },
        { "phantom", "leases are there that were never asked for" },
        { "hole", "acknowledged changes are lost, and later ones are there" },
        { "resurrected", "leases are there whose deletion was acknowledged" },
        { "kept", "every acknowledged change is there" },
        { "lost", "the last acknowledged changes are lost" },
    };
    size_t i = 0;

    while (strcmp(meanings[i][0], verdict) != 0)
        i++;
    return meanings[i][1];
}

static void print_row(FILE *out, const char *name, uint64_t count,
                      const char *meaning)
{
    (void)fprintf(out, "%-*s%10s  %s\n", FOLD_INDENT, name,
                  units_count(UNITS_TEXT, count), meaning);
}

/* What it is that was crashed, and what its class promised. */
static void print_subject(const struct ledger_about *about, FILE *out)
{
    enum durability class = DURABILITY_NONE;

    (void)durability_scan(about->durability, &class);
    fold_print(out, "store", "%s", about->product);
    fold_print(out, about->durability, "%s (%s)", durability_meaning(class),
               about->durability_why);
}

static void print_window(const struct verify_result *r, FILE *out)
{
    if (r->lost_operations > 0)
        fold_print(out, "window",
                   "%s of acknowledgements are lost: %s operations, %s",
                   units_time(UNITS_TEXT, (double)r->window_ns),
                   units_count(UNITS_TEXT, r->window_operations),
                   r->holes == 0 ? "a tail of each thread's" : "with holes");
}

static void print_operations(const struct verify_result *r, FILE *out)
{
    char acknowledged[UNITS_TEXT_SIZE];
    char unanswered[UNITS_TEXT_SIZE];
    char late[UNITS_TEXT_SIZE];

    fold_print(out, "operations",
               "%s acknowledged before the crash; %s unanswered, %s too late "
               "to judge",
               units_count(acknowledged, r->acknowledged),
               units_count(unanswered, r->unanswered),
               units_count(late, r->late));
}

static void print_text(const struct verification *v, FILE *out)
{
    const struct verify_result *const r = &v->result;
    const char *const verdict = verdict_name(v);

    fold_print(out, "verdict", "%s: %s%s%s", verdict, verdict_meaning(verdict),
               v->damage[0] != '\0' ? ": " : "", v->damage);
    print_subject(&v->ledger.header->about, out);
    if (v->damage[0] != '\0')
        return;
    (void)fputc('\n', out);
    print_operations(r, out);
    print_row(out, "kept", r->kept, "leases as they must be, or may be");
    print_row(out, "lost", r->lost, "created or updated, and not there");
    print_row(out, "outdated", r->outdated, "updated, and as before");
    print_row(out, "resurrected", r->resurrected, "deleted, and there");
    print_row(out, "phantom", r->phantom + r->strangers,
              "there, and never asked for");
    print_row(out, "corrupt", r->corrupt, "there, and never stored like that");
    print_window(r, out);
    if (r->holes > 0)
        print_row(out, "holes", r->holes, "lost, with later ones kept");
    if (r->torn_batches > 0)
        print_row(out, "torn", r->torn_batches,
                  "transactions of which a part is there");
    fold_print(out, "check", "%s", r->check_text);
    fold_print(out, "recovery", "%s until the first answer",
               units_time(UNITS_TEXT, (double)recovery_ns(v)));
}

/* The line of JSON */

static json_t *labels_json(const struct opt_settings *labels)
{
    json_t *const json = json_object();

    for (size_t i = 0; i < labels->count; i++)
        (void)json_object_set_new(json, labels->items[i].name,
                                  json_string(labels->items[i].value));
    return json;
}

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *leases_json(const struct verify_result *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kept",
                     number(r->kept), "lost", number(r->lost), "outdated",
                     number(r->outdated), "resurrected", number(r->resurrected),
                     "phantom", number(r->phantom), "corrupt",
                     number(r->corrupt), "strangers", number(r->strangers));
}

static json_t *operations_json(const struct verify_result *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "acknowledged",
                     number(r->acknowledged), "unanswered",
                     number(r->unanswered), "late", number(r->late), "lost",
                     number(r->lost_operations), "holes", number(r->holes),
                     "torn_batches", number(r->torn_batches));
}

static json_t *load_json(const struct ledger_about *about)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o}", "seed", number(about->seed), "preload",
        number(about->preload), "threads", number(about->threads), "batch",
        number(about->batch), "pace_per_s",
        about->pace_per_s > 0 ? json_real(about->pace_per_s) : json_null());
}

static json_t *verification_json(const struct verification *v)
{
    const struct ledger_header *const header = v->ledger.header;
    const struct ledger_about *const about = &header->about;
    const struct verify_result *const r = &v->result;
    const uint64_t crashed_ns = atomic_load(&header->crashed_ns);
    const uint64_t begun_ns = atomic_load(&header->begun_ns);

    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:{s:s, s:s}, s:o, s:o, s:s, s:s, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:s}",
        "format", "ubench-crash/1", "version", about->version, "store",
        about->store, "product", about->product, "started_at",
        about->started_at, "durability", "class", about->durability, "from",
        about->durability_why, "labels", labels_json(&v->config->labels),
        "load", load_json(about), "verdict", verdict_name(v), "why", v->damage,
        "crashed_after_ns",
        crashed_ns > begun_ns ? number(crashed_ns - begun_ns) : json_null(),
        "leases", leases_json(r), "operations", operations_json(r), "window_ns",
        number(r->window_ns), "window_operations", number(r->window_operations),
        "recovery_ns",
        v->damage[0] == '\0' ? number(recovery_ns(v)) : json_null(), "check",
        r->check_text);
}

static int print_verdict(const struct verification *v, FILE *out,
                         struct err *err)
{
    const char *const path = v->config->output;
    json_t *const json = verification_json(v);
    int status = 0;

    if (json == NULL)
        return err_set(err, "--verify: out of memory");
    if (v->config->json)
        (void)json_dumpf(json, out, JSON_COMPACT);
    if (v->config->json)
        (void)fputc('\n', out);
    else
        print_text(v, out);
    if (path != NULL)
        status = output_append(json_dumps(json, JSON_COMPACT), path, NULL, err);
    json_decref(json);
    return status;
}

/* Judging */

static int judge(struct verification *v, const struct store_config *config,
                 struct err *err)
{
    struct err ignored;
    struct store *const store = v->backend->open(config, err);
    struct session *session = NULL;
    int status = -1;

    if (store != NULL)
        session = v->backend->session_open(store, err);
    if (session != NULL)
        status = verify_run(&v->ledger, v->backend, session, &v->result, err);
    v->backend->session_close(session);
    (void)v->backend->close(store, &ignored);
    if (status == 0 || err->kind != ERR_CORRUPT)
        return status;
    (void)snprintf(v->damage, sizeof v->damage, "%.255s", err->text);
    return 0;
}

static int check_ledger(const struct verification *v, struct err *err)
{
    const struct ledger_about *const about = &v->ledger.header->about;

    if (strcmp(about->store, v->backend->name) != 0)
        return err_set(err,
                       "--verify: %s is the ledger of %s_ubench, not of %s",
                       v->config->verify, about->store, v->backend->name);
    return 0;
}

enum verdict verifier_run(const struct runner_config *config,
                          const struct store_config *store,
                          const struct backend *backend, FILE *out,
                          struct err *err)
{
    static const struct opt_settings none = { .count = 0 };
    struct verification v = { .config = config, .backend = backend };
    struct store_config kept = *store;
    enum verdict verdict = VERDICT_UNKNOWN;

    v.begun_ns = clock_now_ns();
    if (ledger_open(&v.ledger, config->verify, err) != 0)
        return VERDICT_UNKNOWN;
    kept.keep = true;
    kept.sync = SYNC_SERVER;
    if (!backend->set_says_where)
        kept.settings = &none;
    kept.schema = (enum schema)v.ledger.header->about.schema;
    kept.family = (enum lease_family)v.ledger.header->about.family;
    if (check_ledger(&v, err) == 0 && judge(&v, &kept, err) == 0 &&
        print_verdict(&v, out, err) == 0)
        verdict = is_whole(&v) ? VERDICT_WHOLE : VERDICT_LOST;
    ledger_close(&v.ledger);
    return verdict;
}
