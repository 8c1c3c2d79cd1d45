/* SPDX-License-Identifier: ISC */
#include "core/streams.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

void streams_occupy(void)
{
    /* open takes the lowest that is free. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

void streams_errors_only(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}
