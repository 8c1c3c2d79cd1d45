/* SPDX-License-Identifier: ISC */
#include "store/server/connection.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "core/units.h"

/* Splits what is in host into that and a port, "" if there is none. */
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
    /* An IPv6 address has more than one, and a path may have any. */
    if (strchr(host, '/') != NULL || colon == NULL ||
        strchr(host, ':') != colon)
        return "";
    *colon = '\0';
    return colon + 1;
}

static int init_one(struct endpoint *endpoint, const struct store_config *config, const char *text,
                    size_t length, struct err *err)
{
    char *const host = endpoint->host;

    if (length == 0 || length >= sizeof endpoint->host)
        return err_usage(err, "--host: %s: a name in it is empty or too long", config->host);
    (void)snprintf(host, sizeof endpoint->host, "%.*s", (int)length, text);
    const char *const port = split_port(host);
    endpoint->config = *config;
    endpoint->config.host = host;
    if (host[0] == '\0' || host[0] == '[' ||
        (port[0] != '\0' && (units_scan_count(port, &endpoint->config.port) != 0 ||
                             endpoint->config.port < 1 || endpoint->config.port > 65535)))
        return err_usage(err, "--host: '%.*s' is not HOST:PORT", (int)length, text);
    return 0;
}

static void name(struct endpoint *endpoint)
{
    const char *const host = endpoint->host;

    if (endpoint->config.port == 0 || strchr(host, '/') != NULL)
        (void)snprintf(endpoint->at, sizeof endpoint->at, " at %s", host);
    else
        (void)snprintf(endpoint->at, sizeof endpoint->at,
                       strchr(host, ':') != NULL ? " at [%s]:%" PRIu64 : " at %s:%" PRIu64, host,
                       endpoint->config.port);
}

int endpoints_init(struct endpoints *endpoints, const struct store_config *config, struct err *err)
{
    const char *text = config->host;

    endpoints->count = 0;
    if (text == NULL)
        endpoints->items[endpoints->count++].config = *config;
    while (text != NULL) {
        const size_t length = strcspn(text, ",");

        if (endpoints->count == ENDPOINTS_MAX)
            return err_usage(err, "--host: %s: more than %d servers are named", config->host,
                             (int)ENDPOINTS_MAX);
        if (init_one(&endpoints->items[endpoints->count++], config, text, length, err) != 0)
            return -1;
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    for (size_t i = 0; endpoints->count > 1 && i < endpoints->count; i++)
        name(&endpoints->items[i]);
    return 0;
}

void endpoints_describe(const struct endpoints *endpoints,
                        struct properties *properties)
{
    char text[ENDPOINTS_MAX * sizeof endpoints->items[0].at] = "";

    for (size_t i = 0; endpoints->count > 1 && i < endpoints->count; i++)
        text_append(text, sizeof text, "%s%s: sessions %u", i > 0 ? ", " : "",
                    endpoints->items[i].at + sizeof " at",
                    atomic_load(&endpoints->items[i].sessions));
    if (text[0] != '\0')
        properties_add(properties, "endpoints", "%s", text);
}
