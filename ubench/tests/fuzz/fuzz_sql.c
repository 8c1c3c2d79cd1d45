/* SPDX-License-Identifier: ISC */
/*
 * SQL, with prepared statements and with values in its text, on SQLite in
 * memory: both give the answers of a model.  The first bit is the family.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tests/lib/store_model.h"

static struct store *open_store(enum lease_family family, bool compiled)
{
    static const struct opt_settings settings = { .count = 1,
                                                  .items = { { "journal_mode", "memory" } } };
    static char targets[2][2][64];
    char *const target = targets[family][compiled];
    struct err err = { 0 };

    (void)snprintf(target, sizeof targets[0][0], "%s/%d%d", fuzz_folder(), (int)family,
                   (int)compiled);
    const struct store_config config = {
        .target = target,
        .family = family,
        .sync = SYNC_NO,
        .schema = SCHEMA_KEA,
        .compiled = compiled,
        .settings = &settings,
    };
    struct store *const store = the_backend.open(&config, &err);
    if (store == NULL) {
        (void)fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return store;
}

static void play(enum lease_family family, bool compiled, const uint8_t *bytes, size_t size)
{
    static struct store_model models[2][2];
    struct store_model *const model = &models[family][compiled];
    struct err err = { 0 };

    if (model->store == NULL) {
        model->backend = &the_backend;
        model->family = family;
        model->limits =
            (struct lease_limits){ .expire_most_s = INT64_C(1) << 40, .raw_hostnames = true };
        model->store = open_store(family, compiled);
        model->session = the_backend.session_open(model->store, &err);
    }
    if (model->session != NULL && the_backend.reset(model->session, &err) == 0 &&
        store_model_play(model, bytes, size))
        return;
    (void)fprintf(stderr, "%s: %s%s\n", compiled ? "compiled" : "text", model->complaint, err.text);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const enum lease_family family = (enum lease_family)(data[0] & 1);
    play(family, true, data + 1, size - 1);
    play(family, false, data + 1, size - 1);
    return 0;
}
