/* SPDX-License-Identifier: ISC */
#include "measure/host/host.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "measure/host/kernel_files.h"

#ifndef UBENCH_CFLAGS
#define UBENCH_CFLAGS "unknown"
#endif

/* Room for the value of a property. */
enum { TEXT_SIZE = sizeof((struct property *)0)->value };

/* Writes a property of the machine below root, or leaves the text alone. */
typedef void write_property(const char *root, char *text);

/* ARM tells no name, only numbers of its maker and part. */
static void write_cpu(const char *root, char *text)
{
    static const char path[] = "/proc/cpuinfo";
    char maker[32];
    char part[32];

    if (!kernel_text(root, path, "model name", text, TEXT_SIZE) &&
        kernel_text(root, path, "CPU implementer", maker, sizeof maker) &&
        kernel_text(root, path, "CPU part", part, sizeof part))
        (void)snprintf(text, TEXT_SIZE, "implementer %s, part %s", maker, part);
}

static void write_cores(const char *root, char *text)
{
    const uint64_t online =
        kernel_cores(root, "/sys/devices/system/cpu/online", "");
    const uint64_t allowed =
        kernel_cores(root, "/proc/self/status", "Cpus_allowed_list");

    if (allowed > 0 && allowed < online)
        (void)snprintf(text, TEXT_SIZE,
                       "%" PRIu64 " online, %" PRIu64 " allowed", online,
                       allowed);
    else if (online > 0)
        (void)snprintf(text, TEXT_SIZE, "%" PRIu64, online);
}

/* A file that holds 1 for on, or the other way round; true if it is there. */
static bool write_switch(const char *root, const char *path, uint64_t on,
                         char *text)
{
    uint64_t number;

    if (!kernel_number(root, path, "", &number) || number > 1)
        return false;
    (void)snprintf(text, TEXT_SIZE, "%s", number == on ? "on" : "off");
    return true;
}

static void write_smt(const char *root, char *text)
{
    (void)write_switch(root, "/sys/devices/system/cpu/smt/active", 1, text);
}

static void write_turbo(const char *root, char *text)
{
    if (!write_switch(root, "/sys/devices/system/cpu/cpufreq/boost", 1, text))
        (void)write_switch(
            root, "/sys/devices/system/cpu/intel_pstate/no_turbo", 0, text);
}

/* Whether this is a virtual machine: 1, 0, or -1 if it cannot be told.  x86
   has a flag for it, and ARM's kernels name what they were started by. */
static int is_virtual(const char *root)
{
    char flags[8192];

    if (kernel_exists(root, "/sys/hypervisor/type") ||
        kernel_exists(root, "/proc/device-tree/hypervisor"))
        return 1;
    if (!kernel_text(root, "/proc/cpuinfo", "flags", flags, sizeof flags))
        return -1;
    const char *const flag = strstr(flags, " hypervisor");
    return flag != NULL && (flag[11] == ' ' || flag[11] == '\0');
}

static void write_virtualisation(const char *root, char *text)
{
    char vendor[96];
    char product[96] = "";
    const int virtual = is_virtual(root);

    if (virtual < 0)
        return;
    if (virtual == 0) {
        (void)snprintf(text, TEXT_SIZE, "none");
    } else if (kernel_text(root, "/sys/class/dmi/id/sys_vendor", "", vendor,
                           sizeof vendor)) {
        (void)kernel_text(root, "/sys/class/dmi/id/product_name", "", product,
                          sizeof product);
        (void)snprintf(text, TEXT_SIZE, "%s%s%s", vendor,
                       product[0] != '\0' ? " " : "", product);
    } else if (!kernel_text(root, "/sys/hypervisor/type", "", text, TEXT_SIZE))
        (void)snprintf(text, TEXT_SIZE, "yes, by an unnamed hypervisor");
}

static void write_kernel(const char *root, char *text)
{
    char release[96];
    struct utsname name;

    if (kernel_text(root, "/proc/sys/kernel/osrelease", "", release,
                    sizeof release))
        (void)snprintf(text, TEXT_SIZE, "%s %s", release,
                       uname(&name) == 0 ? name.machine : "");
}

static void write_libc(const char *root, char *text)
{
    (void)root;
#ifdef _CS_GNU_LIBC_VERSION
    (void)confstr(_CS_GNU_LIBC_VERSION, text, TEXT_SIZE);
#endif
}

static void write_memory(const char *root, char *text)
{
    uint64_t size_kib;

    if (!kernel_number(root, "/proc/meminfo", "MemTotal", &size_kib))
        return;
    if (size_kib < 1 << 20)
        (void)snprintf(text, TEXT_SIZE, "%.0f MiB", (double)size_kib / 1024);
    else
        (void)snprintf(text, TEXT_SIZE, "%.1f GiB",
                       (double)size_kib / (1 << 20));
}

/* The chosen one of "always [madvise] never". */
static void write_huge_pages(const char *root, char *text)
{
    char line[96] = "";

    (void)kernel_text(root, "/sys/kernel/mm/transparent_hugepage/enabled", "",
                      line, sizeof line);
    const char *const open = strchr(line, '[');
    const size_t length = open != NULL ? strcspn(open + 1, "]") : 0;
    if (length > 0 && open[1 + length] == ']')
        (void)snprintf(text, TEXT_SIZE, "%.*s", (int)length, open + 1);
}

static void write_cpu_limit(const char *root, char *text)
{
    struct kernel_cpu_limit limit;

    if (!kernel_cpu_limit(root, &limit))
        return;
    (void)snprintf(text, TEXT_SIZE, "none");
    if (limit.cores > 0)
        (void)snprintf(text, TEXT_SIZE, "%.2f cores", limit.cores);
}

static void write_compiler(const char *root, char *text)
{
    (void)root;
#if defined __clang__
    (void)snprintf(text, TEXT_SIZE, "%s", __VERSION__);
#elif defined __GNUC__
    (void)snprintf(text, TEXT_SIZE, "gcc %s", __VERSION__);
#endif
}

/* Without those that name paths, which may be a user's home. */
static void write_cflags(const char *root, char *text)
{
    const char *word = UBENCH_CFLAGS;
    size_t used = 0;

    (void)root;
    text[0] = '\0';
    while (*word != '\0') {
        const size_t length = strcspn(word, " ");
        if (length > 0 && memchr(word, '/', length) == NULL &&
            used + length + 1 < TEXT_SIZE)
            used += (size_t)snprintf(text + used, TEXT_SIZE - used, "%s%.*s",
                                     used > 0 ? " " : "", (int)length, word);
        word += length + strspn(word + length, " ");
    }
}

void host_describe(const char *root, struct properties *properties)
{
    static const struct {
        const char *key;
        write_property *write; /* NULL: it is what a file says */
        const char *path;
        const char *otherwise; /* NULL: it is unknown */
    } rows[] = {
        { "cpu", write_cpu, NULL, NULL },
        { "cores", write_cores, NULL, NULL },
        { "smt", write_smt, NULL, NULL },
        { "turbo", write_turbo, NULL, NULL },
        { "governor", NULL,
          "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "none" },
        { "virtualisation", write_virtualisation, NULL, NULL },
        { "clocksource", NULL,
          "/sys/devices/system/clocksource/clocksource0/current_clocksource",
          NULL },
        { "kernel", write_kernel, NULL, NULL },
        { "libc", write_libc, NULL, NULL },
        { "memory", write_memory, NULL, NULL },
        { "huge_pages", write_huge_pages, NULL, NULL },
        { "cpu_limit", write_cpu_limit, NULL, NULL },
        { "compiler", write_compiler, NULL, NULL },
        { "cflags", write_cflags, NULL, NULL },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[TEXT_SIZE];

        (void)snprintf(text, sizeof text, "%s",
                       rows[i].otherwise != NULL ? rows[i].otherwise
                                                 : "unknown");
        if (rows[i].write != NULL)
            rows[i].write(root, text);
        else
            (void)kernel_text(root, rows[i].path, "", text, sizeof text);
        properties_add(properties, rows[i].key, "%s", text);
    }
}
