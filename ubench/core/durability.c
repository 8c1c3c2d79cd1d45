/* SPDX-License-Identifier: ISC */
#include "core/durability.h"

#include <string.h>

struct words {
    const char *name;
    const char *meaning;
};

static const struct words classes[] = {
    [DURABILITY_NONE] = { "none", "nothing is stored: this is what measuring "
                                  "costs" },
    [DURABILITY_VOLATILE] = { "volatile", "a killed process loses acknowledged "
                                          "changes, and so does a power cut" },
    [DURABILITY_PROCESS_SAFE] = { "process-safe",
                                  "a killed process loses nothing, a power cut "
                                  "any number of changes" },
    [DURABILITY_BOUNDED] = { "bounded",
                             "a killed process loses nothing, a power cut the "
                             "changes since the log's last sync" },
    [DURABILITY_POWER_SAFE] = { "power-safe", "every acknowledged change "
                                              "survives a power cut" },
};

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

static const struct words node_losses[] = {
    [NODE_LOSS_NO] = { "no", "not survived: changes are acknowledged before "
                             "another node has them" },
    [NODE_LOSS_UNKNOWN] = { "unknown", "not known: nodes came or went, or are "
                                       "not shown" },
    [NODE_LOSS_YES] = { "yes", "survived: another node has each acknowledged "
                               "change" },
};

const char *node_loss_name(enum node_loss node_loss)
{
    return node_losses[node_loss].name;
}

const char *node_loss_meaning(enum node_loss node_loss)
{
    return node_losses[node_loss].meaning;
}
