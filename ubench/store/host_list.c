/* SPDX-License-Identifier: ISC */
#include "store/host_list.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"

/* Splits host at its port and returns the port; "" if it has none. */
static const char *split_port(char *host)
{
    char *const bracket = host[0] == '[' ? strchr(host, ']') : NULL;
    char *const colon = strrchr(host, ':');

    if (bracket != NULL && (bracket[1] == ':' || bracket[1] == '\0')) {
        const bool has_port = bracket[1] == ':';

        *bracket = '\0';
        (void)memmove(host, host + 1, strlen(host));
        return has_port ? bracket + 2 : bracket;
    }
    /* An IPv6 address has several colons, and a path may have any number. */
    if (strchr(host, '/') != NULL || colon == NULL || strchr(host, ':') != colon)
        return "";
    *colon = '\0';
    return colon + 1;
}

int host_list_read(const char *list, const char **rest, char host[static HOST_SIZE], uint64_t *port,
                   struct err *err)
{
    const char *const text = *rest;
    const size_t length = strcspn(text, ",");

    if (length == 0 || length >= HOST_SIZE)
        return err_usage(err, "--host: '%s' has a name that is empty or too long", list);
    (void)snprintf(host, HOST_SIZE, "%.*s", (int)length, text);
    const char *const number = split_port(host);
    if (host[0] == '\0' || host[0] == '[' ||
        (number[0] != '\0' && (units_scan_count(number, port) != 0 || *port < 1 || *port > 65535)))
        return err_usage(err, "--host: '%.*s' is not HOST:PORT", (int)length, text);
    *rest = text[length] == ',' ? text + length + 1 : NULL;
    return 0;
}
