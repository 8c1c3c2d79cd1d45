/* SPDX-License-Identifier: ISC */
/*
 * Reads the rows of Kea's lease files (src/lib/dhcpsrv/csv_lease_file4.cc and 6.cc) and of
 * kea-admin lease-dump.  Finds columns by name, since their number depends on Kea's version.
 * Dumps of old versions print times as dates and states as names.
 */
#include <stdlib.h>
#include <string.h>

#include "demand/record.h"

enum { FIELDS_MAX = 64 };

static const char *const column_names[KEA_COLUMNS] = {
    [KEA_ADDRESS] = "address",  [KEA_VALID] = "valid_lifetime", [KEA_EXPIRE] = "expire",
    [KEA_SUBNET] = "subnet_id", [KEA_HWADDR] = "hwaddr",        [KEA_CLIENT_ID] = "client_id",
    [KEA_STATE] = "state",
};

/* The last column that all versions of Kea have. */
static const char last_of_all[] = "hostname";

/* Returns the first field of *text as a string, and moves *text past it. */
static char *next_field(char **text)
{
    char *const field = *text;

    if (field != NULL) {
        *text = strchr(field, ',');
        if (*text != NULL)
            *(*text)++ = '\0';
    }
    return field;
}

bool kea_header(struct record_reader *reader, const char *line)
{
    char copy[1024];
    char *rest = copy;
    const char *name;
    int count = 0;

    reader->columns_least = 0;
    if (strlen(line) >= sizeof copy)
        return false;
    memcpy(copy, line, strlen(line) + 1);
    for (int i = 0; i < KEA_COLUMNS; i++)
        reader->columns[i] = -1;
    reader->family = LEASE_FAMILY_V4;
    while ((name = next_field(&rest)) != NULL) {
        for (int i = 0; i < KEA_COLUMNS; i++) {
            if (strcmp(name, column_names[i]) == 0)
                reader->columns[i] = count;
        }
        if (strcmp(name, "duid") == 0) {
            reader->columns[KEA_CLIENT_ID] = count;
            reader->family = LEASE_FAMILY_V6;
        }
        count++;
        if (strcmp(name, last_of_all) == 0)
            reader->columns_least = count;
    }
    /* Commas in a user context are not always escaped; the columns needed come before it. */
    reader->columns_most = strstr(line, "user_context") != NULL ? FIELDS_MAX : count;
    for (int i = 0; i <= KEA_SUBNET; i++) {
        if (reader->columns[i] < 0)
            return false;
        if (reader->columns_least <= reader->columns[i])
            reader->columns_least = reader->columns[i] + 1;
    }
    return count <= FIELDS_MAX;
}

static int scan_number(const char *text, uint64_t most, uint64_t *number)
{
    char *end;

    if (*text < '0' || *text > '9')
        return -1;
    *number = strtoull(text, &end, 10);
    return *end == '\0' && *number <= most ? 0 : -1;
}

/* Reads a state, as a number or, in dumps of old versions, as a name. */
static int scan_state(const char *text, uint64_t *state)
{
    static const char *const names[] = { "default", "declined", "expired-reclaimed", "released",
                                         "registered" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) == 0) {
            *state = i;
            return 0;
        }
    }
    return scan_number(text, 4, state);
}

static enum row_state row_state(uint64_t state, uint64_t valid_s)
{
    switch (state) {
    case LEASE_STATE_RELEASED:
        return ROW_RELEASED;
    case LEASE_STATE_DECLINED:
        return valid_s > 0 ? ROW_DECLINED : ROW_ABSENT;
    case LEASE_STATE_RECLAIMED:
        return valid_s > 0 ? ROW_RECLAIMED : ROW_ABSENT;
    default: /* Kea writes a deleted lease with a lifetime of 0. */
        return valid_s > 0 ? ROW_ACTIVE : ROW_ABSENT;
    }
}

/* Reads an expire time, in Unix seconds or as a date that a database prints. */
static int scan_expire(const char *text, uint32_t valid_s, uint32_t *last_s)
{
    uint64_t expire_s;
    int64_t date_s;

    if (scan_number(text, INT64_MAX, &expire_s) != 0) {
        if (record_time(text, &date_s) != 0)
            return -1;
        expire_s = (uint64_t)date_s;
    }
    /* For a lease that never expires, databases store the time of the transaction. */
    if (valid_s == LEASE_VALID_FOREVER && expire_s < valid_s)
        valid_s = 0;
    if (expire_s < valid_s || expire_s - valid_s > UINT32_MAX)
        return -1;
    *last_s = (uint32_t)(expire_s - valid_s);
    return 0;
}

/* Splits a row.  Returns the number of fields. */
static int split(char *line, char *fields[FIELDS_MAX])
{
    char *rest = line;
    int count = 0;

    while (count < FIELDS_MAX && (fields[count] = next_field(&rest)) != NULL)
        count++;
    return count;
}

static uint64_t client_hash(const struct record_reader *reader, char *const *fields, int count)
{
    static const enum kea_column by[] = { KEA_CLIENT_ID, KEA_HWADDR };

    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        const int column = reader->columns[by[i]];

        if (column >= 0 && column < count && fields[column][0] != '\0')
            return record_hash(RECORD_HASH_BASIS + i, fields[column], strlen(fields[column]));
    }
    return 0;
}

const char *kea_row(const struct record_reader *reader, char *line, struct record *record)
{
    char *fields[FIELDS_MAX];
    const int *const columns = reader->columns;
    const int count = split(line, fields);
    uint64_t valid_s;
    uint64_t subnet;
    uint64_t state = LEASE_STATE_DEFAULT;

    if (count < reader->columns_least)
        return "too few columns";
    if (count > reader->columns_most)
        return "too many columns";
    if (record_address(fields[columns[KEA_ADDRESS]], reader->family, &record->address) != 0)
        return "the address is invalid";
    if (scan_number(fields[columns[KEA_VALID]], UINT32_MAX, &valid_s) != 0)
        return "valid_lifetime is not a number";
    if (scan_number(fields[columns[KEA_SUBNET]], UINT32_MAX, &subnet) != 0)
        return "subnet_id is not a number";
    if (scan_expire(fields[columns[KEA_EXPIRE]], (uint32_t)valid_s, &record->last_s) != 0)
        return "expire is not a time after valid_lifetime";
    if (columns[KEA_STATE] >= 0 && columns[KEA_STATE] < count &&
        scan_state(fields[columns[KEA_STATE]], &state) != 0)
        return "the state is unknown";
    record->valid_s = (uint32_t)valid_s;
    record->subnet = (uint32_t)subnet;
    record->state = row_state(state, valid_s);
    record->client = client_hash(reader, fields, count);
    return NULL;
}
