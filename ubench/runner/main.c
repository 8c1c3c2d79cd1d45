/* SPDX-License-Identifier: ISC */
/*
 * The main file of every runner: parses the command line and does what it
 * specifies.
 */
#include <stdio.h>
#include <stdlib.h>

#include "load/exchange/definition.h"
#include "load/ranks.h"
#include "runner/json/describe.h"
#include "runner/options/options.h"
#include "runner/runner.h"

static void print_exchanges(const struct mix *mix)
{
    for (size_t i = 0; i < mix->count; i++)
        definition_write(&mix->kinds[i].exchange, mix->kinds[i].weight, stdout);
}

/* Does what the command line specifies.  Returns the exit status. */
static int run_command(const struct options *options, const struct runner_config *config,
                       struct ranks *ranks)
{
    const bool runs = !config->help && !config->describe && !config->list_options &&
                      !config->version && !config->print_exchange && !config->print_sql &&
                      config->verify == NULL;
    struct err err = { 0 };
    bool whole;

    if (runs)
        return runner_benchmark(options, config, ranks);
    if (ranks_number(ranks) > 0)
        return EXIT_SUCCESS; /* the first rank prints it */
    if (config->help) {
        options_print_help(options, (enum options_help)config->help, stdout);
    } else if (config->describe) {
        if (describe_print(options, stdout) != 0) {
            (void)err_set(&err, "out of memory for --describe");
            return runner_fail(&err, EXIT_STORE);
        }
    } else if (config->list_options) {
        opt_print_list(options->rows, stdout);
    } else if (config->version) {
        char library[128] = "no library";

        if (the_backend.library != NULL)
            the_backend.library(library, sizeof library);
        (void)printf("%s_ubench %s (%s)\n", the_backend.name, UBENCH_VERSION, library);
    } else if (config->print_exchange) {
        print_exchanges(&config->load.mix);
    } else if (config->print_sql) {
        sql_file_print(the_backend.dialect, &config->store, stdout);
    } else {
        if (verifier_run(config, &whole, &err) != 0)
            return runner_fail(&err, EXIT_STORE);
        return whole ? EXIT_SUCCESS : EXIT_WRONG;
    }
    return EXIT_SUCCESS;
}

static int run_program(int argc, char **argv)
{
    struct options options;
    struct runner_config config = { 0 };
    struct ranks *ranks = NULL;
    struct err err = { 0 };

    const char *const missing = backend_missing(&the_backend);
    if (missing != NULL) {
        (void)err_set(&err, "struct backend has no %s", missing);
        return runner_fail(&err, EXIT_STORE);
    }
    if (ranks_open(&ranks, &err) != 0)
        return runner_fail(&err, EXIT_STORE);
    options_select(&options, &the_backend);
    config.load.rank = ranks_number(ranks);
    config.load.ranks = ranks_count(ranks);
    int status =
        options_parse(&options, &config, argc, argv, &err) == 0 ? EXIT_SUCCESS : EXIT_USAGE;
    status = together_end(ranks, status, &err);
    if (status == EXIT_SUCCESS)
        status = run_command(&options, &config, ranks);
    else if (config.load.rank == 0)
        runner_complain(err.text);
    mix_release(&config.load.mix);
    replay_config_release(&config.load.replay);
    sql_file_release(&config.sql_file);
    (void)fflush(stdout);
    ranks_close(ranks, status);
    return status;
}

int main(int argc, char **argv)
{
    return program_run(run_program, argc, argv);
}
