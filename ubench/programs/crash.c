/* SPDX-License-Identifier: ISC */
/*
 * ubench_crash injects the crashes of scripts/crash.sh.  It waits for a load to
 * be under way, picks a moment by a seed, writes that moment into the load's
 * ledger and only then takes the file system or the processes away.  Afterwards
 * it leaves what a bad disk would have, and notes when a server was started
 * again.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/opt.h"
#include "core/random.h"
#include "load/crash/disk_rebuild.h"
#include "load/crash/ledger.h"

/* Not in every kernel's headers: include/uapi/linux/ext4.h. */
#define CRASH_EXT4_SHUTDOWN _IOR('X', 125, uint32_t)
enum { CRASH_NO_LOG_FLUSH = 2 };

enum crash_exit {
    CRASH_DONE = 0,
    CRASH_FAILED = 1,
    CRASH_USAGE = 2,
    CRASH_TOO_LATE = 3, /* the load had ended */
};

enum { PROCESSES_MAX = 4096, PATIENCE_S = 60 };

struct crash_config {
    const char *ledger;
    const char *mount;
    const char *matching;
    const char *run;
    const char *folder;
    const char *record;
    uint64_t load;
    uint64_t tree;
    uint64_t started;
    uint64_t seed;
    uint64_t after_ns;
    uint64_t spread_ns;
    bool power;
    bool help;
};

#define CONFIG struct crash_config
static const struct opt options[] = {
    { OPT_TEXT(CONFIG, ledger), .name = "ledger", .arg = "FILE",
      .help = "of the load; where the moment is written" },
    { OPT_COUNT(CONFIG, load), .name = "load", .arg = "PID", .fallback = "0",
      .max = INT32_MAX, .help = "the runner; it is killed as well" },
    { OPT_COUNT(CONFIG, tree), .name = "tree", .arg = "PID", .fallback = "0",
      .max = INT32_MAX,
      .help = "a server: it is killed with all its children" },
    { OPT_TEXT(CONFIG, matching), .name = "matching", .arg = "TEXT",
      .help = "of that tree, kill one child whose command line begins so" },
    { OPT_TEXT(CONFIG, run), .name = "run", .arg = "COMMAND",
      .help = "instead of all kills: it takes a node away; the load is stopped "
              "when another one has acknowledged something" },
    { OPT_TEXT(CONFIG, mount), .name = "mount", .arg = "FOLDER",
      .help =
          "the file system of the store, synced once the load is under way" },
    { OPT_FLAG(CONFIG, power), .name = "power",
      .help = "shut it down (ext4) without writing back, before the kill" },
    { OPT_DURATION(CONFIG, after_ns), .name = "after", .arg = "TIME",
      .fallback = "10ms", .max = 60 * NS_PER_S,
      .help = "at least so long after the load began" },
    { OPT_DURATION(CONFIG, spread_ns), .name = "spread", .arg = "TIME",
      .fallback = "50ms", .max = 60 * NS_PER_S,
      .help = "and at most so much longer, by the seed" },
    { OPT_COUNT(CONFIG, seed), .name = "seed", .arg = "N", .fallback = "1",
      .max = UINT64_MAX, .help = "of the moment, and of the child" },
    { OPT_COUNT(CONFIG, started), .name = "started", .arg = "PID",
      .fallback = "0", .max = INT32_MAX,
      .help = "crash nothing: note when this server was started again" },
    { OPT_TEXT(CONFIG, folder), .name = "spoil", .arg = "FOLDER",
      .help = "crash nothing: leave in it what a bad disk could have, by the "
              "seed" },
    { OPT_TEXT(CONFIG, record), .name = "record", .arg = "FILE",
      .help = "of what the load did to that folder, by ubench_disk.so" },
    { OPT_FLAG(CONFIG, help), .letter = 'h', .name = "help",
      .help = "print this and exit" },
    { .kind = OPT_KIND_END },
};

static void nap_ns(uint64_t ns)
{
    const struct timespec nap = { .tv_sec = (time_t)(ns / NS_PER_S),
                                  .tv_nsec = (long)(ns % NS_PER_S) };

    (void)nanosleep(&nap, NULL);
}

/* Puts what a process's file in /proc has into text; "" if there is no such
   process.  Returns text. */
static char *read_process(uint64_t pid, const char *name, char *text,
                          size_t size)
{
    char path[64];

    text[0] = '\0';
    (void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/%s", pid, name);
    FILE *const file = fopen(path, "re");
    if (file == NULL)
        return text;
    text[fread(text, 1, size - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

/* What stands behind the name in a process's stat: its state and numbers.  The
   name itself may have blanks and brackets.  NULL: there is no such process. */
static const char *read_stat(uint64_t pid, char *text, size_t size)
{
    return strrchr(read_process(pid, "stat", text, size), ')');
}

/* One that has ended is there until its parent has asked for it. */
static bool is_running(uint64_t pid)
{
    char text[1024];
    const char *const state = read_stat(pid, text, sizeof text);

    return state != NULL && strncmp(state, ") Z", 3) != 0;
}

/* Processes */

struct processes {
    size_t count;
    pid_t pids[PROCESSES_MAX];
};

/* Adds the children of pids[from..]; postgres and others give each a session
   of its own, so that no group has them all. */
static void add_children(struct processes *processes, pid_t pid)
{
    char path[64];
    int child;

    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid,
                   (int)pid);
    FILE *const file = fopen(path, "re");
    while (file != NULL && processes->count < PROCESSES_MAX &&
           fscanf(file, "%d", &child) == 1)
        processes->pids[processes->count++] = (pid_t)child;
    if (file != NULL)
        (void)fclose(file);
}

static void list_tree(struct processes *processes, pid_t root)
{
    processes->count = 0;
    processes->pids[processes->count++] = root;
    for (size_t i = 0; i < processes->count; i++)
        add_children(processes, processes->pids[i]);
}

/* The parent first, so that it makes no new ones.  Waits until it is gone, and
   its files are free. */
static void kill_tree(pid_t root)
{
    static struct processes tree;

    list_tree(&tree, root);
    for (size_t i = 0; i < tree.count; i++)
        (void)kill(tree.pids[i], SIGKILL);
    for (size_t i = 0; i < tree.count; i++) {
        for (int tries = 0; tries < 5000 && is_running((uint64_t)tree.pids[i]);
             tries++)
            nap_ns(NS_PER_S / 1000);
    }
}

static bool matches(pid_t pid, const char *beginning)
{
    char line[256];

    return strncmp(read_process((uint64_t)pid, "cmdline", line, sizeof line),
                   beginning, strlen(beginning)) == 0;
}

/* Kills one of those that match.  Returns 0, or -1 with err if none does. */
static int kill_one(const struct crash_config *config, struct err *err)
{
    static struct processes tree;
    size_t matching = 0;

    list_tree(&tree, (pid_t)config->tree);
    for (size_t i = 0; i < tree.count; i++) {
        if (matches(tree.pids[i], config->matching))
            tree.pids[matching++] = tree.pids[i];
    }
    if (matching == 0)
        return err_set(err, "--matching: %" PRIu64 " has no child '%s'",
                       config->tree, config->matching);
    const uint64_t which =
        random_below((uint32_t)(random_at(config->seed, 1) >> 32), matching);
    return kill(tree.pids[which], SIGKILL) == 0
               ? 0
               : err_set(err, "kill %d: %s", (int)tree.pids[which],
                         strerror(errno));
}

/* The crash */

/* Until the first operation of the load.  0, or -1 with err. */
static int wait_for_load(const struct crash_config *config,
                         struct ledger *ledger, struct err *err)
{
    const uint64_t end_ns = clock_now_ns() + PATIENCE_S * NS_PER_S;
    struct err last = { 0 };

    while (clock_now_ns() < end_ns) {
        if (ledger->header == NULL)
            (void)ledger_open(ledger, config->ledger, &last);
        if (ledger->header != NULL &&
            atomic_load(&ledger->header->begun_ns) != 0)
            return 0;
        if (!is_running(config->load))
            return err_set(err, "the load is gone before it began");
        nap_ns(NS_PER_S / 2000);
    }
    return err_set(err, "the load has not begun in %d s: %s", (int)PATIENCE_S,
                   last.text);
}

/* True if something was submitted since then and acknowledged. */
static bool acknowledged_since(const struct ledger *ledger, uint64_t since_ns)
{
    for (uint64_t i = 0; i < ledger->header->keys; i++) {
        for (int o = 0; o < LEDGER_OPERATIONS; o++) {
            const struct ledger_event *const event = &ledger->keys[i].events[o];

            if (atomic_load(&event->submitted_ns) > since_ns &&
                atomic_load(&event->acknowledged_ns) != 0)
                return true;
        }
    }
    return false;
}

/* Until there is something to lose. */
static void wait_for_work(const struct crash_config *config,
                          const struct ledger *ledger, uint64_t since_ns)
{
    const uint64_t end_ns = clock_now_ns() + PATIENCE_S * NS_PER_S;

    assert(ledger->header != NULL);
    while (!acknowledged_since(ledger, since_ns) && is_running(config->load) &&
           clock_now_ns() < end_ns)
        nap_ns(NS_PER_S / 1000);
}

static int cut_power(int mount, const struct crash_config *config,
                     struct err *err)
{
    uint32_t how = CRASH_NO_LOG_FLUSH;

    return ioctl(mount, CRASH_EXT4_SHUTDOWN, &how) == 0
               ? 0
               : err_set(err, "--power: %s: %s", config->mount,
                         strerror(errno));
}

/* No moment is noted: all counts that the load, which goes on, was told. */
static int take_node(const struct crash_config *config,
                     const struct ledger *ledger, struct err *err)
{
    if (system(config->run) != 0)
        return err_set(err, "--run: %s: failed", config->run);
    wait_for_work(config, ledger, clock_now_ns());
    (void)kill((pid_t)config->load, SIGTERM);
    return 0;
}

/* First the moment is noted, then the power goes, and only then the processes:
   whatever is acknowledged after the moment does not count. */
static int crash(const struct crash_config *config, struct ledger *ledger,
                 int mount, struct err *err)
{
    int status = 0;

    if (config->run != NULL)
        return take_node(config, ledger, err);
    atomic_store(&ledger->header->crashed_ns, clock_now_ns());
    if (config->power)
        status = cut_power(mount, config, err);
    if (config->matching != NULL)
        return status != 0 ? status : kill_one(config, err);
    if (config->tree != 0)
        kill_tree((pid_t)config->tree);
    if (config->load != 0)
        (void)kill((pid_t)config->load, SIGKILL);
    return status;
}

static enum crash_exit inject(const struct crash_config *config,
                              struct err *err)
{
    struct ledger ledger = { .file = -1 };
    enum crash_exit code = CRASH_FAILED;
    int mount = -1;

    if (config->mount != NULL)
        mount = open(config->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (config->mount != NULL && mount < 0) {
        (void)err_set(err, "--mount: %s: %s", config->mount, strerror(errno));
    } else if (wait_for_load(config, &ledger, err) == 0) {
        const uint64_t spread_ns =
            config->spread_ns > 0
                ? random_at(config->seed, 0) % config->spread_ns
                : 0;

        /* What was there before the load is to be there after it. */
        if (mount >= 0)
            (void)syscall(SYS_syncfs, mount);
        const uint64_t synced_ns = clock_now_ns();
        nap_ns(config->after_ns + spread_ns);
        wait_for_work(config, &ledger, synced_ns);
        if (!is_running(config->load))
            code = CRASH_TOO_LATE;
        else if (crash(config, &ledger, mount, err) == 0)
            code = CRASH_DONE;
    }
    if (code == CRASH_TOO_LATE)
        (void)err_set(err, "the load had ended before the crash");
    if (mount >= 0)
        (void)close(mount);
    ledger_close(&ledger);
    return code;
}

/* When a process was started, on our clock: field 22 of its stat is in clock
   ticks since the machine was.  0 with err if that cannot be told. */
static uint64_t start_of(uint64_t pid, struct err *err)
{
    char text[1024];
    const char *field = read_stat(pid, text, sizeof text);
    unsigned long long ticks = 0;

    for (int i = 2; field != NULL && i < 22; i++)
        field = strchr(field + 1, ' ');
    if (field != NULL)
        ticks = strtoull(field, NULL, 10);
    if (ticks == 0)
        (void)err_set(err, "--started: %" PRIu64 " is no process", pid);
    return ticks * NS_PER_S / (unsigned long long)sysconf(_SC_CLK_TCK);
}

static enum crash_exit note_start(const struct crash_config *config,
                                  struct err *err)
{
    struct ledger ledger;
    const uint64_t started_ns = start_of(config->started, err);

    if (started_ns == 0 || ledger_open(&ledger, config->ledger, err) != 0)
        return CRASH_FAILED;
    atomic_store(&ledger.header->started_ns, started_ns);
    ledger_close(&ledger);
    return CRASH_DONE;
}

static enum crash_exit spoil(const struct crash_config *config, struct err *err)
{
    struct ledger ledger;

    if (ledger_open(&ledger, config->ledger, err) != 0)
        return CRASH_FAILED;
    const uint64_t begun_ns = atomic_load(&ledger.header->begun_ns);
    ledger_close(&ledger);
    return disk_rebuild_file(config->folder, config->record, begun_ns,
                             config->seed, err) == 0
               ? CRASH_DONE
               : CRASH_FAILED;
}

static int print_help(void)
{
    (void)printf("Usage: ubench_crash --ledger FILE --load PID [OPTION]...\n"
                 "       ubench_crash --ledger FILE --started PID\n"
                 "       ubench_crash --ledger FILE --spoil FOLDER --record "
                 "FILE\n"
                 "Crashes a store while a load with --ledger=FILE is under "
                 "way; for scripts/crash.sh.\n");
    opt_print_help(options, stdout);
    (void)printf("\nExit status: 0 done, 1 it could not, 2 usage, 3 the load "
                 "had ended before.\n");
    return CRASH_DONE;
}

int main(int argc, char **argv)
{
    struct crash_config config = { .load = 0 };
    struct err err = { 0 };
    enum crash_exit code = CRASH_USAGE;

    if (opt_parse(options, &config, argc, argv, NULL, NULL, &err) == 0) {
        if (config.help)
            return print_help();
        if (config.ledger == NULL)
            (void)err_set(&err, "--ledger: is missing");
        else if ((config.folder == NULL) != (config.record == NULL))
            (void)err_set(&err, "--spoil and --record need each other");
        else if (config.folder != NULL)
            code = spoil(&config, &err);
        else if (config.started != 0)
            code = note_start(&config, &err);
        else if (config.load == 0)
            (void)err_set(&err, "--load: is missing");
        else if (config.power && config.mount == NULL)
            (void)err_set(&err, "--power: needs --mount");
        else
            code = inject(&config, &err);
    }
    if (code != CRASH_DONE)
        (void)fprintf(stderr, "ubench_crash: %s\n", err.text);
    return (int)code;
}
