/* SPDX-License-Identifier: ISC */
/*
 * json_get FILE [PATH]...: fails unless each line of FILE is one JSON object.
 * Prints how many there are, or of the last one the values at the paths
 * ("phases.2.incomplete"), one per line.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parses every line and returns the last; NULL after a complaint. */
static json_t *read_last(FILE *file, const char *path, size_t *count)
{
    json_t *last = NULL;
    char *line = NULL;
    size_t size = 0;
    ssize_t length;

    while ((length = getline(&line, &size, file)) > 0) {
        json_error_t error;

        json_decref(last);
        last = line[length - 1] == '\n'
                   ? json_loadb(line, (size_t)length, 0, &error)
                   : NULL;
        if (!json_is_object(last)) {
            (void)fprintf(stderr, "json_get: %s: line %zu is no JSON object\n",
                          path, *count + 1);
            json_decref(last);
            last = NULL;
            break;
        }
        ++*count;
    }
    free(line);
    return last;
}

static const json_t *at_path(const json_t *value, char *path)
{
    char *rest = NULL;

    for (const char *key = strtok_r(path, ".", &rest); key != NULL;
         key = strtok_r(NULL, ".", &rest))
        value = json_is_array(value)
                    ? json_array_get(value, (size_t)strtoul(key, NULL, 10))
                    : json_object_get(value, key);
    return value;
}

static int print_value(const json_t *value, const char *path)
{
    if (value == NULL) {
        (void)fprintf(stderr, "json_get: nothing is at %s\n", path);
        return -1;
    }
    if (json_is_string(value)) {
        (void)puts(json_string_value(value));
        return 0;
    }
    char *const text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    if (text == NULL)
        return -1;
    (void)puts(text);
    free(text);
    return 0;
}

int main(int argc, char **argv)
{
    FILE *const file = argc > 1 ? fopen(argv[1], "r") : NULL;
    size_t count = 0;
    int status = EXIT_SUCCESS;

    if (file == NULL) {
        (void)fprintf(stderr, "json_get: no file %s\n",
                      argc > 1 ? argv[1] : "was named");
        return EXIT_FAILURE;
    }
    json_t *const last = read_last(file, argv[1], &count);
    (void)fclose(file);
    if (last == NULL)
        return EXIT_FAILURE;
    if (argc == 2)
        (void)printf("%zu\n", count);
    for (int i = 2; i < argc; i++) {
        char *const path = strdup(argv[i]);

        if (path == NULL || print_value(at_path(last, path), argv[i]) != 0)
            status = EXIT_FAILURE;
        free(path);
    }
    json_decref(last);
    return status;
}
