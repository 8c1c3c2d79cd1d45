/* SPDX-License-Identifier: ISC */
#include "load/crash/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "lease/generator.h"
#include "load/workers.h"
#include "store/backend.h"

_Static_assert(sizeof(struct ledger_header) <= LEDGER_HEADER_SIZE, "one page");
_Static_assert(sizeof(struct ledger_key) == LEDGER_KEY_SIZE, "one cache line");

#define AT(member) offsetof(struct ledger_header, member)
#define MEMBER(member) \
#member, AT(member), sizeof((struct ledger_header *)0)->member

/* What the numbers of a header may be. */
static const struct {
    const char *name;
    size_t offset;
    size_t size; /* 4 or 8 */
    uint64_t least;
    uint64_t most;
} numbers[] = {
    { MEMBER(keys), 1, GENERATOR_LEASES_MAX },
    { MEMBER(about.threads), 1, WORKERS_MAX },
    { MEMBER(about.batch), 1, UINT32_MAX },
    { MEMBER(about.subnets), 1, UINT32_MAX },
    { MEMBER(about.count), 0, GENERATOR_LEASES_MAX },
    { MEMBER(about.preload), 0, GENERATOR_LEASES_MAX },
    { MEMBER(about.profile), 0, LEASE_PROFILE_GUIDE },
    { MEMBER(about.family), 0, LEASE_FAMILY_V6 },
    { MEMBER(about.schema), 0, SCHEMA_KEA_STATS },
    { MEMBER(begun_ns), 0, INT64_MAX },
    { MEMBER(crashed_ns), 0, INT64_MAX },
    { MEMBER(started_ns), 0, INT64_MAX },
};

/* Its texts, which go to a terminal and into JSON. */
static const struct {
    const char *name;
    size_t offset;
    size_t size;
} texts[] = {
    { MEMBER(about.store) },      { MEMBER(about.version) },
    { MEMBER(about.started_at) }, { MEMBER(about.product) },
    { MEMBER(about.durability) }, { MEMBER(about.durability_why) },
};

static int fail(const char *path, int error, struct err *err)
{
    return err_set(err, "the ledger %s: %s", path, strerror(error));
}

static int map(struct ledger *ledger, const char *path, size_t size,
               struct err *err)
{
    void *const memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ledger->file, 0);

    if (memory == MAP_FAILED)
        return fail(path, errno, err);
    ledger->size = size;
    ledger->header = memory;
    ledger->keys = (struct ledger_key *)((char *)memory + LEDGER_HEADER_SIZE);
    return 0;
}

static int check_magic(int file, const char *path, struct err *err)
{
    char magic[sizeof LEDGER_MAGIC] = "";

    if (pread(file, magic, sizeof magic, 0) != sizeof magic ||
        memcmp(magic, LEDGER_MAGIC, sizeof magic) != 0)
        return err_set(err, "the ledger %s: is not a ledger of ubench", path);
    return 0;
}

/* Opens or makes a file that we may write over. */
static int make_file(struct ledger *ledger, const char *path,
                     const char *store_path, struct err *err)
{
    const int flags = O_RDWR | O_CLOEXEC;
    struct stat mine;
    struct stat store;

    ledger->file = open(path, flags | O_CREAT | O_EXCL, 0644);
    const bool made = ledger->file >= 0;
    if (!made && errno == EEXIST)
        ledger->file = open(path, flags);
    if (ledger->file < 0 || fstat(ledger->file, &mine) != 0)
        return fail(path, errno, err);
    if (!made && mine.st_size > 0 && check_magic(ledger->file, path, err) != 0)
        return -1;
    if (store_path[0] == '\0' || stat(store_path, &store) != 0 ||
        store.st_dev != mine.st_dev)
        return 0;
    if (made)
        (void)unlink(path);
    return err_set(err,
                   "the ledger %s: is on the file system of the store, whose "
                   "crash would take both; put it into /dev/shm",
                   path);
}

/* All pages are there before the load: none of it waits for one. */
static int fill(struct ledger *ledger, const char *path, size_t size,
                struct err *err)
{
    if (ftruncate(ledger->file, 0) != 0)
        return fail(path, errno, err);
    const int error = posix_fallocate(ledger->file, 0, (off_t)size);
    if (error != 0)
        return fail(path, error, err);
    return map(ledger, path, size, err);
}

/* What recording an operation costs, in picoseconds. */
static uint64_t measure(struct ledger *ledger, struct err *err)
{
    enum { ROUNDS = 20000 };
    struct ledger_client client;

    if (ledger_client_init(&client, ledger, 0, 1, err) != 0)
        return 0;
    const uint64_t begun_ns = clock_now_ns();
    for (uint64_t i = 0; i < ROUNDS; i++) {
        ledger_attempt(&client, i % ledger->header->keys, CHANGE_CREATE);
        ledger_acknowledge(&client);
    }
    const uint64_t took_ns = clock_now_ns() - begun_ns;
    ledger_client_release(&client);
    return took_ns * 1000 / ROUNDS;
}

int ledger_create(struct ledger *ledger, const char *path,
                  const char *store_path, const struct ledger_about *about,
                  uint64_t keys, struct err *err)
{
    const size_t size = LEDGER_HEADER_SIZE + keys * LEDGER_KEY_SIZE;

    *ledger = (struct ledger){ .file = -1, .path = path };
    if (make_file(ledger, path, store_path, err) != 0 ||
        fill(ledger, path, size, err) != 0) {
        ledger_close(ledger);
        return -1;
    }
    ledger->header->keys = keys;
    ledger->header->cost_ps = measure(ledger, err);
    memset(ledger->keys, 0, size - LEDGER_HEADER_SIZE);
    ledger->header->about = *about;
    /* What was cut off in the middle of a character. */
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        text_clean((char *)ledger->header + texts[i].offset);
    memcpy(ledger->header->magic, LEDGER_MAGIC, sizeof LEDGER_MAGIC);
    return 0;
}

/* Opening one that is there */

static int check_number(const struct ledger *ledger, size_t i, struct err *err)
{
    const char *const at = (const char *)ledger->header + numbers[i].offset;
    uint32_t half;
    uint64_t value;

    memcpy(&half, at, sizeof half);
    memcpy(&value, at, sizeof value);
    if (numbers[i].size == sizeof half)
        value = half;
    if (value >= numbers[i].least && value <= numbers[i].most)
        return 0;
    return err_set(err,
                   "the ledger %s: byte %zu: %s is %" PRIu64 ", not in %" PRIu64
                   "..%" PRIu64,
                   ledger->path, numbers[i].offset, numbers[i].name, value,
                   numbers[i].least, numbers[i].most);
}

static int check_text(const struct ledger *ledger, size_t i, struct err *err)
{
    const char *const at = (const char *)ledger->header + texts[i].offset;
    char cleaned[sizeof ledger->header->about.durability_why];

    if (memchr(at, '\0', texts[i].size) == NULL)
        return err_set(
            err, "the ledger %s: byte %zu: %s has no end in %zu bytes",
            ledger->path, texts[i].offset, texts[i].name, texts[i].size);
    (void)stpcpy(cleaned, at);
    text_clean(cleaned);
    return strcmp(cleaned, at) == 0
               ? 0
               : err_set(err,
                         "the ledger %s: byte %zu: %s is '%s', where ? is no "
                         "printable character",
                         ledger->path, texts[i].offset, texts[i].name, cleaned);
}

static int check_header(const struct ledger *ledger, struct err *err)
{
    const struct ledger_header *const header = ledger->header;
    const uint64_t crashed_ns = atomic_load(&header->crashed_ns);

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (check_number(ledger, i, err) != 0)
            return -1;
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (check_text(ledger, i, err) != 0)
            return -1;
    }
    if (!isfinite(header->about.pace_per_s) || header->about.pace_per_s < 0)
        return err_set(err,
                       "the ledger %s: byte %zu: about.pace_per_s is %g, not "
                       "from 0 on",
                       ledger->path, AT(about.pace_per_s),
                       header->about.pace_per_s);
    if (crashed_ns != 0 && crashed_ns < atomic_load(&header->begun_ns))
        return err_set(err,
                       "the ledger %s: byte %zu: crashed_ns is %" PRIu64
                       ", before the load began",
                       ledger->path, AT(crashed_ns), crashed_ns);
    return 0;
}

/* A file that changes in size while it is mapped ends the process. */
static int check_size(const struct ledger *ledger, struct err *err)
{
    const uint64_t keys = ledger->header->keys;
    const size_t wanted = LEDGER_HEADER_SIZE + keys * LEDGER_KEY_SIZE;

    return ledger->size == wanted
               ? 0
               : err_set(err,
                         "the ledger %s: is cut short: %" PRIu64
                         " leases take %zu bytes, and it has %zu",
                         ledger->path, keys, wanted, ledger->size);
}

static int open_and_check(struct ledger *ledger, struct err *err)
{
    struct stat status;

    if (ledger->file < 0 || fstat(ledger->file, &status) != 0)
        return fail(ledger->path, errno, err);
    if (check_magic(ledger->file, ledger->path, err) != 0)
        return -1;
    if (!S_ISREG(status.st_mode) || status.st_size < LEDGER_HEADER_SIZE)
        return err_set(err, "the ledger %s: is cut short: it has no header",
                       ledger->path);
    if (map(ledger, ledger->path, (size_t)status.st_size, err) != 0)
        return -1;
    return check_header(ledger, err) == 0 && check_size(ledger, err) == 0 ? 0
                                                                          : -1;
}

int ledger_open(struct ledger *ledger, const char *path, struct err *err)
{
    *ledger =
        (struct ledger){ .file = open(path, O_RDWR | O_CLOEXEC), .path = path };
    if (open_and_check(ledger, err) == 0)
        return 0;
    ledger_close(ledger);
    return -1;
}

void ledger_close(struct ledger *ledger)
{
    if (ledger->header != NULL)
        (void)munmap(ledger->header, ledger->size);
    if (ledger->file > 0)
        (void)close(ledger->file);
    *ledger = (struct ledger){ .file = -1 };
}

int ledger_client_init(struct ledger_client *client, struct ledger *ledger,
                       uint16_t number, size_t room, struct err *err)
{
    *client = (struct ledger_client){
        .ledger = ledger,
        .number = number,
        .room = room,
        .waiting = err_calloc(room, sizeof *client->waiting, err),
    };
    return client->waiting != NULL ? 0 : -1;
}

void ledger_client_release(struct ledger_client *client)
{
    free(client->waiting);
    *client = (struct ledger_client){ .ledger = NULL };
}
