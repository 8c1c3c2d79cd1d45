/* SPDX-License-Identifier: ISC */
/*
 * What a DHCP server with a lease store will grant, worked out from the store's
 * exchange and the server's own time, and beside it what scripts/dhcp.sh
 * measured of that server.
 *
 * The server's own time is measured once: Kea with memfile that writes no file,
 * with one thread, and of its time for a lease what the same store alone takes
 * for the exchange.  At its highest rate that is 1 / rate; at each lower rate
 * it is what the server's process used of its processors in that trial: more,
 * since it sleeps between messages and is woken up for each.  There are three
 * models, each with one part more:
 *
 *   alone      the store's rate R of dora (sarr with IPv6), as many threads
 *   added      1 / (1/R + t), t the server's time at its highest rate, divided
 *              by the threads that the server's processors can run at once
 *   full       the same with the server's time at the rate that comes of it;
 *              where R was measured with --server-time, R is what is left when
 *              that time has been taken off again
 */
#ifndef UBENCH_REPORT_PREDICT_PREDICT_H
#define UBENCH_REPORT_PREDICT_PREDICT_H

#include "record/group.h"

enum predict_model {
    PREDICT_ALONE,
    PREDICT_ADDED,
    PREDICT_FULL,
    PREDICT_MODELS,
};

/* A configuration of a server.  Rates are leases per second, NAN: not known. */
struct predict_row {
    const char *label;           /* "mysql -s no, 4 threads" */
    const struct record *server; /* the first of its records */
    /* The row of the same server, version and processors from which its own
       time comes: itself, and then it predicts nothing; NULL: none, or it is
       told. */
    const struct predict_row *reference;
    double server_time_ns; /* at the highest rate; NAN: not known */
    double measured;       /* the median of its runs */
    double rates[PREDICT_MODELS];
    double beside; /* the store's rate beside a server's work, without that
                      work's time; where that was not measured, alone */
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
    struct arena memory;              /* private, as are these two: */
    struct groups servers, exchanges; /* configurations of each */
    bool told;                        /* the server's time, and not measured */
    size_t count;
    const struct predict_row *rows; /* the highest measured rate first */
    struct predict_score scores[PREDICT_MODELS];
};

/* Works it out; server_time_ns is the server's time if it is told, or 0.  Only
   servers without hooks, partners, classes and reservations are looked at.
   Returns 0, or -1 with err if there is nothing to predict, or nothing to
   predict from.  The archive has to outlive it. */
int predict_init(struct predict *predict, uint64_t server_time_ns,
                 const struct archive *archive, struct err *err);
void predict_release(struct predict *predict); /* zeroed is fine */

/* The time of a row's server for a lease at a rate, between those of the trials
   next to it and not below that of the highest rate; the one that is told, or
   that of the highest rate, if no trial says what processor time it used. */
double predict_server_time_ns(const struct predict_row *row, double per_s);

/* What a model says / measured - 1; NAN if it is not known. */
double predict_error(const struct predict_row *row, enum predict_model model);

#endif
