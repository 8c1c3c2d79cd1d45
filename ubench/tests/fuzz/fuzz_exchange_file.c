/* SPDX-License-Identifier: ISC */
/* Files of exchanges: an error has a text, and what is printed of an exchange is read as the
   same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/exchange/definition.h"
#include "tests/fuzz/fuzz.h"

static void try_again(const struct mix *mix, size_t kind, enum lease_family family)
{
    char *const text = definition_text(&mix->kinds[kind].exchange, mix->kinds[kind].weight);
    struct mix same = { 0 };
    struct err err = { 0 };

    if (text == NULL ||
        definition_read(fuzz_file((const uint8_t *)text, strlen(text)), family, &same, &err) != 0)
        abort();
    char *const again = definition_text(&same.kinds[0].exchange, same.kinds[0].weight);
    if (again == NULL || strcmp(text, again) != 0)
        abort();
    mix_release(&same);
    free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int family = LEASE_FAMILY_V4; family <= LEASE_FAMILY_V6; family++) {
        struct mix mix = { 0 };
        struct err err = { 0 };

        if (definition_read(fuzz_file(data, size), (enum lease_family)family, &mix, &err) != 0) {
            if (err.text[0] == '\0' || mix.text != NULL)
                abort();
            continue;
        }
        for (size_t i = 0; i < mix.count; i++)
            try_again(&mix, i, (enum lease_family)family);
        mix_release(&mix);
    }
    return 0;
}
