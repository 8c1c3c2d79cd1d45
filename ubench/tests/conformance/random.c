/* SPDX-License-Identifier: ISC */
/* Random operations, on the store and on a model of it. */
#include "core/random.h"
#include "tests/conformance/fixture.h"
#include "tests/lib/check.h"
#include "tests/lib/store_model.h"

/* Where an operation takes no time, more of them. */
enum { LENGTH = 4096, SEEDS = 5, SEEDS_OF_A_TABLE = 60 };

static void play(struct fixture *fixture, struct store_model *model, uint64_t seed)
{
    uint8_t bytes[LENGTH];

    for (size_t i = 0; i < LENGTH; i++)
        bytes[i] = (uint8_t)(random_at(seed, i) >> 56);
    if (the_backend.reset(fixture->session, &fixture->err) != 0)
        fail_msg("reset: %s", fixture->err.text);
    model->store = fixture->store;
    model->session = fixture->session;
    const bool same = store_model_play(model, bytes, sizeof bytes);
    fixture->session = model->session;
    if (!same)
        fail_msg("seed %" PRIu64 ": %s", seed, model->complaint);
}

/* The leases that the last seed has left are there for one who opens it later. */
static void open_again(struct fixture *fixture, struct store_model *model)
{
    static const struct opt_settings none = { .count = 0 };
    const struct variant *const variant = fixture->variant;
    struct variant kept = *variant;
    const bool isc = variant->config.family == LEASE_FAMILY_V4 &&
                     strstr(variant->config.target, "dhcpd.leases") != NULL;

    fixture_close(fixture);
    kept.config.keep = true;
    kept.config.sync = SYNC_SERVER;
    kept.config.settings = &none;
    fixture->variant = &kept;
    fixture_open(fixture);
    model->store = fixture->store;
    model->session = fixture->session;
    if (!store_model_compare(model, isc))
        fail_msg("opened again: %s", model->complaint);
    fixture_close(fixture);
    fixture->variant = variant;
}

TEST(random_operations_have_the_answers_of_a_model)
{
    struct fixture *const fixture = fixture_begin_test(state);
    struct store_model model = {
        .backend = &the_backend,
        .family = fixture->variant->config.family,
        .limits = store_limits(),
    };

    if (fixture->lacks != 0)
        return; /* the model has it all */
    const uint64_t seeds =
        (the_backend.scope & (OPT_SCOPE_SQL | OPT_SCOPE_SERVER)) != 0 ? SEEDS : SEEDS_OF_A_TABLE;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        play(fixture, &model, seed);
    open_again(fixture, &model);
}
