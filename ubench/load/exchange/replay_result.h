/* SPDX-License-Identifier: ISC */
/* The result of a replay, beside the phases. */
#ifndef UBENCH_LOAD_EXCHANGE_REPLAY_RESULT_H
#define UBENCH_LOAD_EXCHANGE_REPLAY_RESULT_H

#include "measure/histogram.h"
#include "measure/series.h"

struct replay_result {
    double speed;          /* 0: as fast as possible; then nothing is late */
    struct histogram late; /* how long after its time each change began */
    struct series series;  /* of that, second by second */
};

#endif
