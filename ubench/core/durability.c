/* SPDX-License-Identifier: ISC */
#include "core/durability.h"

#include <string.h>

const struct durability_words durability_classes[] = {
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

const struct durability_words *durability_scan(const char *name)
{
    const struct durability_words *found =
        &durability_classes[DURABILITY_POWER_SAFE];

    while (found != durability_classes && strcmp(found->name, name) != 0)
        found--;
    return found;
}

const struct durability_words node_losses[] = {
    [NODE_LOSS_NO] = { "no", "not survived: changes are acknowledged before "
                             "another node has them" },
    [NODE_LOSS_UNKNOWN] = { "unknown", "not known: nodes came or went, or are "
                                       "not shown" },
    [NODE_LOSS_YES] = { "yes", "survived: another node has each acknowledged "
                               "change" },
};
