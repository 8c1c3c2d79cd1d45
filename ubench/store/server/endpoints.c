/* SPDX-License-Identifier: ISC */
#include "store/server/connection.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "store/host_list.h"

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
        if (endpoints->count == ENDPOINTS_MAX)
            return err_usage(err, "--host: '%s' names more than %d servers", config->host,
                             (int)ENDPOINTS_MAX);
        struct endpoint *const endpoint = &endpoints->items[endpoints->count++];

        endpoint->config = *config;
        endpoint->config.host = endpoint->host;
        if (host_list_read(config->host, &text, endpoint->host, &endpoint->config.port, err) != 0)
            return -1;
    }
    for (size_t i = 0; endpoints->count > 1 && i < endpoints->count; i++)
        name(&endpoints->items[i]);
    return 0;
}

void endpoints_describe(const struct endpoints *endpoints, struct properties *properties)
{
    char text[ENDPOINTS_MAX * sizeof endpoints->items[0].at] = "";

    for (size_t i = 0; endpoints->count > 1 && i < endpoints->count; i++)
        text_append(text, sizeof text, "%s%s: sessions %u", i > 0 ? ", " : "",
                    endpoints->items[i].at + sizeof " at",
                    atomic_load(&endpoints->items[i].sessions));
    if (text[0] != '\0')
        properties_add(properties, "endpoints", "%s", text);
}
