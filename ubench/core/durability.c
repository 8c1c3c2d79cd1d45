/* SPDX-License-Identifier: ISC */
#include "core/durability.h"

#include <string.h>

static const struct {
    const char *name;
    const char *meaning;
} classes[] = {
    [DURABILITY_NONE] = { "none", "nothing is stored: this is what measuring "
                                  "costs" },
    [DURABILITY_VOLATILE] = { "volatile", "a killed process loses acknowledged "
                                          "changes, and so does a power cut" },
    [DURABILITY_PROCESS_SAFE] = { "process-safe",
                                  "a killed process loses nothing, a power cut "
                                  "any number of changes" },
    [DURABILITY_BOUNDED] = { "bounded",
                             "a killed process loses nothing, a power cut the "
                             "changes of a short, known time" },
    [DURABILITY_POWER_SAFE] = { "power-safe", "every acknowledged change "
                                              "survives a power cut" },
};

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
    return classes[durability].name;
}

const char *durability_meaning(enum durability durability)
{
    return classes[durability].meaning;
}

int durability_scan(const char *name, enum durability *durability)
{
    for (int i = DURABILITY_NONE; i <= DURABILITY_POWER_SAFE; i++) {
        if (strcmp(classes[i].name, name) == 0) {
            *durability = (enum durability)i;
            return 0;
        }
    }
    return -1;
}
