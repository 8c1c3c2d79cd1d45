/* SPDX-License-Identifier: ISC */
/* What the verdicts are worth: tried on the noise of real runs, where it is
   known whether there is a difference. */
#include "report/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"
#include "tests/lib/check.h"
#include "tests/lib/noise.h"

enum { TRIES = 1000, BLOCKS = 9, SIDES = 2, RECORDS = SIDES * BLOCKS };

/* An archive made by hand: 9 blocks of a run on each side, of four phases. */
struct bench {
    struct archive archive;
    struct record records[RECORDS];
    struct record_run runs[RECORDS];
    struct record_phase phases[RECORDS][NOISE_PHASES];
    struct record_property labels[RECORDS][1];
    char blocks[BLOCKS][4];
    struct compare_config config;
};

static void bench_init(struct bench *bench, bool interleaved)
{
    static const char *const names[] = { "create", "search", "update",
                                         "delete" };

    *bench = (struct bench){ .archive = { .count = RECORDS,
                                          .records = bench->records },
                             .config = { .figure = COMPARE_RATE,
                                         .min_effect = 0.03,
                                         .files = { "a", "b" } } };
    for (size_t i = 0; i < RECORDS; i++) {
        const size_t block = i / SIDES;

        (void)snprintf(bench->blocks[block], sizeof bench->blocks[block], "%zu",
                       block + 1);
        bench->labels[i][0] =
            (struct record_property){ "block", bench->blocks[block] };
        bench->records[i] = (struct record){
            .file = bench->config.files[i % SIDES],
            .line = block + 1,
            .program = "x_ubench",
            .version = "1",
            .store = "x",
            .started_at = "2026-01-02T03:04:05Z",
            .error = "",
            .warning = "",
            .published = "",
            .durability_known = true,
            .durability_from = "",
            .node_loss = "",
            .labels = { interleaved, bench->labels[i] },
            .run_count = 1,
            .runs = &bench->runs[i],
        };
        bench->runs[i] = (struct record_run){ .phase_count = NOISE_PHASES,
                                              .phases = bench->phases[i] };
        for (size_t p = 0; p < NOISE_PHASES; p++)
            bench->phases[i][p] = (struct record_phase){ .name = names[p] };
    }
}

static void set_rate(struct bench *bench, size_t record, size_t phase,
                     double rate)
{
    bench->phases[record][phase].operations = 1000000;
    bench->phases[record][phase].elapsed_ns = (uint64_t)(1e15 / rate);
}

/* Logarithms of the rates, as they came, or as far from their block's mean as
   on a machine where single runs have that standard deviation. */
struct pool {
    double logs[NOISE_BLOCKS][NOISE_RUNS][NOISE_PHASES];
};

static void pool_init(struct pool *pool, const struct noise *noise, double sd)
{
    for (size_t p = 0; p < NOISE_PHASES; p++) {
        double squares = 0;

        for (size_t b = 0; b < NOISE_BLOCKS; b++) {
            double mean = 0;

            for (size_t r = 0; r < NOISE_RUNS; r++)
                mean += log(noise->rates[b][r][p]) / (double)NOISE_RUNS;
            for (size_t r = 0; r < NOISE_RUNS; r++) {
                pool->logs[b][r][p] = log(noise->rates[b][r][p]) - mean;
                squares += pool->logs[b][r][p] * pool->logs[b][r][p];
            }
        }
        const double scale =
            sd / sqrt(squares / (NOISE_BLOCKS * (NOISE_RUNS - 1)));
        for (size_t b = 0; sd > 0 && b < NOISE_BLOCKS; b++) {
            for (size_t r = 0; r < NOISE_RUNS; r++)
                pool->logs[b][r][p] *= scale;
        }
    }
}

static size_t draw(size_t try, size_t position, size_t below)
{
    return (size_t)(random_at(try, position) % below);
}

/* Two different runs of one block, as if one were of the candidate; the rates
   of its phases are multiplied by what slower says. */
static void fill(struct bench *bench, const struct pool *pool, size_t try,
                 const double slower[NOISE_PHASES])
{
    for (size_t block = 0; block < BLOCKS; block++) {
        const size_t from = draw(try, 3 * block, NOISE_BLOCKS);
        const size_t a = draw(try, 3 * block + 1, NOISE_RUNS);
        const size_t b =
            (a + 1 + draw(try, 3 * block + 2, NOISE_RUNS - 1)) % NOISE_RUNS;

        for (size_t p = 0; p < NOISE_PHASES; p++) {
            set_rate(bench, SIDES * block, p,
                     1000 * exp(pool->logs[from][a][p]));
            set_rate(bench, SIDES * block + 1, p,
                     1000 * exp(pool->logs[from][b][p]) * slower[p]);
        }
    }
}

struct tally {
    size_t quiet; /* tries without any verdict of a difference */
    size_t worse[NOISE_PHASES];
    size_t wrong; /* tries that found a phase better, or one not slowed worse */
};

static void try_often(struct tally *tally, const struct noise *noise, double sd,
                      bool interleaved, const double slower[NOISE_PHASES])
{
    static struct pool pool;
    static struct bench bench;

    *tally = (struct tally){ 0 };
    pool_init(&pool, noise, sd);
    bench_init(&bench, interleaved);
    for (size_t try = 0; try < TRIES; try++) {
        static const char *const files[] = { "a", "b" };
        struct comparisons comparisons;
        struct err err = { 0 };
        bool wrong = false;

        fill(&bench, &pool, try, slower);
        if (compare_init(&comparisons, &bench.config, files, 2, &bench.archive,
                         &err) != 0)
            fail_msg("%s", err.text);
        for (size_t p = 0; p < NOISE_PHASES; p++) {
            const struct compare_row *const row = &comparisons.rows[p];

            check_number("blocks", row->contrast.blocks,
                         interleaved ? BLOCKS : 0);
            check_number("runs", row->contrast.counts[COMPARE_CANDIDATE],
                         BLOCKS);
            tally->worse[p] += row->verdict == COMPARE_WORSE;
            wrong |= row->verdict == COMPARE_BETTER ||
                     (row->verdict == COMPARE_WORSE && slower[p] >= 1);
        }
        tally->quiet +=
            compare_count(&comparisons, COMPARE_NO_DIFFERENCE) == NOISE_PHASES;
        tally->wrong += wrong;
        compare_release(&comparisons);
    }
    if (getenv("UBENCH_PRINT") != NULL)
        print_message("%-18s sd %.2f %-8s %.2f %.2f: quiet %zu, worse %zu %zu "
                      "%zu %zu, wrong %zu\n",
                      noise->name, sd, interleaved ? "paired" : "unpaired",
                      slower[0], slower[1], tally->quiet, tally->worse[0],
                      tally->worse[1], tally->worse[2], tally->worse[3],
                      tally->wrong);
}

static struct noise noises[NOISES];

static int read_noises(void **state)
{
    noise_read(noises);
    return 0;
}

static const double as_fast[NOISE_PHASES] = { 1, 1, 1, 1 };

/* The bar: the same configuration twice, and not one verdict on four phases in
   95 of 100 tries, however noisy the machine. */
TEST(the_same_is_not_called_different)
{
    static const double sds[] = { 0, 0.01, 0.03, 0.1 };

    for (size_t n = 0; n < NOISES; n++) {
        for (size_t i = 0; i < COUNT_OF(sds); i++) {
            for (int paired = 0; paired < 2; paired++) {
                struct tally tally;

                try_often(&tally, &noises[n], sds[i], paired, as_fast);
                check(noises[n].name, tally.quiet >= TRIES * 95 / 100,
                      "95 % are quiet");
            }
        }
    }
}

/* The bar: 10 % slower is called worse in 95 of 100 tries at nine blocks, be it
   all of the phases or only one, where the runs of one command differ by 3 %.
   As noisy as the machine was (20 to 50 %), nothing could show it. */
TEST(slower_is_called_worse)
{
    for (size_t n = 0; n < NOISES; n++) {
        for (size_t slowed = 0; slowed <= NOISE_PHASES; slowed++) {
            struct tally tally;
            double slower[NOISE_PHASES];

            for (size_t p = 0; p < NOISE_PHASES; p++)
                slower[p] = slowed == p || slowed == NOISE_PHASES ? 0.9 : 1;
            try_often(&tally, &noises[n], 0.03, true, slower);
            for (size_t p = 0; p < NOISE_PHASES; p++)
                check(noises[n].name,
                      slower[p] >= 1 || tally.worse[p] >= TRIES * 95 / 100,
                      "95 % say worse");
            check(noises[n].name, tally.wrong <= TRIES * 5 / 100,
                  "5 % are wrong about another phase");
        }
    }
}

FIXTURE(read_noises, NULL);
