/* SPDX-License-Identifier: ISC */
#include "runner/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/thread.h"

void runner_complain(const char *text)
{
    (void)fprintf(stderr, "%s_ubench: %s\n", the_backend.name, text);
}

int runner_fail(const struct err *err, int code)
{
    runner_complain(err->text);
    return code;
}

/* Opens those of the descriptors 0, 1 and 2 that are closed, so that no file
   opened later gets one of them and receives standard output.  Writing to such
   a stream still fails, with EBADF. */
static void reserve_std_fds(void)
{
    /* open returns the lowest free descriptor. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

struct call {
    int (*program)(int argc, char **argv);
    int argc;
    char **argv;
    sigset_t mask;
    int status;
};

/* Reports output that could not be written.  Runs in the thread that wrote it. */
static int check_output(int status)
{
    errno = 0;
    if (fflush(stdout) == 0) {
        if (status != EXIT_SUCCESS || !ferror(stdout))
            return status;
        /* errno has changed since the failure: another byte fails for the same reason. */
        errno = 0;
        (void)putchar('\n');
        (void)fflush(stdout);
    }
    (void)fprintf(stderr, "%s_ubench: standard output: %s\n", the_backend.name,
                  errno != 0 ? strerror(errno) : "a part of it could not be written");
    return status != EXIT_SUCCESS ? status : EXIT_FAILURE;
}

static void *run(void *argument)
{
    struct call *const call = argument;

    /* While threads share a table of descriptors, the kernel counts and locks
       at each read and write.  Failure only costs speed. */
    (void)syscall(SYS_unshare, CLONE_FILES);
    (void)pthread_sigmask(SIG_SETMASK, &call->mask, NULL);
    call->status = check_output(call->program(call->argc, call->argv));
    return NULL;
}

int program_run(int (*program)(int argc, char **argv), int argc, char **argv)
{
    struct call call = { program, argc, argv, .status = 0 };
    pthread_t thread;
    sigset_t all;

    reserve_std_fds();
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &call.mask);
    if (thread_start(&thread, run, &call) != 0)
        (void)run(&call);
    else
        (void)pthread_join(thread, NULL);
    return call.status;
}
