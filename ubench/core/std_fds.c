/* SPDX-License-Identifier: ISC */
#include "core/std_fds.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

void reserve_std_fds(void)
{
    /* open takes the lowest that is free. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

void ignore_write_signals(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}
