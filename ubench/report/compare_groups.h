/* SPDX-License-Identifier: ISC */
/*
 * Who is compared with whom: the two groups, the cases that both have, and
 * what else differs.  For compare.c alone.
 */
#ifndef UBENCH_REPORT_COMPARE_GROUPS_H
#define UBENCH_REPORT_COMPARE_GROUPS_H

#include "report/compare.h"

struct compare_records {
    size_t count;
    const struct record **items;
};

/* A case: the results of both groups that are each other's like. */
struct compare_pair {
    const char *name;
    const char *classes[COMPARE_SIDES]; /* of durability */
    bool open;                          /* ran in an open loop */
    struct compare_records sides[COMPARE_SIDES];
};

struct compare_groups {
    size_t pair_count;
    struct compare_pair *pairs;
};

/*
 * Finds the pairs, and puts into comparison the groups, the differences and
 * notes on what was left out.  Returns 0, or -1 with err.  All memory is
 * comparison's.
 */
int compare_groups_find(struct compare_groups *groups,
                        struct comparison *comparison,
                        const struct compare_config *config,
                        const struct archive *archive, struct err *err);

/* Fills the comparison's differences. */
void compare_differences_find(struct comparison *comparison,
                              const struct compare_groups *groups);

/* Adds a sentence to the notes, unless it is there already. */
void compare_note(struct comparison *comparison, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
