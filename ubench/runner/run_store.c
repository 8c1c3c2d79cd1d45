/* SPDX-License-Identifier: ISC */
/* The store of a run: opens it, describes it in the result, and closes it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runner/run.h"

int run_open_store(struct run *run, struct err *err)
{
    struct store_config store_config = run->config->store;

    store_config.on_progress = monitor_on_progress;
    store_config.on_progress_context = run->monitor;
    store_config.on_notice = run_is_first(run) ? runner_complain : NULL;
    run->store = the_backend.open(&store_config, err);
    if (run->store == NULL) {
        /* A user who names a server does not need the hint on private ones. */
        if ((the_backend.scope & OPT_SCOPE_SERVER) != 0 && store_config.host == NULL &&
            store_config.port == 0 && err->kind == ERR_LOST && !monitor_has_connected(run->monitor))
            err_add(err, " (to start a private server: scripts/servers start, then eval "
                         "\"$(scripts/servers env)\"; to use another one: -m, -P, -u, -p "
                         "and -f)");
        return -1;
    }
    monitor_on_progress(run->monitor, OPEN_WORKING, run->store);
    for (size_t i = 0; i < load_threads(&run->config->load); i++) {
        if (progress_stopped(run->progress))
            return err_set_class(err, ERR_CANCELED, "interrupted");
        run->sessions[i] = the_backend.session_open(run->store, err);
        if (run->sessions[i] == NULL)
            return -1;
    }
    return 0;
}

int run_close_store(struct run *run, struct err *err)
{
    struct store *const store = run->store;

    monitor_on_progress(run->monitor, OPEN_FAILED, NULL);
    for (size_t i = 0; i < load_threads(&run->config->load); i++) {
        the_backend.session_close(run->sessions[i]);
        run->sessions[i] = NULL;
    }
    run->store = NULL;
    return the_backend.close(store, err);
}

/* Creates the file of --ledger.  Returns 0, or -1 with err. */
static int open_ledger(struct run *run, struct err *err)
{
    const struct property *const product = &run->result.facts.items[0];
    const struct load_config *const load = &run->config->load;
    struct ledger_about about = {
        .seed = load->seed,
        .count = load->count,
        .preload = load->preload,
        .threads = load->threads,
        .batch = load->batch,
        .subnets = load->subnets,
        .pace_per_s = load->phases.pace_per_s,
        .profile = load->profile,
        .family = load->family,
        .schema = (uint32_t)run->config->store.schema,
    };
    char path[4096] = "";

    if (the_backend.data_path != NULL)
        the_backend.data_path(run->store, path, sizeof path);
    (void)snprintf(about.store, sizeof about.store, "%s", the_backend.name);
    (void)snprintf(about.version, sizeof about.version, "%s", run->result.version);
    (void)snprintf(about.started_at, sizeof about.started_at, "%s", run->result.started_at);
    (void)snprintf(about.product, sizeof about.product, "%.40s %.80s", product->key,
                   product->value);
    (void)snprintf(about.durability, sizeof about.durability, "%s",
                   durability_classes[run->result.durability].name);
    (void)snprintf(about.durability_from, sizeof about.durability_from, "%.255s",
                   run->result.durability_from);
    ledger_put_promise(&about.promise, &run->result.promise);
    return ledger_create(&run->ledger, run->config->ledger, path, &about,
                         run->config->workload->leases(load), err);
}

void run_note_node_loss(struct run *run)
{
    const enum node_loss now =
        the_backend.node_loss != NULL ? the_backend.node_loss(run->store) : NODE_LOSS_NO_SERVER;

    if (now < run->result.node_loss)
        run->result.node_loss = now;
}

/* Sets the product to the name and the version of the first fact: "MariaDB",
   "10.11.19". */
static void set_product(struct result *result)
{
    const struct property *const first = &result->facts.items[0];
    const bool numbered = first->value[0] >= '0' && first->value[0] <= '9';

    (void)snprintf(result->product.name, sizeof result->product.name, "%s", first->key);
    (void)snprintf(result->product.version, sizeof result->product.version, "%.*s",
                   numbered ? (int)strcspn(first->value, " ,") : 0, first->value);
}

/* Returns the store that stores the leases: with a backend for several stores,
   that of the server or, for a lease file, "memfile". */
static const char *keeper_of(const struct runner_config *config)
{
    if (the_backend.server == NULL)
        return the_backend.name;
    const char *const server = the_backend.server(&config->settings);
    return server != NULL ? server : "memfile";
}

int run_describe_store(struct run *run, struct err *err)
{
    struct result *const result = &run->result;
    char from[sizeof result->durability_from];
    struct promise promise = { .stores_nothing = false };

    the_backend.durability(run->store, &promise);
    const enum durability class = promise_class(&promise);
    promise_text(&promise, from, sizeof from);
    run_note_node_loss(run);
    if (result->facts.count > 0)
        return class == result->durability
                   ? 0
                   : err_set(err,
                             "%s: the durability class changed between runs, from %s to %s: %s",
                             the_backend.name, durability_classes[result->durability].name,
                             durability_classes[class].name, from);
    the_backend.describe(run->store, &result->facts);
    set_product(result);
    result->keeper = keeper_of(run->config);
    result->promise = promise;
    result->durability = class;
    (void)strcpy(result->durability_from, from);
    if (run->config->ledger != NULL && open_ledger(run, err) != 0)
        return -1;
    if (run_has_baselines(run))
        surroundings_begin(&run->surroundings, run->store, run->sessions[0], result);
    if (run->config->json || !run_is_first(run))
        return 0;
    result_print_head(result, stdout);
    return fflush(stdout) == 0 ? 0 : err_set(err, "standard output: %s", strerror(errno));
}
