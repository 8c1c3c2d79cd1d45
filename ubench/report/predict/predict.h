/* SPDX-License-Identifier: ISC */
/*
 * What a DHCP server with a lease store will grant, worked out from the store's
 * exchange and the server's own time, and beside it what scripts/dhcp.sh
 * measured of that server.
 *
 * The server's own time is measured once: Kea with memfile that writes no file,
 * with one thread, and of its time for a lease what the same store alone takes
 * for the exchange.  There are three models, each with one part more:
 *
 *   alone   the store's rate R of dora (sarr with IPv6), as many threads
 *   added   1 / (1/R + t), t the server's time divided by the threads that the
 *           server's processors can run at once
 *   burnt   the rate that was measured with --server-time, where the time is
 *           used up beside each exchange on the processors of the store
 *
 * A prediction is the last of them that there is.
 */
#ifndef UBENCH_REPORT_PREDICT_PREDICT_H
#define UBENCH_REPORT_PREDICT_PREDICT_H

#include "record/archive.h"

enum predict_model {
    PREDICT_ALONE,
    PREDICT_ADDED,
    PREDICT_BURNT,
    PREDICT_MODELS,
};

/* A configuration of a server.  Rates are leases per second, NAN: not known. */
struct predict_row {
    const char *label;           /* "mysql -s no, 4 threads" */
    const struct record *server; /* the first of its records */
    bool reference;  /* the server's time comes from it: it predicts nothing */
    double measured; /* the median of its runs */
    double rates[PREDICT_MODELS];
    double predicted;
    /* Microseconds of the processors for a lease: of the server's process, and
       of the runner's that predicts. */
    double server_us;
    double runner_us;
};

/* How well a model does, of all rows for which it has a rate. */
struct predict_score {
    size_t count;
    double median;                     /* of |error|, as a share */
    const struct predict_row *largest; /* with the largest of them; or NULL */
    size_t pairs;                      /* of rows whose measured rates differ */
    size_t swapped; /* of these, predicted the other way round */
};

struct predict {
    struct arena memory;      /* private */
    bool told;                /* the server's time, and not measured */
    double server_time_ns[2]; /* with IPv4, with IPv6; NAN: not known */
    size_t count;
    const struct predict_row *rows; /* the highest measured rate first */
    struct predict_score scores[PREDICT_MODELS];
    struct predict_score score; /* of the predictions */
};

/* Works it out; server_time_ns is the server's time if it is told, or 0.  Only
   servers without hooks, partners, classes and reservations are looked at.
   Returns 0, or -1 with err if there is nothing to predict, or nothing to
   predict from.  The archive has to outlive it. */
int predict_init(struct predict *predict, uint64_t server_time_ns,
                 const struct archive *archive, struct err *err);
void predict_release(struct predict *predict); /* zeroed is fine */

/* predicted / measured - 1; NAN if it is not known. */
double predict_error(const struct predict_row *row, double predicted);

#endif
