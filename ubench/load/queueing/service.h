/* SPDX-License-Identifier: ISC */
/*
 * What serves a request, as the loops see it, and the closed loop, which finds
 * out how many it can serve at most.
 */
#ifndef UBENCH_LOAD_QUEUEING_SERVICE_H
#define UBENCH_LOAD_QUEUEING_SERVICE_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "load/progress.h"
#include "measure/histogram.h"

enum service_end {
    SERVICE_ANSWERED,
    SERVICE_FAILED, /* counted: the next request may go well */
    SERVICE_STOP,   /* nothing more can be measured; err says why */
};

/* Serves request number in one of the threads, counted from 0. */
struct service {
    void *context;
    enum service_end (*serve)(void *context, size_t thread, uint64_t number,
                              struct err *err);
};

/* What a closed loop saw: service times, since none ever waited. */
struct service_capacity {
    double per_s; /* answers */
    uint64_t failed;
    struct histogram service;
};

/*
 * Each thread serves one request after the other, numbers 0 to limit - 1, for
 * duration_ns at most, or until progress is stopped.  Returns 0, or -1 with err
 * if a service said SERVICE_STOP or there were no threads or memory.
 */
int service_measure(const struct service *service, size_t threads,
                    uint64_t duration_ns, uint64_t limit,
                    struct progress *progress,
                    struct service_capacity *capacity, struct err *err);

#endif
