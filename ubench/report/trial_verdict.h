/* SPDX-License-Identifier: ISC */
/* What a trial of an open loop says of the store, in words. */
#ifndef UBENCH_REPORT_TRIAL_VERDICT_H
#define UBENCH_REPORT_TRIAL_VERDICT_H

#include "record/record.h"

struct trial_verdict {
    const char *name;    /* "saturated" */
    const char *meaning; /* a sentence, which says why */
};

struct trial_verdict trial_verdict_of(const struct record_trial *trial);

#endif
