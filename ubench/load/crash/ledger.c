/* SPDX-License-Identifier: ISC */
#include "load/crash/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(struct ledger_header) <= LEDGER_HEADER_SIZE, "one page");
_Static_assert(sizeof(struct ledger_key) == LEDGER_KEY_SIZE, "one cache line");

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
        ledger_attempt(&client, i % ledger->header->keys, LEDGER_CREATE);
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

    *ledger = (struct ledger){ .file = -1 };
    if (make_file(ledger, path, store_path, err) != 0 ||
        fill(ledger, path, size, err) != 0) {
        ledger_close(ledger);
        return -1;
    }
    ledger->header->keys = keys;
    ledger->header->cost_ps = measure(ledger, err);
    memset(ledger->keys, 0, size - LEDGER_HEADER_SIZE);
    ledger->header->about = *about;
    memcpy(ledger->header->magic, LEDGER_MAGIC, sizeof LEDGER_MAGIC);
    return 0;
}

int ledger_open(struct ledger *ledger, const char *path, struct err *err)
{
    struct stat status;

    *ledger = (struct ledger){ .file = open(path, O_RDWR | O_CLOEXEC) };
    if (ledger->file < 0 || fstat(ledger->file, &status) != 0) {
        (void)fail(path, errno, err);
    } else if (check_magic(ledger->file, path, err) == 0 &&
               map(ledger, path, (size_t)status.st_size, err) == 0) {
        if (ledger->size >= LEDGER_HEADER_SIZE &&
            (ledger->size - LEDGER_HEADER_SIZE) / LEDGER_KEY_SIZE ==
                ledger->header->keys)
            return 0;
        (void)err_set(err, "the ledger %s: is cut short", path);
    }
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
        .waiting = calloc(room, sizeof *client->waiting),
    };
    return client->waiting != NULL ? 0 : err_set(err, "out of memory");
}

void ledger_client_release(struct ledger_client *client)
{
    free(client->waiting);
    *client = (struct ledger_client){ .ledger = NULL };
}
