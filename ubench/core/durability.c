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

static const char *const meanings[] = {
    [DURABILITY_NONE] = "nothing is stored: this is what measuring costs",
    [DURABILITY_VOLATILE] = "a killed process loses acknowledged changes, and "
                            "so does a power cut",
    [DURABILITY_PROCESS_SAFE] =
        "a killed process loses nothing, a power cut any number of changes",
    [DURABILITY_BOUNDED] = "a killed process loses nothing, a power cut the "
                           "changes of a short, known time",
    [DURABILITY_POWER_SAFE] = "every acknowledged change survives a power cut",
};

const char node_loss_meaning[] =
    "what becomes of acknowledged changes if the server's machine never comes "
    "back; they survive if another one had to have them";

const char *node_loss_name(enum node_loss node_loss)
{
    static const char *const node_loss_names[] = {
        [NODE_LOSS_NO] = "no",
        [NODE_LOSS_UNKNOWN] = "unknown",
        [NODE_LOSS_YES] = "yes",
    };

    return node_loss_names[node_loss];
}

const char *durability_name(enum durability durability)
{
    return names[durability];
}

const char *durability_meaning(enum durability durability)
{
    return meanings[durability];
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
