/* SPDX-License-Identifier: ISC */
/*
 * Ranks by MPI.  All agreement is by collective operations (MPI matches these by their order),
 * whose result is the same in all ranks.  Messages only make a stop prompt; nothing is decided
 * by them.
 *
 * No call blocks.  A rank that waits sleeps in between, because the others may need the same
 * processors, and gives up if a signal tells it to end and another rank does not answer.  One
 * thread at a time calls MPI, under the lock.
 */
#include "load/ranks.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/thread.h"

#define TICK_NS (NS_PER_S / 10)
/* Longest pause between two looks whether all ranks have arrived. */
#define NAP_NS (NS_PER_S / 1000)
/* After a signal, a rank ends or cancels its operation within half a second; the others give it
   up this much later, as it may not get a processor at once. */
#define PATIENCE_NS (5 * NS_PER_S)

enum { TAG_STOP = 1 };

struct ranks {
    MPI_Comm comm;
    int number;
    int count;
    int machine;               /* the first rank on this machine */
    int64_t ahead_ns;          /* its clock minus the first rank's */
    pthread_mutex_t lock;      /* held while MPI is called */
    struct progress *progress; /* NULL: no run */
    struct ticker *ticker;
    int told;            /* 1: this rank has asked the others to stop */
    int heard;           /* requests to stop that it received */
    bool over;           /* the run has ended */
    enum load_end worst; /* if it has: the worst end of all ranks */
    atomic_bool lost;
};

/* Waiting for others */

/* True if this rank was told by a signal to end and has waited long enough since; *since_ns, 0 at
   first, is when it noticed. */
static bool must_give_up(const struct ranks *ranks, uint64_t *since_ns)
{
    if (ranks->progress == NULL || (atomic_load(&ranks->progress->stop) & PROGRESS_HURRY) == 0)
        return false;
    if (*since_ns == 0)
        *since_ns = clock_now_ns();
    return clock_now_ns() - *since_ns >= PATIENCE_NS;
}

/* Waits for a collective operation that was started with status. nap: sleeps in between, as a
   rank may come late.  Returns false, with the others marked as lost, if the operation fails or
   does not end. */
static bool await(struct ranks *ranks, int status, MPI_Request *request, bool nap)
{
    uint64_t nap_ns = NS_PER_US;
    uint64_t since_ns = 0;
    int done = 0;

    while (status == MPI_SUCCESS && !must_give_up(ranks, &since_ns)) {
        (void)pthread_mutex_lock(&ranks->lock);
        status = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        (void)pthread_mutex_unlock(&ranks->lock);
        if (status == MPI_SUCCESS && done)
            return true;
        if (nap)
            (void)nanosleep(&(struct timespec){ .tv_nsec = (long)nap_ns }, NULL);
        else
            (void)sched_yield();
        if (nap_ns < NAP_NS)
            nap_ns *= 2;
    }
    atomic_store(&ranks->lost, true);
    return false;
}

static bool is_useless(const struct ranks *ranks)
{
    return ranks == NULL || atomic_load(&ranks->lost);
}

static void reduce_to_all(struct ranks *ranks, void *values, size_t count, MPI_Datatype type,
                          MPI_Op how)
{
    MPI_Request request;

    if (is_useless(ranks))
        return;
    (void)pthread_mutex_lock(&ranks->lock);
    const int status =
        MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, type, how, ranks->comm, &request);
    (void)pthread_mutex_unlock(&ranks->lock);
    (void)await(ranks, status, &request, true);
}

static void reduce_to_first(struct ranks *ranks, void *values, size_t count, MPI_Datatype type)
{
    MPI_Request request;

    if (is_useless(ranks))
        return;
    (void)pthread_mutex_lock(&ranks->lock);
    const int status =
        ranks->number == 0
            ? MPI_Ireduce(MPI_IN_PLACE, values, (int)count, type, MPI_SUM, 0, ranks->comm, &request)
            : MPI_Ireduce(values, NULL, (int)count, type, MPI_SUM, 0, ranks->comm, &request);
    (void)pthread_mutex_unlock(&ranks->lock);
    (void)await(ranks, status, &request, true);
}

void ranks_least(struct ranks *ranks, uint64_t *values, size_t count)
{
    reduce_to_all(ranks, values, count, MPI_UINT64_T, MPI_MIN);
}

void ranks_most(struct ranks *ranks, uint64_t *values, size_t count)
{
    reduce_to_all(ranks, values, count, MPI_UINT64_T, MPI_MAX);
}

void ranks_sum(struct ranks *ranks, uint64_t *values, size_t count)
{
    reduce_to_first(ranks, values, count, MPI_UINT64_T);
}

void ranks_sum_32(struct ranks *ranks, uint32_t *values, size_t count)
{
    reduce_to_first(ranks, values, count, MPI_UINT32_T);
}

void ranks_share(struct ranks *ranks, int weight, void *data, size_t size)
{
    struct {
        int weight;
        int rank;
    } heaviest = { weight, (int)ranks_number(ranks) };
    MPI_Request request;

    reduce_to_all(ranks, &heaviest, 1, MPI_2INT, MPI_MAXLOC);
    if (is_useless(ranks))
        return;
    (void)pthread_mutex_lock(&ranks->lock);
    const int status = MPI_Ibcast(data, (int)size, MPI_BYTE, heaviest.rank, ranks->comm, &request);
    (void)pthread_mutex_unlock(&ranks->lock);
    (void)await(ranks, status, &request, true);
}

void ranks_collect(struct ranks *ranks, const void *data, size_t size, void *all)
{
    MPI_Request request;

    if (ranks == NULL)
        memcpy(all, data, size);
    if (is_useless(ranks))
        return;
    (void)pthread_mutex_lock(&ranks->lock);
    const int status =
        MPI_Igather(data, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, 0, ranks->comm, &request);
    (void)pthread_mutex_unlock(&ranks->lock);
    (void)await(ranks, status, &request, true);
}

/* Meetings */

/* Tells the others how this rank's run has ended, or that it goes on (LOAD_DONE).  Returns the
   worst end of all. */
static enum load_end meet(struct ranks *ranks, enum load_end end, uint64_t value, uint64_t *sum)
{
    /* The sum, and the number of ranks by end. */
    uint64_t all[1 + LOAD_WRONG] = { value };
    MPI_Request request;

    if (end != LOAD_DONE)
        all[end] = 1;
    reduce_to_all(ranks, all, 1 + LOAD_WRONG, MPI_UINT64_T, MPI_SUM);
    ranks->worst = LOAD_WRONG;
    while (ranks->worst != LOAD_DONE && all[ranks->worst] == 0)
        ranks->worst--;
    /* All ranks are here, but may notice that a nap later.  They leave together after a second
       meeting, without naps. */
    if (!is_useless(ranks)) {
        (void)pthread_mutex_lock(&ranks->lock);
        const int status = MPI_Ibarrier(ranks->comm, &request);
        (void)pthread_mutex_unlock(&ranks->lock);
        (void)await(ranks, status, &request, false);
    }
    if (is_useless(ranks))
        ranks->worst = LOAD_FAILED;
    ranks->over = ranks->worst != LOAD_DONE;
    if (sum != NULL)
        *sum = all[0];
    return ranks->worst;
}

bool ranks_meet(struct ranks *ranks, uint64_t value, uint64_t *sum)
{
    if (sum != NULL)
        *sum = value;
    return ranks == NULL || (!ranks->over && !progress_stopped(ranks->progress) &&
                             meet(ranks, LOAD_DONE, value, sum) == LOAD_DONE);
}

enum load_end ranks_finish(struct ranks *ranks, enum load_end end)
{
    if (ranks == NULL)
        return end;
    if (!ranks->over)
        (void)meet(ranks, end, 0, NULL);
    return ranks->worst > end ? ranks->worst : end;
}

bool ranks_are_lost(const struct ranks *ranks)
{
    return ranks != NULL && atomic_load(&ranks->lost);
}

/* Asking to stop */

/* The lock is held. */
static void tell_all(struct ranks *ranks)
{
    for (int i = 0; i < ranks->count; i++) {
        MPI_Request request;

        if (i != ranks->number &&
            MPI_Isend(NULL, 0, MPI_BYTE, i, TAG_STOP, ranks->comm, &request) == MPI_SUCCESS)
            (void)MPI_Request_free(&request);
    }
    ranks->told = 1;
}

/* Receives requests to stop; the lock is held. */
static void hear(struct ranks *ranks)
{
    int there = 0;

    while (MPI_Iprobe(MPI_ANY_SOURCE, TAG_STOP, ranks->comm, &there, MPI_STATUS_IGNORE) ==
               MPI_SUCCESS &&
           there) {
        (void)MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG_STOP, ranks->comm, MPI_STATUS_IGNORE);
        ranks->heard++;
    }
}

static void look(void *context)
{
    struct ranks *const ranks = context;

    if (pthread_mutex_trylock(&ranks->lock) != 0)
        return;
    if (!atomic_load(&ranks->lost)) {
        hear(ranks);
        if (ranks->heard > 0)
            (void)atomic_fetch_or(&ranks->progress->stop, PROGRESS_STOP);
        else if (ranks->told == 0 && progress_stopped(ranks->progress))
            tell_all(ranks);
    }
    (void)pthread_mutex_unlock(&ranks->lock);
}

int ranks_watch(struct ranks *ranks, struct progress *progress, struct err *err)
{
    if (ranks == NULL)
        return 0;
    ranks->progress = progress;
    ranks->ticker = ticker_start(TICK_NS, look, ranks, err);
    return ranks->ticker != NULL ? 0 : -1;
}

void ranks_unwatch(struct ranks *ranks)
{
    if (ranks == NULL)
        return;
    ticker_stop(ranks->ticker);
    ranks->ticker = NULL;
    ranks->progress = NULL;
}

/* Begin and end */

/* Blocks signals in MPI's threads: they are for the program's own. */
static int init_without_signals(int *provided)
{
    sigset_t all;
    sigset_t before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int status = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, provided);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static void find_machine(struct ranks *ranks)
{
    MPI_Comm machine;

    ranks->machine = ranks->number;
    if (MPI_Comm_split_type(ranks->comm, MPI_COMM_TYPE_SHARED, ranks->number, MPI_INFO_NULL,
                            &machine) != MPI_SUCCESS)
        return;
    (void)MPI_Bcast(&ranks->machine, 1, MPI_INT, 0, machine);
    (void)MPI_Comm_free(&machine);
}

/* No rank leaves a barrier before all have arrived.  So the last one arrived, by either
   clock, between this rank's arrival and its departure; any further difference is between
   the clocks. */
static void compare_clocks(struct ranks *ranks)
{
    enum { TIMES = 10 };
    int64_t own[TIMES][2];
    int64_t first[TIMES][2];
    int64_t least = INT64_MIN;
    int64_t most = INT64_MAX;

    for (int i = 0; i < TIMES; i++) {
        own[i][0] = (int64_t)clock_now_ns();
        (void)MPI_Barrier(ranks->comm);
        own[i][1] = (int64_t)clock_now_ns();
    }
    memcpy(first, own, sizeof first);
    (void)MPI_Bcast(first, 2 * TIMES, MPI_INT64_T, 0, ranks->comm);
    for (int i = 0; i < TIMES; i++) {
        if (own[i][0] - first[i][1] > least)
            least = own[i][0] - first[i][1];
        if (own[i][1] - first[i][0] < most)
            most = own[i][1] - first[i][0];
    }
    ranks->ahead_ns = least <= 0 && most >= 0 ? 0 : least + (most - least) / 2;
}

int ranks_open(struct ranks **ranks, struct err *err)
{
    int provided = MPI_THREAD_SINGLE;
    struct ranks *const opened = err_calloc(1, sizeof *opened, err);

    *ranks = NULL;
    if (opened == NULL)
        return -1;
    if (init_without_signals(&provided) != MPI_SUCCESS || provided < MPI_THREAD_SERIALIZED ||
        MPI_Comm_dup(MPI_COMM_WORLD, &opened->comm) != MPI_SUCCESS) {
        free(opened);
        return err_set(err, "MPI cannot be used, or not by a program with threads");
    }
    (void)MPI_Comm_set_errhandler(opened->comm, MPI_ERRORS_RETURN);
    (void)MPI_Comm_rank(opened->comm, &opened->number);
    (void)MPI_Comm_size(opened->comm, &opened->count);
    (void)pthread_mutex_init(&opened->lock, NULL);
    /* Open MPI lets ranks write to a terminal, even if mpirun itself writes to a file. */
    if (opened->count > 1)
        (void)setenv("NO_COLOR", "1", 1);
    find_machine(opened);
    compare_clocks(opened);
    *ranks = opened;
    return 0;
}

void ranks_close(struct ranks *ranks, int status)
{
    int told;

    if (ranks == NULL)
        return;
    told = ranks->told;
    reduce_to_all(ranks, &told, 1, MPI_INT, MPI_SUM);
    if (is_useless(ranks))
        (void)MPI_Abort(MPI_COMM_WORLD, status);
    /* MPI_Finalize needs all messages to have been received. */
    while (ranks->heard < told - ranks->told)
        hear(ranks);
    (void)MPI_Comm_free(&ranks->comm);
    (void)MPI_Finalize();
    (void)pthread_mutex_destroy(&ranks->lock);
    free(ranks);
}

uint64_t ranks_number(const struct ranks *ranks)
{
    return ranks != NULL ? (uint64_t)ranks->number : 0;
}

uint64_t ranks_count(const struct ranks *ranks)
{
    return ranks != NULL ? (uint64_t)ranks->count : 1;
}

uint64_t ranks_common_ns(const struct ranks *ranks, uint64_t ns)
{
    return ranks != NULL ? ns - (uint64_t)ranks->ahead_ns : ns;
}

uint64_t ranks_machine(struct ranks *ranks)
{
    return ranks != NULL ? (uint64_t)ranks->machine : 0;
}
