/* SPDX-License-Identifier: ISC */
#include "report/trial_verdict.h"

struct trial_verdict trial_verdict_of(const struct record_trial *trial)
{
    if (trial->incomplete)
        return (struct trial_verdict){ "interrupted", "interrupted" };
    if (trial->invalid[0] != '\0')
        return (struct trial_verdict){ "INVALID: the harness failed",
                                       trial->invalid };
    if (trial->grew && trial->bad_share > 0)
        return (struct trial_verdict){
            "saturated",
            "saturated: the queue grew to the end; more time, more drops"
        };
    if (trial->grew)
        return (struct trial_verdict){
            "unsure: the queue grew",
            "unsure: the queue grew, and nothing was lost yet; a longer "
            "--duration tells"
        };
    if (trial->bad_share > 0)
        return (struct trial_verdict){ "not all in time",
                                       "not all were answered in time" };
    return (struct trial_verdict){
        "sustained", "sustained: nothing was lost, and the queue did not grow"
    };
}
