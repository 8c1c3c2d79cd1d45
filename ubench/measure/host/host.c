/* SPDX-License-Identifier: ISC */
#include "measure/host/host.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "measure/host/kernel_files.h"

#ifndef UBENCH_CFLAGS
#define UBENCH_CFLAGS "unknown"
#endif

#if defined __clang__
#define COMPILER __VERSION__
#elif defined __GNUC__
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

/* Adds the value after a label in a file (kernel_text).  Returns false if there
   is none. */
static bool add_file(const char *root, const char *path, const char *label, const char *key,
                     struct properties *properties)
{
    char text[sizeof properties->items[0].value];
    const bool there = kernel_text(root, path, label, text, sizeof text);

    if (there)
        properties_add(properties, key, "%s", text);
    return there;
}

/* Adds the processor's name.  ARM has only the numbers of its implementer and
   part. */
static void add_cpu(const char *root, struct properties *properties)
{
    static const char path[] = "/proc/cpuinfo";
    char maker[32];
    char part[32];

    if (!add_file(root, path, "model name", "cpu", properties) &&
        kernel_text(root, path, "CPU implementer", maker, sizeof maker) &&
        kernel_text(root, path, "CPU part", part, sizeof part))
        properties_add(properties, "cpu", "implementer %s, part %s", maker, part);
}

static void add_cores(const char *root, struct properties *properties)
{
    const uint64_t online = kernel_cores(root, "/sys/devices/system/cpu/online", "");
    const uint64_t allowed = kernel_cores(root, "/proc/self/status", "Cpus_allowed_list");
    char some[48] = "";

    if (allowed > 0 && allowed < online)
        (void)snprintf(some, sizeof some, " online, %" PRIu64 " allowed", allowed);
    if (online > 0)
        properties_add(properties, "cores", "%" PRIu64 "%s", online, some);
}

/* Adds the state of a switch: "on" if its file has the number on, 0 or 1. */
static void add_switch(const char *root, const char *path, uint64_t on, const char *key,
                       struct properties *properties)
{
    uint64_t number;

    if (kernel_number(root, path, "", &number) && number <= 1)
        properties_add(properties, key, number == on ? "on" : "off");
}

/* Adds whether this is a virtual machine, and its vendor.  x86 has a flag for
   it; on ARM a file of the kernel shows it. */
static void add_virtualisation(const char *root, struct properties *properties)
{
    static const char key[] = "virtualisation";
    static const char type[] = "/sys/hypervisor/type";
    char flags[8192] = "";
    char vendor[96];
    char product[96] = "";
    const bool known = kernel_text(root, "/proc/cpuinfo", "flags", flags, sizeof flags - 1);

    if (!kernel_exists(root, type) && !kernel_exists(root, "/proc/device-tree/hypervisor") &&
        strstr(strcat(flags, " "), " hypervisor ") == NULL) {
        if (known)
            properties_add(properties, key, "none");
    } else if (kernel_text(root, "/sys/class/dmi/id/sys_vendor", "", vendor, sizeof vendor)) {
        (void)kernel_text(root, "/sys/class/dmi/id/product_name", "", product, sizeof product);
        properties_add(properties, key, "%s%s%s", vendor, product[0] != '\0' ? " " : "", product);
    } else if (!add_file(root, type, "", key, properties)) {
        properties_add(properties, key, "yes, by an unnamed hypervisor");
    }
}

static void add_software(const char *root, struct properties *properties)
{
    char text[96];
    struct utsname name;

    if (kernel_text(root, "/proc/sys/kernel/osrelease", "", text, sizeof text))
        properties_add(properties, "kernel", "%s %s", text, uname(&name) == 0 ? name.machine : "");
#ifdef _CS_GNU_LIBC_VERSION
    if (confstr(_CS_GNU_LIBC_VERSION, text, sizeof text) > 0)
        properties_add(properties, "libc", "%s", text);
#endif
}

static void add_memory(const char *root, struct properties *properties)
{
    static const char pages[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    char line[96] = "";
    uint64_t kib = 0;

    if (kernel_number(root, "/proc/meminfo", "MemTotal", &kib))
        properties_add(properties, "memory", "%.0f MiB", (double)kib / 1024);
    if (kib >= 1 << 20)
        properties_add(properties, "memory", "%.1f GiB", (double)kib / (1 << 20));
    /* The selected value of "always [madvise] never". */
    (void)kernel_text(root, pages, "", line, sizeof line);
    const char *const open = strchr(line, '[');
    const size_t length = open != NULL ? strcspn(open + 1, "]") : 0;
    if (length > 0 && open[1 + length] == ']')
        properties_add(properties, "huge_pages", "%.*s", (int)length, open + 1);
}

void host_describe(const char *root, struct properties *properties)
{
    static const char boost[] = "/sys/devices/system/cpu/cpufreq/boost";
    static const char *const keys[] = { "cpu",      "cores",          "smt",         "turbo",
                                        "governor", "virtualisation", "clocksource", "kernel",
                                        "libc",     "memory",         "huge_pages",  "cpu_limit" };
    struct kernel_cpu_limit limit;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        properties_add(properties, keys[i], "unknown");
    add_cpu(root, properties);
    add_cores(root, properties);
    add_switch(root, "/sys/devices/system/cpu/smt/active", 1, "smt", properties);
    if (kernel_exists(root, boost))
        add_switch(root, boost, 1, "turbo", properties);
    else
        add_switch(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", 0, "turbo", properties);
    if (!add_file(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "", "governor",
                  properties))
        properties_add(properties, "governor", "none");
    add_virtualisation(root, properties);
    (void)add_file(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "",
                   "clocksource", properties);
    add_software(root, properties);
    add_memory(root, properties);
    if (kernel_cpu_limit(root, &limit))
        properties_add(properties, "cpu_limit", "none");
    if (limit.cores > 0)
        properties_add(properties, "cpu_limit", "%.2f cores", limit.cores);
    properties_add(properties, "compiler", "%s", COMPILER);
    properties_add(properties, "cflags", "%s", UBENCH_CFLAGS);
}
