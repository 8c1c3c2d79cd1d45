/* SPDX-License-Identifier: ISC */
#include "store/backend.h"

const char *durability_name(enum durability durability)
{
    switch (durability) {
    case DURABILITY_NONE:
        return "none";
    case DURABILITY_VOLATILE:
        return "volatile";
    case DURABILITY_PROCESS_SAFE:
        return "process-safe";
    case DURABILITY_BOUNDED:
        return "bounded";
    case DURABILITY_POWER_SAFE:
        return "power-safe";
    }
    return "unknown";
}
