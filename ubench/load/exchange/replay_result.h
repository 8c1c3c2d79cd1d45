/* SPDX-License-Identifier: ISC */
/* The result of a replay, in addition to its phases. */
#ifndef UBENCH_LOAD_EXCHANGE_REPLAY_RESULT_H
#define UBENCH_LOAD_EXCHANGE_REPLAY_RESULT_H

#include "measure/histogram.h"
#include "measure/series.h"

struct replay_result {
    double speed;          /* 0: as fast as possible, without lateness */
    struct histogram late; /* lateness: how long after its time each change began */
    struct series series;  /* lateness, second by second */
};

#endif
