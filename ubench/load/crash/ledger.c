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
#include "core/workers.h"
#include "lease/generator.h"
#include "store/backend.h"

_Static_assert(sizeof(struct ledger_header) <= LEDGER_HEADER_SIZE, "one page");
_Static_assert(sizeof(struct ledger_key) == LEDGER_KEY_SIZE, "one cache line");

#define MEMBER(member)                                             \
    .name = #member, .at = offsetof(struct ledger_header, member), \
    .size = sizeof((struct ledger_header *)0)->member

/* The fields of a header: numbers of 4 or 8 bytes, with the range of their values; and texts
   (most is 0), which are printed on terminals and written as JSON. */
static const struct field {
    const char *name;
    size_t at;
    size_t size;
    uint64_t least;
    uint64_t most;
} fields[] = {
    { MEMBER(keys), .least = 1, .most = GENERATOR_LEASES_MAX },
    { MEMBER(about.threads), .least = 1, .most = WORKERS_MAX },
    { MEMBER(about.batch), .least = 1, .most = UINT32_MAX },
    { MEMBER(about.subnets), .least = 1, .most = UINT32_MAX },
    { MEMBER(about.count), .most = GENERATOR_LEASES_MAX },
    { MEMBER(about.preload), .most = GENERATOR_LEASES_MAX },
    { MEMBER(about.profile), .most = LEASE_PROFILE_GUIDE },
    { MEMBER(about.family), .most = LEASE_FAMILY_V6 },
    { MEMBER(about.schema), .most = SCHEMA_KEA_STATS },
    { MEMBER(begun_ns), .most = INT64_MAX },
    { MEMBER(crashed_ns), .most = INT64_MAX },
    { MEMBER(started_ns), .most = INT64_MAX },
    { MEMBER(about.store) },
    { MEMBER(about.version) },
    { MEMBER(about.started_at) },
    { MEMBER(about.product) },
    { MEMBER(about.durability) },
    { MEMBER(about.durability_from) },
    { MEMBER(about.promise.kill), .most = LOSS_UNBOUNDED },
    { MEMBER(about.promise.power), .most = LOSS_UNBOUNDED },
    { MEMBER(about.promise.setting_count), .most = PROMISE_SETTINGS_MAX },
    { MEMBER(about.promise.reason_count), .most = PROMISE_REASONS_MAX },
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

static int fail(const struct ledger *ledger, int error, struct err *err)
{
    return err_set(err, "the ledger %s: %s", ledger->path, strerror(error));
}

static int map(struct ledger *ledger, size_t size, struct err *err)
{
    void *const memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ledger->file, 0);

    if (memory == MAP_FAILED)
        return fail(ledger, errno, err);
    ledger->size = size;
    ledger->header = memory;
    ledger->keys = (struct ledger_key *)((char *)memory + LEDGER_HEADER_SIZE);
    return 0;
}

static int check_magic(const struct ledger *ledger, struct err *err)
{
    char magic[sizeof LEDGER_MAGIC] = "";

    if (pread(ledger->file, magic, sizeof magic, 0) != sizeof magic ||
        memcmp(magic, LEDGER_MAGIC, sizeof magic) != 0)
        return err_set(err, "'%s' is not a ledger of ubench", ledger->path);
    return 0;
}

/* Opens the file, which is empty or a ledger, or creates it. */
static int make_file(struct ledger *ledger, const char *store_path, struct err *err)
{
    const char *const path = ledger->path;
    const int flags = O_RDWR | O_CLOEXEC;
    struct stat mine;
    struct stat store;

    ledger->file = open(path, flags | O_CREAT | O_EXCL, 0644);
    const bool made = ledger->file >= 0;
    if (!made && errno == EEXIST)
        ledger->file = open(path, flags);
    if (ledger->file < 0 || fstat(ledger->file, &mine) != 0)
        return fail(ledger, errno, err);
    if (!made && mine.st_size > 0 && check_magic(ledger, err) != 0)
        return -1;
    if (store_path[0] == '\0' || stat(store_path, &store) != 0 || store.st_dev != mine.st_dev)
        return 0;
    if (made)
        (void)unlink(path);
    return err_set(err,
                   "the ledger '%s' is on the store's file system, so a crash could lose both; put "
                   "it in /dev/shm",
                   path);
}

/* Allocates all pages before the load, so that it waits for none. */
static int fill(struct ledger *ledger, size_t size, struct err *err)
{
    const int error =
        ftruncate(ledger->file, 0) != 0 ? errno : posix_fallocate(ledger->file, 0, (off_t)size);

    return error != 0 ? fail(ledger, error, err) : map(ledger, size, err);
}

int ledger_create(struct ledger *ledger, const char *path, const char *store_path,
                  const struct ledger_about *about, uint64_t keys, struct err *err)
{
    const size_t size = LEDGER_HEADER_SIZE + keys * LEDGER_KEY_SIZE;

    *ledger = (struct ledger){ .file = -1, .path = path };
    if (make_file(ledger, store_path, err) != 0 || fill(ledger, size, err) != 0) {
        ledger_close(ledger);
        return -1;
    }
    ledger->header->keys = keys;
    memset(ledger->keys, 0, size - LEDGER_HEADER_SIZE); /* maps each page */
    ledger->header->about = *about;
    /* Truncation may have split a character. */
    for (size_t i = 0; i < FIELDS; i++) {
        if (fields[i].most == 0)
            text_clean((char *)ledger->header + fields[i].at);
    }
    memcpy(ledger->header->magic, LEDGER_MAGIC, sizeof LEDGER_MAGIC);
    return 0;
}

/* Opening an existing ledger */

/* Checks a field.  Returns 0, or -1 with the part of a message that follows the field's name in
   err. */
static int check_field(const struct field *field, const char *at, struct err *err)
{
    char cleaned[sizeof((struct ledger_about *)0)->durability_from];
    const bool is_text = field->most == 0;
    uint32_t half;
    uint64_t value;

    if (is_text && memchr(at, '\0', field->size) == NULL)
        return err_set(err, "does not end within %zu bytes", field->size);
    if (is_text) {
        text_clean(strcpy(cleaned, at));
        return strcmp(cleaned, at) == 0
                   ? 0
                   : err_set(err, "is '%s', where ? stands for a character that cannot be printed",
                             cleaned);
    }
    memcpy(&half, at, sizeof half);
    memcpy(&value, at, sizeof value);
    if (field->size == sizeof half)
        value = half;
    return value >= field->least && value <= field->most
               ? 0
               : err_set(err, "is %" PRIu64 "; expected %" PRIu64 "..%" PRIu64, value, field->least,
                         field->most);
}

/* Checks the texts and times of the promise, whose counts have been checked. */
static int check_promise(const struct ledger *ledger, struct err *err)
{
    const struct ledger_promise *const promise = &ledger->header->about.promise;
    const double windows_s[] = { promise->kill_window_s, promise->power_window_s };
    struct err why;
    int status = 0;

    for (size_t i = 0; i < promise->setting_count && status == 0; i++) {
        static const struct field name = { .size = sizeof promise->settings[0].name };
        static const struct field value = { .size = sizeof promise->settings[0].value };

        status = check_field(&name, promise->settings[i].name, &why) == 0
                     ? check_field(&value, promise->settings[i].value, &why)
                     : -1;
    }
    for (size_t i = 0; i < promise->reason_count && status == 0; i++) {
        static const struct field reason = { .size = sizeof promise->reasons[0] };

        status = check_field(&reason, promise->reasons[i], &why);
    }
    if (status != 0)
        return err_set(err, "the ledger %s: a setting or reason of about.promise %.512s",
                       ledger->path, why.text);
    for (size_t i = 0; i < 2; i++) {
        if (!isfinite(windows_s[i]) || windows_s[i] < 0)
            return err_set(err,
                           "the ledger %s: a window of about.promise is %g; expected 0 or more",
                           ledger->path, windows_s[i]);
    }
    return 0;
}

static int check_header(const struct ledger *ledger, struct err *err)
{
    const struct ledger_header *const header = ledger->header;
    const double pace_per_s = header->about.pace_per_s;
    const uint64_t crashed_ns = atomic_load(&header->crashed_ns);
    struct err why;

    for (size_t i = 0; i < FIELDS; i++) {
        const struct field *const field = &fields[i];

        if (check_field(field, (const char *)header + field->at, &why) != 0)
            return err_set(err, "the ledger %s: byte %zu: %s %.512s", ledger->path, field->at,
                           field->name, why.text);
    }
    if (!isfinite(pace_per_s) || pace_per_s < 0)
        return err_set(err, "the ledger %s: byte %zu: about.pace_per_s is %g; expected 0 or more",
                       ledger->path, offsetof(struct ledger_header, about.pace_per_s), pace_per_s);
    if (check_promise(ledger, err) != 0)
        return -1;
    if (crashed_ns != 0 && crashed_ns < atomic_load(&header->begun_ns))
        return err_set(err,
                       "the ledger %s: byte %zu: crashed_ns is %" PRIu64 ", before the load began",
                       ledger->path, offsetof(struct ledger_header, crashed_ns), crashed_ns);
    return 0;
}

static int open_and_check(struct ledger *ledger, struct err *err)
{
    struct stat status;

    if (ledger->file < 0 || fstat(ledger->file, &status) != 0)
        return fail(ledger, errno, err);
    if (check_magic(ledger, err) != 0)
        return -1;
    if (!S_ISREG(status.st_mode) || status.st_size < LEDGER_HEADER_SIZE)
        return err_set(err, "the ledger %s: truncated: it has no header", ledger->path);
    if (map(ledger, (size_t)status.st_size, err) != 0 || check_header(ledger, err) != 0)
        return -1;
    const uint64_t keys = ledger->header->keys;
    const size_t wanted = LEDGER_HEADER_SIZE + keys * LEDGER_KEY_SIZE;
    return ledger->size == wanted ? 0
                                  : err_set(err,
                                            "the ledger %s: truncated: %" PRIu64
                                            " leases need %zu bytes, but it has %zu",
                                            ledger->path, keys, wanted, ledger->size);
}

int ledger_open(struct ledger *ledger, const char *path, struct err *err)
{
    *ledger = (struct ledger){ .file = open(path, O_RDWR | O_CLOEXEC), .path = path };
    if (open_and_check(ledger, err) == 0)
        return 0;
    ledger_close(ledger);
    return -1;
}

void ledger_put_promise(struct ledger_promise *to, const struct promise *from)
{
    *to = (struct ledger_promise){
        .kill = from->kill.kind,
        .power = from->power.kind,
        .kill_window_s = from->kill.window_s,
        .power_window_s = from->power.window_s,
        .setting_count = (uint32_t)from->setting_count,
        .reason_count = (uint32_t)from->reason_count,
    };
    for (size_t i = 0; i < from->setting_count; i++) {
        (void)strcpy(to->settings[i].name, from->settings[i].name);
        (void)strcpy(to->settings[i].value, from->settings[i].value);
    }
    for (size_t i = 0; i < from->reason_count; i++)
        (void)strcpy(to->reasons[i], from->reasons[i].code);
}

void ledger_get_promise(struct promise *to, const struct ledger_promise *from)
{
    *to = (struct promise){
        .kill = { (enum loss_kind)from->kill, from->kill_window_s },
        .power = { (enum loss_kind)from->power, from->power_window_s },
        .reason_count = from->reason_count,
    };
    for (size_t i = 0; i < from->setting_count; i++)
        (void)promise_set(to, from->settings[i].name, from->settings[i].value, NULL);
    for (size_t i = 0; i < from->reason_count; i++)
        (void)strcpy(to->reasons[i].code, from->reasons[i]);
}

void ledger_close(struct ledger *ledger)
{
    if (ledger->header != NULL)
        (void)munmap(ledger->header, ledger->size);
    if (ledger->file > 0)
        (void)close(ledger->file);
    *ledger = (struct ledger){ .file = -1 };
}

int ledger_client_init(struct ledger_client *client, struct ledger *ledger, uint16_t number,
                       size_t capacity, struct err *err)
{
    *client = (struct ledger_client){
        .ledger = ledger,
        .number = number,
        .waiting = err_calloc(capacity, sizeof *client->waiting, err),
    };
    return client->waiting != NULL ? 0 : -1;
}

void ledger_client_release(struct ledger_client *client)
{
    free(client->waiting);
    *client = (struct ledger_client){ .ledger = NULL };
}
