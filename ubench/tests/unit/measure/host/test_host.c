/* SPDX-License-Identifier: ISC */
/* Machines made up of files in a folder of our own, and this one. */
#include "measure/host/host.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/clock.h"
#include "measure/host/kernel_files.h"
#include "tests/lib/check.h"

/* One file of a machine; a text that begins with "->" makes a link. */
struct file {
    const char *path; /* NULL closes a list */
    const char *text;
};

static char root[PATH_MAX];

static int make_root(void **state)
{
    (void)snprintf(root, sizeof root, "/tmp/test_host.XXXXXX");
    return mkdtemp(root) == NULL ? -1 : 0;
}

/* Removes what is in a folder, and it. */
static void remove_tree(const char *folder)
{
    DIR *const dir = opendir(folder);
    char path[PATH_MAX];

    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        check(folder,
              snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path,
              "a short name");
        if (unlink(path) != 0)
            remove_tree(path);
    }
    assert_int_equal(closedir(dir), 0);
    assert_int_equal(rmdir(folder), 0);
}

static int remove_root(void **state)
{
    remove_tree(root);
    return 0;
}

/* Starts over with a machine of nothing at all. */
static void clear_root(void)
{
    remove_tree(root);
    assert_int_equal(mkdir(root, 0700), 0);
}

static void plant(const struct file *file)
{
    char path[PATH_MAX];

    check(file->path, snprintf(path, sizeof path, "%s%s", root, file->path) < (int)sizeof path,
          "a short path");
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)unlink(path);
    if (strncmp(file->text, "->", 2) == 0) {
        assert_int_equal(symlink(file->text + 2, path), 0);
        return;
    }
    FILE *const out = fopen(path, "we");
    check(file->path, out != NULL && fputs(file->text, out) >= 0, "written");
    assert_int_equal(fclose(out), 0);
}

static void plant_all(const struct file *files)
{
    clear_root();
    for (; files->path != NULL; files++)
        plant(files);
}

static void check_property(const char *row, const struct properties *properties, const char *key,
                           const char *wanted)
{
    const char *const got = properties_find(properties, key);

    if (got == NULL || strcmp(got, wanted) != 0)
        fail_msg("%s: %s:\n  got    %s\n  wanted %s", row, key, got != NULL ? got : "(null)",
                 wanted);
}

static const struct file laptop[] = {
    { "/proc/cpuinfo", "processor\t: 0\n"
                       "model name\t: Intel(R) Core(TM)   i7-8550U @ 1.80GHz\n"
                       "flags\t\t: fpu vme hypervisor_not sse\n\n"
                       "processor\t: 1\nmodel name\t: another\n" },
    { "/proc/meminfo", "MemTotalX: 1 kB\nMemTotal:       16303428 kB\n" },
    { "/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n" },
    { "/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-3,6\n" },
    { "/proc/self/cgroup", "0::/user.slice/x.scope\n" },
    { "/sys/devices/system/cpu/online", "0-7\n" },
    { "/sys/devices/system/cpu/smt/active", "1\n" },
    { "/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n" },
    { "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n" },
    { "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n" },
    { "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n" },
    { "/sys/class/dmi/id/sys_vendor", "LENOVO\n" },
    { "/sys/class/dmi/id/product_serial", "PF1SECRET\n" },
    { "/sys/fs/cgroup/user.slice/x.scope/cpu.max", "max 100000\n" },
    { NULL, NULL },
};

TEST(describes_a_machine)
{
    static const struct property wanted[] = {
        { "cpu", "Intel(R) Core(TM) i7-8550U @ 1.80GHz" },
        { "cores", "8 online, 5 allowed" },
        { "smt", "on" },
        { "turbo", "on" },
        { "governor", "powersave" },
        { "virtualisation", "none" },
        { "clocksource", "tsc" },
        { "memory", "15.5 GiB" },
        { "huge_pages", "madvise" },
        { "cpu_limit", "none" },
    };
    struct properties facts = { 0 };

    plant_all(laptop);
    host_describe(root, &facts);
    assert_int_equal(facts.count, 14);
    for (size_t i = 0; i < COUNT_OF(wanted); i++)
        check_property("laptop", &facts, wanted[i].key, wanted[i].value);
    check("kernel", strncmp(properties_find(&facts, "kernel"), "6.1.0-18-amd64 ", 15) == 0,
          "release and machine");
}

TEST(knows_nothing_of_nothing)
{
    struct properties facts = { 0 };
    struct properties warnings = { 0 };
    struct host_noise noise;

    clear_root();
    host_describe(root, &facts);
    host_describe_path(root, "/x", &facts);
    assert_int_equal(facts.count, 20);
    for (size_t i = 0; i < facts.count; i++) {
        const char *const key = facts.items[i].key;
        if (strcmp(key, "governor") == 0)
            check_text(key, facts.items[i].value, "none");
        else if (strcmp(key, "libc") != 0 && strcmp(key, "compiler") != 0 &&
                 strcmp(key, "cflags") != 0)
            check_text(key, facts.items[i].value, "unknown");
    }
    host_noise_sample(root, " mariadbd mysqld ", &noise);
    facts.count = 0;
    host_noise_describe(&noise, &noise, &facts, &warnings);
    assert_int_equal(facts.count, 5);
    check_text("load", facts.items[0].value, "before unknown, after unknown");
    for (size_t i = 1; i < facts.count; i++)
        check_text(facts.items[i].key, facts.items[i].value, "unknown");
}

TEST(takes_odd_files_as_they_are)
{
    static const char cpuinfo[] = "/proc/cpuinfo";
    static const char online[] = "/sys/devices/system/cpu/online";
    static const char pages[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    static const char clocksource[] =
        "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    static const struct {
        struct file file;
        const char *key;
        const char *wanted;
    } rows[] = {
        { { cpuinfo, "" }, "cpu", "unknown" },
        { { cpuinfo, "model name\t:\n" }, "cpu", "unknown" },
        { { cpuinfo, "model names : x\n" }, "cpu", "unknown" },
        { { cpuinfo, "model name : a\001\t b\xc3\xa9\n" }, "cpu", "a? b\xc3\xa9" },
        { { cpuinfo, "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n" },
          "cpu",
          "implementer 0x41, part 0xd0c" },
        { { cpuinfo, "CPU part\t: 0xd0c\n" }, "cpu", "unknown" },
        { { cpuinfo, "Features : fp\n" }, "virtualisation", "unknown" },
        { { cpuinfo, "flags : fpu hypervisor\n" },
          "virtualisation",
          "yes, by an unnamed hypervisor" },
        { { cpuinfo, "flags : hypervisor2 fpu\n" }, "virtualisation", "none" },
        { { "/sys/hypervisor/type", "xen\n" }, "virtualisation", "xen" },
        { { "/proc/device-tree/hypervisor/compatible", "linux,kvm" },
          "virtualisation",
          "yes, by an unnamed hypervisor" },
        { { online, "0\n" }, "cores", "1" },
        { { online, "0,2-3\n" }, "cores", "3" },
        { { online, "3-0\n" }, "cores", "unknown" },
        { { online, "0-\n" }, "cores", "unknown" },
        { { online, "0;1\n" }, "cores", "unknown" },
        { { online, "all\n" }, "cores", "unknown" },
        { { "/sys/devices/system/cpu/smt/active", "2\n" }, "smt", "unknown" },
        { { "/sys/devices/system/cpu/cpufreq/boost", "0\n" }, "turbo", "off" },
        { { "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n" }, "turbo", "off" },
        { { pages, "always madvise never\n" }, "huge_pages", "unknown" },
        { { pages, "[always\n" }, "huge_pages", "unknown" },
        { { pages, "[]\n" }, "huge_pages", "unknown" },
        { { "/proc/meminfo", "MemTotal: 524288 kB\n" }, "memory", "512 MiB" },
        { { "/proc/meminfo", "MemTotal: much\n" }, "memory", "unknown" },
        { { clocksource, "\n\n  hpet  \n" }, "clocksource", "hpet" },
        { { "/proc/self/cgroup", "nonsense\n" }, "cpu_limit", "unknown" },
        { { "/proc/self/cgroup", "4:memory:/x\n" }, "cpu_limit", "unknown" },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct properties facts = { 0 };
        clear_root();
        plant(&rows[i].file);
        host_describe(root, &facts);
        check_property(rows[i].file.text, &facts, rows[i].key, rows[i].wanted);
    }
}

TEST(a_folder_is_no_file)
{
    static const struct file files[] = {
        { "/proc/cpuinfo/x", "" },
        { "/proc/loadavg/x", "" },
        { "/proc/self/mounts/x", "" },
        { "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor/x", "" },
        { NULL, NULL },
    };
    struct properties facts = { 0 };

    plant_all(files);
    host_describe(root, &facts);
    host_describe_path(root, "/proc", &facts);
    check_property("folder", &facts, "cpu", "unknown");
    check_property("folder", &facts, "governor", "none");
    check_property("folder", &facts, "file_system", "unknown");
}

TEST(names_the_hypervisor)
{
    static const struct file files[] = {
        { "/proc/cpuinfo", "flags : fpu hypervisor sse\n" },
        { "/sys/class/dmi/id/sys_vendor", "QEMU\n" },
        { "/sys/class/dmi/id/product_name", "Standard PC (Q35 + ICH9)\n" },
        { NULL, NULL },
    };
    struct properties facts = { 0 };

    plant_all(files);
    host_describe(root, &facts);
    check_property("both", &facts, "virtualisation", "QEMU Standard PC (Q35 + ICH9)");
}

static const struct {
    const char *row;
    struct file files[6];
    const char *wanted;
    uint64_t throttled;
} limits[] = {
    { "of the group above",
      { { "/proc/self/cgroup", "0::/a/b\n" },
        { "/sys/fs/cgroup/a/b/cpu.max", "400000 100000\n" },
        { "/sys/fs/cgroup/a/cpu.max", "150000 100000\n" },
        { "/sys/fs/cgroup/a/b/cpu.stat", "nr_throttled 3\n" },
        { "/sys/fs/cgroup/a/cpu.stat", "nr_periods 9\nnr_throttled 4\n" } },
      "1.50 cores",
      7 },
    { "of the group itself",
      { { "/proc/self/cgroup", "0::/a/b\n" },
        { "/sys/fs/cgroup/a/b/cpu.max", "50000 100000\n" },
        { "/sys/fs/cgroup/a/cpu.max", "max 100000\n" } },
      "0.50 cores",
      0 },
    { "in a container",
      { { "/proc/self/cgroup", "0::/\n" },
        { "/sys/fs/cgroup/cpu.max", "20000 10000\n" },
        { "/sys/fs/cgroup/cpu.stat", "nr_throttled 1\n" } },
      "2.00 cores",
      1 },
    { "a path outside the container",
      { { "/proc/self/cgroup", "0::/../../x\n" }, { "/sys/fs/cgroup/cpu.max", "30000 10000\n" } },
      "3.00 cores",
      0 },
    { "another one",
      { { "/proc/self/cgroup", "0::/docker/0123\n" },
        { "/sys/fs/cgroup/cpu.max", "30000 10000\n" } },
      "3.00 cores",
      0 },
    { "a period of 0",
      { { "/proc/self/cgroup", "0::/\n" }, { "/sys/fs/cgroup/cpu.max", "1 0\n" } },
      "none",
      0 },
};

TEST(finds_the_tightest_limit)
{
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        struct properties facts = { 0 };
        struct host_noise noise;
        plant_all(limits[i].files);
        host_describe(root, &facts);
        check_property(limits[i].row, &facts, "cpu_limit", limits[i].wanted);
        host_noise_sample(root, " mariadbd mysqld ", &noise);
        check_number(limits[i].row, noise.throttled, limits[i].throttled);
    }
}

/* A root on a partition, a home on btrfs, a disk with LVM, memory, a network
   share, and a mount that hides another one. */
static const struct file storage[] = {
    { "/proc/self/mounts",
      "/dev/sda2 / ext4 rw,relatime,errors=remount-ro,resuid=1000,data=ordered "
      "0 0\n"
      "/dev/nvme0n1p1 /home/alice btrfs rw,noatime,ssd,compress=zstd:3,"
      "discard=async,subvolid=5,subvol=/@alice 0 0\n"
      "/dev/mapper/alice-vg /var/lib/my\\040data xfs "
      "rw,nobarrier,logbufs=8,noquota 0 0\n"
      "tmpfs /dev/shm tmpfs rw,nosuid,size=1024k,uid=1000 0 0\n"
      "server.example:/export /net nfs4 "
      "rw,vers=4.2,wsize=1048576,addr=192.0.2.1,sync 0 0\n"
      "/dev/sda2 /hidden ext3 rw 0 0\n"
      "none /hidden ramfs ro 0 0\n"
      "nonsense\n\n" },
    { "/sys/devices/pci/sda/queue/write_cache", "write back\n" },
    { "/sys/devices/pci/sda/queue/rotational", "1\n" },
    { "/sys/devices/pci/sda/device/model", "ST2000DM   \n" },
    { "/sys/devices/pci/sda/sda2/partition", "2\n" },
    { "/sys/devices/pci/nvme0n1/queue/write_cache", "write through\n" },
    { "/sys/devices/pci/nvme0n1/queue/rotational", "0\n" },
    { "/sys/devices/pci/nvme0n1/nvme0n1p1/partition", "1\n" },
    { "/sys/devices/virtual/dm-0/queue/rotational", "odd\n" },
    { "/sys/class/block/sda2", "->../../devices/pci/sda/sda2" },
    { "/sys/class/block/dm-0", "->../../devices/virtual/dm-0" },
    { "/sys/class/block/nvme0n1p1", "->../../devices/pci/nvme0n1/nvme0n1p1" },
    { "/dev/nvme0n1p1", "" },
    { "/dev/sda2", "" },
    { "/dev/dm-0", "" },
    { "/dev/mapper/alice-vg", "->../dm-0" },
    { "/srv/dhcpd.leases", "" },
    { "/home/alice/x", "" },
    { "/home/alicia/x", "" },
    { "/var/lib/my data/x", "" },
    { "/dev/shm/x", "" },
    { "/net/x", "" },
    { "/hidden/x", "" },
    { "/link", "->net" },
    { NULL, NULL },
};

TEST(describes_what_is_below_a_path)
{
    static const struct {
        const char *path;
        const char *wanted[6];
    } rows[] = {
        { "/srv/dhcpd.leases",
          { "ext4", "/", "rw,relatime,errors=remount-ro,data=ordered", "sda2 on sda (ST2000DM)",
            "write back", "yes" } },
        { "/srv/not-there-yet",
          { "ext4", "/", "rw,relatime,errors=remount-ro,data=ordered", "sda2 on sda (ST2000DM)",
            "write back", "yes" } },
        { "/srv/no/such/folder",
          { "unknown", "unknown", "unknown", "unknown", "unknown", "unknown" } },
        { "/home/alice",
          { "btrfs", "/home/<name>", "rw,noatime,ssd,discard=async", "nvme0n1p1 on nvme0n1",
            "write through", "no" } },
        { "/home/alicia/x",
          { "ext4", "/", "rw,relatime,errors=remount-ro,data=ordered", "sda2 on sda (ST2000DM)",
            "write back", "yes" } },
        { "/var/lib/my data/x",
          { "xfs", "/var/lib/my data", "rw,nobarrier,logbufs=8,noquota", "dm-0", "unknown",
            "unknown" } },
        { "/dev/shm/x",
          { "tmpfs", "/dev/shm", "rw,nosuid,size=1024k", "none (memory)", "unknown", "unknown" } },
        { "/net/x",
          { "nfs4", "/net", "rw,vers=4.2,wsize=1048576,sync", "unknown", "unknown", "unknown" } },
        { "/link/x",
          { "nfs4", "/net", "rw,vers=4.2,wsize=1048576,sync", "unknown", "unknown", "unknown" } },
        { "/hidden/x", { "ramfs", "/hidden", "ro", "none (memory)", "unknown", "unknown" } },
    };
    static const char *const keys[6] = { "file_system", "mount_point", "mount_options",
                                         "device",      "write_cache", "rotational" };

    plant_all(storage);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct properties facts = { 0 };
        host_describe_path(root, rows[i].path, &facts);
        assert_int_equal(facts.count, 6);
        for (size_t j = 0; j < facts.count; j++) {
            check_text("key", facts.items[j].key, keys[j]);
            check_property(rows[i].path, &facts, keys[j], rows[i].wanted[j]);
        }
    }
    struct properties facts = { 0 };
    struct stat status;
    char name[64];
    assert_int_equal(stat(root, &status), 0);
    (void)snprintf(name, sizeof name, "/sys/dev/block/%u:%u", major(status.st_dev),
                   minor(status.st_dev));
    plant(&(struct file){ name, "->../../devices/pci/nvme0n1/nvme0n1p1" });
    host_describe_path(root, rows[0].path, &facts);
    check_property(name, &facts, "device", "nvme0n1p1 on nvme0n1");
}

TEST(samples_the_noise)
{
    static const struct file before_files[] = {
        { "/proc/stat", "cpu  10 20 30 40 50 60 70 80 90 100\ncpu0 1 1 1\n" },
        { "/proc/loadavg", "0.42 0.30 0.20 13/99 1234\n" },
        { "/proc/pressure/cpu", "some avg10=0.00 total=1000\n"
                                "full avg10=0.00 total=7\n" },
        { "/proc/pressure/io", "some avg10=0.00 total=5000\n" },
        { "/proc/self/cgroup", "0::/\n" },
        { "/sys/fs/cgroup/cpu.stat", "nr_throttled 5\n" },
        { "/sys/devices/system/cpu/online", "0-3\n" },
        { "/proc/17/stat", "17 (mysqld) S 1 17 17 0 -1 4 9 0 0 0 20 3 0 1 20 0\n" },
        { "/proc/17/comm", "mysqld\n" },
        { "/proc/18/comm", "mysqld) x\n" },
        { "/proc/19/comm", "sqld\n" },
        { "/proc/20/comm", "mysqld\n" },
        { "/proc/18/stat", "18 (mysqld) x) S 1 18 18 0 -1 4 9 0 0 0 9 9 9 9 20\n" },
        { "/proc/19/stat", "19 (sqld) S 1 19 19 0 -1 4 9 0 0 0 99 99 99 99 20\n" },
        { "/proc/20/stat", "20 (mysqld) S 1\n" },
        { "/proc/21/stat", "21\n" },
        { NULL, NULL },
    };
    struct host_noise noise;

    plant_all(before_files);
    const uint64_t now_ns = clock_now_ns();
    host_noise_sample(root, " mariadbd mysqld ", &noise);
    check("time", noise.at_ns >= now_ns && noise.at_ns <= clock_now_ns(), "now");
    check_number("steal", noise.steal_ticks, 80);
    check_number("total", noise.total_ticks, 360);
    check_number("busy", noise.busy_ticks, 60);
    check_number("run", noise.run_ticks, 24);
    check_number("cpu", noise.cpu_stalled_us, 1000);
    check_number("io", noise.io_stalled_us, 5000);
    check_number("throttled", noise.throttled, 5);
    check_number("cores", noise.cores, 4);
    check("load", noise.load > 0.419 && noise.load < 0.421, "0.42");
    check_number("running", noise.running, 12);

    static const struct file odd[] = {
        { "/proc/stat", "cpu 1 2 3 4\n" }, /* a kernel without steal */
        { "/proc/loadavg", "high\n" },
        { "/proc/pressure/cpu", "some avg10=0.00\n" },
        { "/proc/pressure/io", "some total=x\n" },
        { NULL, NULL },
    };
    plant_all(odd);
    host_noise_sample(root, " mariadbd mysqld ", &noise);
    check_number("steal", noise.steal_ticks, HOST_UNKNOWN);
    check_number("cpu", noise.cpu_stalled_us, HOST_UNKNOWN);
    check_number("io", noise.io_stalled_us, HOST_UNKNOWN);
    check_number("throttled", noise.throttled, HOST_UNKNOWN);
    check_number("cores", noise.cores, HOST_UNKNOWN);
    check("load", noise.load < 0, "unknown");
    check_number("running", noise.running, HOST_UNKNOWN);
}

/* On the machine that runs the tests, whatever it is. */
TEST(knows_this_machine)
{
    static const char *const known[] = { "cores", "kernel", "memory", "compiler", "cflags" };
    struct properties facts = { 0 };
    struct host_noise noise;
    char name[256] = "";

    host_describe("", &facts);
    host_describe_path("", "/tmp", &facts);
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        const char *const value = properties_find(&facts, known[i]);
        check(known[i], value != NULL && strcmp(value, "unknown") != 0, "known");
    }
    /* A short name may be part of a word. */
    assert_int_equal(gethostname(name, sizeof name - 1), 0);
    for (size_t i = 0; i < facts.count; i++)
        check(facts.items[i].key, strlen(name) < 6 || strstr(facts.items[i].value, name) == NULL,
              "without the name of the host");
    host_noise_sample("", NULL, &noise);
    check("cores", noise.cores >= 1 && noise.cores < 100000, "plausible");
    check("load", noise.load >= 0, "known");
    check("ticks", noise.total_ticks >= noise.steal_ticks, "plausible");
    check("run", noise.run_ticks != HOST_UNKNOWN, "known");
}

FIXTURE(make_root, remove_root);
