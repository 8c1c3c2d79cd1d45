/* SPDX-License-Identifier: ISC */
/* Ledgers, and the judgment by them: bytes are those of a header, and then of
   what it has of leases; between them a page is filled up. */
#include <string.h>

#include "load/crash/verify.h"
#include "tests/fuzz/fuzz.h"

struct session {
    uint64_t searches;
};

/* Each third lease is there, and is none that was ever stored. */
static enum outcome find(struct session *session, enum lookup by, const struct lease *like,
                         struct lease *found, struct err *err)
{
    *found = *like;
    return session->searches++ % 3 == 0 ? OUTCOME_HIT : OUTCOME_MISS;
}

static int count(struct session *session, uint64_t *counted, struct err *err)
{
    *counted = session->searches;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct backend fake = { .name = "fake", .find = find, .count = count };
    static uint8_t bytes[LEDGER_HEADER_SIZE + 64 * LEDGER_KEY_SIZE];
    const size_t header = size < sizeof(struct ledger_header) ? size : sizeof(struct ledger_header);
    const size_t keys = size - header;
    struct session session = { 0 };
    struct verify_result result;
    struct ledger ledger;
    struct err err = { 0 };

    if (keys > sizeof bytes - LEDGER_HEADER_SIZE)
        return 0;
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, data, header);
    memcpy(bytes + LEDGER_HEADER_SIZE, data + header, keys);
    if (ledger_open(&ledger, fuzz_file(bytes, LEDGER_HEADER_SIZE + keys), &err) != 0)
        return 0;
    if (verify_run(&ledger, &fake, &session, &result, &err) == 0)
        (void)verify_is_whole(&result);
    ledger_close(&ledger);
    return 0;
}
