/* SPDX-License-Identifier: ISC */
#include "report/result.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clock.h"

static const char format_name[] = "ubench-result/1";

static json_t *facts_json(const struct facts *facts)
{
    json_t *const object = json_object();

    for (size_t i = 0; i < facts->count; i++)
        (void)json_object_set_new(object, facts->items[i].key,
                                  json_string(facts->items[i].value));
    return object;
}

static json_t *phase_json(const struct result *result, int i)
{
    const struct phase_result *const phase = &result->phases.phases[i];
    const uint64_t zero_ns = result->phases.phases[PHASE_CREATE].begun_ns;
    const bool complete = phase->done == result->config.count;

    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:b}", "name", phase->name,
                     "operations", (json_int_t)phase->done, "hits",
                     (json_int_t)phase->hits, "misses",
                     (json_int_t)phase->misses, "elapsed_ns",
                     (json_int_t)phase_elapsed_ns(phase), "begun_s",
                     phase->done == 0 ? 0.0
                                      : (double)(phase->begun_ns - zero_ns) /
                                            (double)NS_PER_S,
                     "incomplete", !complete);
}

static json_t *result_json(const struct result *result)
{
    char digest[17];
    json_t *const phases = json_array();

    (void)snprintf(digest, sizeof digest, "%016" PRIx64, result->phases.digest);
    for (int i = 0; i < PHASE_COUNT; i++)
        (void)json_array_append_new(phases, phase_json(result, i));
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:b, s:s, s:{s:s, s:s}, s:o, s:o, s:o, "
        "s:b, s:I, s:s}",
        "format", format_name, "program", result->program, "version",
        result->version, "store", result->store, "started_at",
        result->started_at, "incomplete", result->end != PHASES_DONE, "error",
        result->error, "durability", "class",
        durability_name(result->durability), "from", result->durability_why,
        "parameters", facts_json(&result->parameters), "facts",
        facts_json(&result->facts), "phases", phases, "verified",
        result->phases.verified, "leases_left", (json_int_t)result->phases.left,
        "digest", digest);
}

static int open_output(const char *path, struct err *err)
{
    const int file =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

    if (file < 0)
        (void)err_set(err, "--output: %s: %s", path, strerror(errno));
    return file;
}

static int write_line(int file, const char *path, const char *line,
                      size_t length, struct err *err)
{
    /* O_APPEND makes one write of a line atomic among its writers. */
    const ssize_t written = write(file, line, length);

    if (written < 0)
        return err_set(err, "--output: %s: %s", path, strerror(errno));
    if ((size_t)written != length)
        return err_set(err, "--output: %s: %zd of %zu bytes were written", path,
                       written, length);
    return 0;
}

int result_append(const struct result *result, const char *path,
                  struct err *err)
{
    json_t *const json = result_json(result);
    char *const text = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;
    const int file = text != NULL ? open_output(path, err) : -1;
    int status = -1;

    if (text == NULL) {
        (void)err_set(err, "--output: %s: the result is not valid UTF-8", path);
    } else if (file >= 0) {
        const size_t length = strlen(text);

        text[length] = '\n'; /* in the place of the NUL */
        status = write_line(file, path, text, length + 1, err);
    }
    if (file >= 0 && close(file) != 0 && status == 0)
        status = err_set(err, "--output: %s: %s", path, strerror(errno));
    free(text);
    json_decref(json);
    return status;
}

int result_check_path(const char *path, struct err *err)
{
    struct stat status;
    const bool existed = stat(path, &status) == 0;
    const int file = open_output(path, err);

    if (file < 0)
        return -1;
    (void)close(file);
    if (!existed)
        (void)unlink(path); /* nothing is left if the run never comes to it */
    return 0;
}
