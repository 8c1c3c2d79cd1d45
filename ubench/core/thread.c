/* SPDX-License-Identifier: ISC */
#include "core/thread.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 20 };

int thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);

    if (error != 0)
        return error;
    error = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (error == 0)
        error = pthread_create(thread, &attributes, run, argument);
    (void)pthread_attr_destroy(&attributes);
    return error;
}

struct call {
    int (*program)(int argc, char **argv);
    int argc;
    char **argv;
    sigset_t mask;
    int status;
};

static void *run(void *argument)
{
    struct call *const call = argument;

    /* While threads share a table of descriptors, the kernel counts and locks
       at each read and write.  A refusal costs speed alone. */
    (void)syscall(SYS_unshare, CLONE_FILES);
    (void)pthread_sigmask(SIG_SETMASK, &call->mask, NULL);
    call->status = call->program(call->argc, call->argv);
    return NULL;
}

int thread_run_program(int (*program)(int argc, char **argv), int argc,
                       char **argv)
{
    struct call call = { .program = program, .argc = argc, .argv = argv };
    pthread_t thread;
    sigset_t all;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &call.mask);
    if (thread_start(&thread, run, &call) != 0)
        (void)run(&call);
    else
        (void)pthread_join(thread, NULL);
    return call.status;
}
