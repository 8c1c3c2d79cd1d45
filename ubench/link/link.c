/* SPDX-License-Identifier: ISC */
/*
 * ubench_link is the network of scripts/servers --delay.  Each node has a
 * network namespace, which this process makes and holds, with a TUN device in
 * it; one more device is where it was started, for the clients.  A packet is
 * written to the device of its destination after the delay, or never.  However
 * this process ends, its devices end with it, and a namespace does with its
 * last process.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/sched.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/opt.h"
#include "core/random.h"

enum {
    NODES_MAX = 10,
    CLIENT = 254,         /* its address ends with that, a node's with its number */
    NAMESPACE_FILE = 100, /* /proc/PID/fd/101 is the namespace of node 1 */
    IP_HEADER = 20,
    PACKET_MAX = 1500, /* the MTU that a device begins with */
    QUEUE_MAX = 8192,
    TAKEN_AT_ONCE = 64,
};

struct link_config {
    const char *network;
    uint64_t nodes;
    uint64_t delay_ns;
    double loss;
    bool help;
};

#define CONFIG struct link_config
static const struct opt options[] = {
    { OPT_COUNT(CONFIG, nodes), .name = "nodes", .arg = "N", .fallback = "1", .min = 1,
      .max = NODES_MAX, .help = "number of namespaces" },
    { OPT_TEXT(CONFIG, network), .name = "network", .arg = "A.B.C", .fallback = "198.18.0",
      .help = "nodes get A.B.C.1 and so on, clients .254" },
    { OPT_DURATION(CONFIG, delay_ns), .name = "delay", .arg = "TIME", .fallback = "0",
      .max = 10 * NS_PER_S, .help = "delay of each packet; a round trip takes two" },
    { OPT_SHARE(CONFIG, loss), .name = "loss", .arg = "SHARE", .fallback = "0",
      .help = "share of packets to drop" },
    { OPT_FLAG(CONFIG, help), .letter = 'h', .name = "help", .help = "print this and exit" },
    { .kind = OPT_KIND_END },
};

struct packet {
    uint64_t due_ns;
    size_t size;
    unsigned char bytes[PACKET_MAX];
};

/* All packets are delayed alike: the first to come is the first to go. */
struct link {
    const struct link_config *config;
    struct pollfd files[NODES_MAX + 2]; /* of clients, of nodes, the timer */
    uint64_t packets;                   /* that came */
    uint64_t first, last;               /* positions in the queue, modulo its size */
    struct packet queue[QUEUE_MAX];
};

/* Puts what a device has into the queue.  What does not fit in is lost. */
static void take(struct link *link, int device)
{
    for (int i = 0; i < TAKEN_AT_ONCE; i++) {
        struct packet *const packet = &link->queue[link->last % QUEUE_MAX];
        const ssize_t size = read(device, packet->bytes, PACKET_MAX);

        if (size < 0)
            return;
        if (size < IP_HEADER || packet->bytes[0] >> 4 != 4)
            continue; /* the kernel's own */
        const uint64_t drawn = random_at(1, link->packets++);
        if ((double)(drawn >> 11) * 0x1p-53 < link->config->loss ||
            link->last - link->first == QUEUE_MAX - 1)
            continue;
        packet->due_ns = clock_now_ns() + link->config->delay_ns;
        packet->size = (size_t)size;
        link->last++;
    }
}

/* Writes the packets that are due.  A device that is down takes none. */
static void deliver(struct link *link)
{
    const uint64_t now_ns = clock_now_ns();

    for (; link->first != link->last; link->first++) {
        const struct packet *const packet = &link->queue[link->first % QUEUE_MAX];
        const unsigned number = packet->bytes[IP_HEADER - 1];
        const unsigned to = number == CLIENT ? 0 : number;

        if (packet->due_ns > now_ns)
            return;
        if (to > link->config->nodes || write(link->files[to].fd, packet->bytes, packet->size) < 0)
            continue;
    }
}

/* For the first packet; without one it does not expire. */
static void set_timer(const struct link *link, int timer)
{
    struct itimerspec when = { .it_value = { 0 } };

    if (link->first != link->last) {
        const uint64_t due_ns = link->queue[link->first % QUEUE_MAX].due_ns;

        when.it_value.tv_sec = (time_t)(due_ns / NS_PER_S);
        when.it_value.tv_nsec = (long)(due_ns % NS_PER_S);
    }
    (void)timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
}

/* Does not end but with an error.  Returns -1 with err. */
static int run(struct link *link, struct err *err)
{
    const nfds_t devices = (nfds_t)link->config->nodes + 1;

    link->files[devices].fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    for (nfds_t i = 0; i <= devices; i++)
        link->files[i].events = POLLIN;
    while (poll(link->files, devices + 1, -1) >= 0 || errno == EINTR) {
        for (nfds_t i = 0; i < devices; i++) {
            if (link->files[i].revents != 0)
                take(link, link->files[i].fd);
        }
        deliver(link);
        set_timer(link, link->files[devices].fd);
    }
    return err_set(err, "poll: %s", strerror(errno));
}

/* Adds device i, that of a node in a namespace of its own, in which this
   process then is.  Returns 0, or -1 with err. */
static int add_device(struct link *link, unsigned i, struct err *err)
{
    struct ifreq request = { .ifr_name = "ubench%d", .ifr_flags = IFF_TUN | IFF_NO_PI };
    char command[256];

    if (i > 0 && syscall(SYS_unshare, CLONE_NEWNET) != 0)
        return err_set(err, "cannot make a network namespace: %s", strerror(errno));
    link->files[i].fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (link->files[i].fd < 0 || ioctl(link->files[i].fd, TUNSETIFF, &request) != 0)
        return err_set(err, "/dev/net/tun: %s", strerror(errno));
    (void)snprintf(command, sizeof command,
                   "ip link set lo up && ip addr add '%s.%u/24' dev %s && "
                   "ip link set %s up",
                   link->config->network, i > 0 ? i : CLIENT, request.ifr_name, request.ifr_name);
    if (system(command) != 0)
        return err_set(err, "%s: failed", command);
    /* Last: by that scripts/servers knows that the node's network is there. */
    if (i > 0 && dup2(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), NAMESPACE_FILE + (int)i) < 0)
        return err_set(err, "/proc/self/ns/net: %s", strerror(errno));
    return 0;
}

static int open_and_run(const struct link_config *config, struct err *err)
{
    struct link *const link = err_calloc(1, sizeof *link, err);
    int status = 0;

    if (link == NULL)
        return -1;
    link->config = config;
    for (unsigned i = 0; status == 0 && i <= config->nodes; i++)
        status = add_device(link, i, err);
    if (status == 0)
        status = run(link, err);
    free(link);
    return status;
}

int main(int argc, char **argv)
{
    struct link_config config = { .nodes = 0 };
    struct err err = { 0 };

    if (opt_parse(options, &config, argc, argv, NULL, &err) == 0) {
        if (config.help) {
            (void)printf("Usage: ubench_link [OPTION]...\n"
                         "Delays and loses packets between network "
                         "namespaces, for scripts/servers.\n");
            opt_print_help(options, true, stdout);
            return 0;
        }
        (void)open_and_run(&config, &err);
    }
    (void)fprintf(stderr, "ubench_link: %s\n", err.text);
    return err.kind == ERR_USAGE ? 2 : 1;
}
