/* SPDX-License-Identifier: ISC */
#include "core/durability.h"

#include <string.h>

static const char *const names[] = {
    [DURABILITY_NONE] = "none",
    [DURABILITY_VOLATILE] = "volatile",
    [DURABILITY_PROCESS_SAFE] = "process-safe",
    [DURABILITY_BOUNDED] = "bounded",
    [DURABILITY_POWER_SAFE] = "power-safe",
};

const char *durability_name(enum durability durability)
{
    return names[durability];
}

int durability_scan(const char *name, enum durability *durability)
{
    for (int i = DURABILITY_NONE; i <= DURABILITY_POWER_SAFE; i++) {
        if (strcmp(names[i], name) == 0) {
            *durability = (enum durability)i;
            return 0;
        }
    }
    return -1;
}
