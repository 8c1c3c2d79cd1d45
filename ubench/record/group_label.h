/* SPDX-License-Identifier: ISC */
/* What tells the configurations of a section apart.  For group.c alone. */
#ifndef UBENCH_RECORD_GROUP_LABEL_H
#define UBENCH_RECORD_GROUP_LABEL_H

#include "record/group.h"

/* What of the load is not the same for all groups of a section: then every row
   has to say it, as the figures are of different work. */
struct key_names group_label_load(struct arena *memory,
                                  const struct group *groups, size_t count);

/* Names the groups of one store in one section, which load is of, and chooses
   the default one. */
void group_label(struct arena *memory, const struct key_names *load,
                 struct group *groups, size_t count);

#endif
