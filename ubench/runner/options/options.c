/* SPDX-License-Identifier: ISC */
/* The rows of a runner: those of the table that its store has, with the store's defaults; and
   --help, which prints them. */
#include "runner/options/options.h"

#include <assert.h>
#include <string.h>

#include "runner/options/options_choices.h"
#include "runner/options/options_table.h"

/* Copies the choices whose values are in values, a set of bits. */
static void select_choices(struct opt_choice *to, const struct opt_choice *from, unsigned values)
{
    for (; from->name != NULL; from++) {
        if ((values & 1U << from->value) != 0)
            *to++ = *from;
    }
    *to = (struct opt_choice){ .name = NULL };
}

/* Adds a name of --workload to --help. */
static void add_workload(struct options *options, const char *name, const char *help)
{
    struct opt_choice *place = options->workloads;

    /* An exchange for both families has one row for each. */
    while (place->name != NULL && strcmp(place->name, name) != 0)
        place++;
    assert(place + 1 < options->workloads + OPTIONS_WORKLOADS_MAX);
    if (place->name == NULL)
        *place = (struct opt_choice){ name, 0, help };
}

static void list_workloads(struct options *options)
{
    for (const struct workload *const *w = workload_list; *w != NULL; w++) {
        if ((*w)->name != NULL)
            add_workload(options, (*w)->name, (*w)->help);
        if ((*w)->name != NULL || (*w)->option != NULL)
            continue;
        for (const struct exchange *e = exchange_table; e->name != NULL; e++)
            add_workload(options, e->name, e->help);
        for (const struct named_mix *m = mix_table; m->name != NULL; m++)
            add_workload(options, m->name, m->help);
    }
}

/* Returns which runners have an option, for an error message. */
static const char *owner_of(const struct opt *row)
{
    const unsigned scope = row->scope;

    return (scope & OPT_SCOPE_ENGINE) != 0   ? "mysql_ubench"
           : (scope & OPT_SCOPE_SERVER) != 0 ? "runners of database servers, such as mysql_ubench"
           : (scope & OPT_SCOPE_SQL) != 0    ? "runners of SQL stores, such as sqlite_ubench"
           : (scope & OPT_SCOPE_FILE) != 0
               ? "runners of stores in a file, such as sqlite_ubench"
               : "runners of stores that keep leases, such as sqlite_ubench";
}

void options_select(struct options *options, const struct backend *backend)
{
    struct opt *own = options->rows;

    *options = (struct options){ .backend = backend };
    select_choices(options->levels, choices_sync, backend->sync_levels);
    /* Kea's lease managers have only Kea's schema.  The counters are for
       databases that have them in Kea. */
    select_choices(options->schemas, choices_schema,
                   1U << SCHEMA_KEA | (backend->one_schema ? 0 : 1U << SCHEMA_LEAN) |
                       (backend->read_counters != NULL ? 1U << SCHEMA_KEA_STATS : 0));
    list_workloads(options);
    for (const struct opt *row = options_table; row->kind != OPT_KIND_END; row++) {
        assert(own + 1 < options->rows + OPTIONS_MAX);
        *own = *row;
        own += (row->scope & backend->scope) == row->scope &&
               (row->fit == NULL || row->fit(own, options));
    }
    *own = (struct opt){ .kind = OPT_KIND_END, .others = options_table, .owner = owner_of };
}

void options_print_help(const struct options *options, enum options_help help, FILE *out)
{
    const struct backend *const backend = options->backend;
    const char *const sync = (backend->scope & OPT_SCOPE_STORES) != 0 ? " -s no" : "";
    const bool all = help == OPTIONS_HELP_ALL;

    (void)fprintf(out,
                  "Usage: %s_ubench [OPTION]...\nMeasures how fast the %s lease store creates, "
                  "searches, updates and\ndeletes leases%s.\n%s",
                  backend->name, backend->name,
                  backend->keeps_leases ? " and verifies every answer"
                                        : ", and discards them: this is the cost of measuring",
                  all ? "" : "\n");
    opt_print_help(options->rows, all, out);
    if (!all)
        (void)fprintf(out, "\n--help all lists every option and explains its values.");
    else if (backend->settings_help != NULL)
        (void)fprintf(out, "\n--set takes %s.\n", backend->settings_help);
    (void)fprintf(out, "\nExample: %s_ubench -n 100k%s\n", backend->name, sync);
    if (all)
        (void)fprintf(
            out, "\nExit status: 0 success; 1 the store or the run failed; 2 usage error; 3 wrong\n"
                 "answer of the store or, with --verify, lost acknowledged changes; 129, 130,\n"
                 "131, 143 or 152 interrupted by a signal.\n");
}
