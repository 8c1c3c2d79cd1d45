/* SPDX-License-Identifier: ISC */
#include "measure/counters.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/host/host.h"
#include "measure/host/kernel_files.h"

const struct counter_events counters_of_processor = {
    .type = PERF_TYPE_HARDWARE,
    .instructions = PERF_COUNT_HW_INSTRUCTIONS,
    .cycles = PERF_COUNT_HW_CPU_CYCLES,
};

enum event { INSTRUCTIONS, CYCLES, EVENTS };

/* One event of one or more tasks. */
struct count {
    int *descriptors;
    size_t length;
    size_t capacity;
    bool failed; /* a task is not counted */
};

struct event_counters {
    const struct counter_events *events;
    struct count own[EVENTS];
    struct count server[EVENTS];
};

struct event_counters *counters_new(const struct counter_events *events, struct err *err)
{
    struct event_counters *const counters = err_calloc(1, sizeof *counters, err);

    if (counters != NULL)
        counters->events = events;
    return counters;
}

static void count_close(struct count *count)
{
    for (size_t i = 0; i < count->length; i++)
        (void)close(count->descriptors[i]);
    count->length = 0;
    count->failed = false;
}

void counters_free(struct event_counters *counters)
{
    if (counters == NULL)
        return;
    for (int event = 0; event < EVENTS; event++) {
        count_close(&counters->own[event]);
        count_close(&counters->server[event]);
        free(counters->own[event].descriptors);
        free(counters->server[event].descriptors);
    }
    free(counters);
}

/* Beginning */

/* Returns a descriptor of an event of a task, 0 being the calling thread, and of all that it
   starts; or -1 with errno. */
static int open_event(const struct counter_events *events, enum event event, pid_t task)
{
    struct perf_event_attr attributes = {
        .type = events->type,
        .size = sizeof attributes,
        .config = event == INSTRUCTIONS ? events->instructions : events->cycles,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };

    return (int)syscall(SYS_perf_event_open, &attributes, task, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Closes a count that cannot become whole: the process needs its descriptors. */
static void count_give_up(struct count *count)
{
    count_close(count);
    count->failed = true;
}

/* Adds a task to a count.  One that has ended meanwhile is left out. */
static void count_task(const struct counter_events *events, enum event event, pid_t task,
                       struct count *count)
{
    const int descriptor = count->failed ? -1 : open_event(events, event, task);

    if (descriptor < 0) {
        if (!count->failed && errno != ESRCH)
            count_give_up(count);
        return;
    }
    if (count->length == count->capacity) {
        const size_t capacity = 2 * count->capacity + 8;
        int *const more = realloc(count->descriptors, capacity * sizeof *more);

        if (more == NULL) {
            (void)close(descriptor);
            count_give_up(count);
            return;
        }
        count->descriptors = more;
        count->capacity = capacity;
    }
    count->descriptors[count->length++] = descriptor;
}

/* Counts all threads of a process. */
static void count_process(void *context, uint64_t pid)
{
    struct event_counters *const counters = context;
    const struct dirent *entry;
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/task", pid);
    DIR *const tasks = opendir(path);
    if (tasks == NULL)
        return; /* it has ended */
    while ((entry = readdir(tasks)) != NULL) {
        const char *number = entry->d_name;
        uint64_t task;

        if (!kernel_scan(&number, &task))
            continue;
        for (int event = 0; event < EVENTS; event++)
            count_task(counters->events, (enum event)event, (pid_t)task, &counters->server[event]);
    }
    (void)closedir(tasks);
}

void counters_begin(struct event_counters *counters, const char *servers, const char *path)
{
    if (counters == NULL)
        return;
    for (int event = 0; event < EVENTS; event++) {
        count_close(&counters->own[event]);
        count_close(&counters->server[event]);
        count_task(counters->events, (enum event)event, 0, &counters->own[event]);
    }
    if (servers != NULL && !counters->own[INSTRUCTIONS].failed)
        host_servers_visit(servers, path, count_process, counters);
}

/* Ending */

/* Adds the value of an event to a sum.  Events that have to share the processor's counters count
   part of the time, and are scaled up.  Returns false if it did not count while its task ran. */
static bool add_event(int descriptor, uint64_t *sum)
{
    struct {
        uint64_t value;
        uint64_t enabled_ns;
        uint64_t running_ns;
    } now;

    if (read(descriptor, &now, sizeof now) != (ssize_t)sizeof now ||
        (now.running_ns == 0 && now.enabled_ns > 0))
        return false;
    *sum += now.running_ns < now.enabled_ns
                ? (uint64_t)((double)now.value * (double)now.enabled_ns / (double)now.running_ns)
                : now.value;
    return true;
}

/* Returns the sum of a count, or USAGE_UNKNOWN, and ends it. */
static uint64_t count_end(struct count *count)
{
    bool known = count->length > 0 && !count->failed;
    uint64_t sum = 0;

    for (size_t i = 0; known && i < count->length; i++)
        known = add_event(count->descriptors[i], &sum);
    count_close(count);
    return known ? sum : USAGE_UNKNOWN;
}

void counters_end(struct event_counters *counters, struct usage *usage)
{
    usage->instructions = USAGE_UNKNOWN;
    usage->cycles = USAGE_UNKNOWN;
    usage->server_instructions = USAGE_UNKNOWN;
    usage->server_cycles = USAGE_UNKNOWN;
    if (counters == NULL)
        return;
    usage->instructions = count_end(&counters->own[INSTRUCTIONS]);
    usage->cycles = count_end(&counters->own[CYCLES]);
    usage->server_instructions = count_end(&counters->server[INSTRUCTIONS]);
    usage->server_cycles = count_end(&counters->server[CYCLES]);
}

/* Describing */

static void describe_refusal(const char *root, char *text, size_t size)
{
    enum { ANYBODY = 2 }; /* the greatest value at which a user may count his own tasks */
    uint64_t paranoid;

    if (kernel_number(root, "/proc/sys/kernel/perf_event_paranoid", "", &paranoid) &&
        paranoid > ANYBODY)
        (void)snprintf(text, size,
                       "no: kernel.perf_event_paranoid is %" PRIu64 "; expected %d or less",
                       paranoid, ANYBODY);
    else
        (void)snprintf(text, size, "no: perf_event_open is not permitted here");
}

void counters_describe(const struct counter_events *events, const char *root, char *text,
                       size_t size)
{
    const int descriptor = open_event(events, INSTRUCTIONS, 0);

    if (descriptor >= 0) {
        (void)close(descriptor);
        (void)snprintf(text, size, "yes");
    } else if (errno == EACCES || errno == EPERM) {
        describe_refusal(root, text, size);
    } else if (errno == ENOENT || errno == ENODEV || errno == EOPNOTSUPP) {
        (void)snprintf(text, size, "no: this machine offers no counters of its processor");
    } else {
        (void)snprintf(text, size, "no: perf_event_open: %s", strerror(errno));
    }
}
