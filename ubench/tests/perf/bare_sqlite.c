/* SPDX-License-Identifier: ISC */
/*
 * What sqlite_ubench is measured against: the same table, PRAGMAs, statements
 * and leases in the barest loops there are, which bind, step, read the columns
 * and reset.  It checks codes and counts and nothing else.
 *
 *     bare_sqlite FILE N yes|no lean|kea
 *
 * makes FILE, which must not be there, prints a rate per phase and removes it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "core/clock.h"
#include "lease/generator.h"

static const char schema_lean[] = {
#include "schema/sqlite-lean.inc"
    0
};

static const char schema_kea[] = {
#include "schema/sqlite-kea.inc"
    0
};

#define COLUMNS                                                      \
    "address, hwaddr, client_id, valid_lifetime, expire, subnet_id," \
    " fqdn_fwd, fqdn_rev, hostname, state, pool_id"
#define KEA_COLUMNS COLUMNS ", user_context, relay_id, remote_id"
#define MARKS       "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11"
#define SET                                                       \
    "hwaddr = ?2, client_id = ?3, valid_lifetime = ?4,"           \
    " expire = ?5, subnet_id = ?6, fqdn_fwd = ?7, fqdn_rev = ?8," \
    " hostname = ?9, state = ?10, pool_id = ?11"
#define KEA_SET SET ", user_context = ?13, relay_id = ?14, remote_id = ?15"
#define WHERE   " WHERE address = ?1 AND expire = ?12"

static const struct table {
    const char *name;
    const char *schema;
    const char *create;
    const char *search;
    const char *update;
} tables[] = {
    { .name = "lean",
      .schema = schema_lean,
      .create = "INSERT INTO lease4 (" COLUMNS ") VALUES (" MARKS ")",
      .search = "SELECT " COLUMNS " FROM lease4 WHERE address = ?1",
      .update = "UPDATE lease4 SET " SET WHERE },
    { .name = "kea",
      .schema = schema_kea,
      .create = "INSERT INTO lease4 (" KEA_COLUMNS ") VALUES (" MARKS ", ?12, ?13, ?14)",
      .search = "SELECT " KEA_COLUMNS " FROM lease4 WHERE address = ?1",
      .update = "UPDATE lease4 SET " KEA_SET WHERE },
};

static const char delete_sql[] = "DELETE FROM lease4 WHERE address = ?1 AND expire = ?2";

struct bare {
    sqlite3 *db;
    sqlite3_stmt *statement;
    struct generator generator;
    struct permutation updates;
    uint64_t count;
};

static void check(struct bare *bare, bool right, const char *action)
{
    if (right)
        return;
    (void)fprintf(stderr, "bare_sqlite: %s: %s\n", action, sqlite3_errmsg(bare->db));
    exit(EXIT_FAILURE);
}

static void execute(struct bare *bare, const char *sql)
{
    check(bare, sqlite3_exec(bare->db, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
}

static void bind(sqlite3_stmt *statement, const struct lease *lease)
{
    sqlite3_bind_int64(statement, 1, (int64_t)lease->address.low);
    sqlite3_bind_blob(statement, 2, lease->hwaddr, lease->hwaddr_length, SQLITE_STATIC);
    sqlite3_bind_blob(statement, 3, lease->client_id, lease->client_id_length, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 4, lease->valid_s);
    sqlite3_bind_int64(statement, 5, lease_expire_s(lease));
    sqlite3_bind_int64(statement, 6, lease->subnet_id);
    sqlite3_bind_int64(statement, 7, lease->fqdn_fwd);
    sqlite3_bind_int64(statement, 8, lease->fqdn_rev);
    sqlite3_bind_text(statement, 9, lease->hostname, lease->hostname_length, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 10, lease->state);
    sqlite3_bind_int64(statement, 11, lease->pool_id);
}

static void read_row(sqlite3_stmt *statement, struct lease *lease)
{
    lease->type = LEASE_TYPE_V4;
    lease->address = lease_address_v4((uint32_t)sqlite3_column_int64(statement, 0));
    const void *const hwaddr = sqlite3_column_blob(statement, 1);
    lease->hwaddr_length = (uint8_t)sqlite3_column_bytes(statement, 1);
    memcpy(lease->hwaddr, hwaddr, lease->hwaddr_length);
    const void *const client_id = sqlite3_column_blob(statement, 2);
    lease->client_id_length = (uint8_t)sqlite3_column_bytes(statement, 2);
    memcpy(lease->client_id, client_id, lease->client_id_length);
    lease->valid_s = (uint32_t)sqlite3_column_int64(statement, 3);
    lease->cltt_s = sqlite3_column_int64(statement, 4) - lease->valid_s;
    lease->subnet_id = (uint32_t)sqlite3_column_int64(statement, 5);
    lease->fqdn_fwd = sqlite3_column_int(statement, 6) != 0;
    lease->fqdn_rev = sqlite3_column_int(statement, 7) != 0;
    const void *const hostname = sqlite3_column_text(statement, 8);
    lease->hostname_length = (uint8_t)sqlite3_column_bytes(statement, 8);
    memcpy(lease->hostname, hostname, lease->hostname_length);
    lease->state = (uint8_t)sqlite3_column_int(statement, 9);
    lease->pool_id = (uint32_t)sqlite3_column_int64(statement, 10);
}

static uint64_t create(struct bare *bare)
{
    struct lease lease;
    uint64_t done = 0;

    for (uint64_t i = 0; i < bare->count; i++) {
        generator_make(&bare->generator, i, 0, &lease);
        bind(bare->statement, &lease);
        done += sqlite3_step(bare->statement) == SQLITE_DONE;
        sqlite3_reset(bare->statement);
    }
    return done;
}

static uint64_t search(struct bare *bare)
{
    const uint64_t share = (uint64_t)(0.9 * 4294967296.0);
    const uint64_t key = random_at(1, 1);
    struct lease lease;
    uint64_t done = 0;

    for (uint64_t i = 0; i < bare->count; i++) {
        const uint64_t draw = random_at(key, i);
        const bool hit = draw >> 32 < share;
        const uint64_t number = random_below((uint32_t)draw, bare->count) + (hit ? 0 : bare->count);

        sqlite3_bind_int64(bare->statement, 1,
                           (int64_t)generator_address(&bare->generator, number).low);
        const int code = sqlite3_step(bare->statement);
        done += code == (hit ? SQLITE_ROW : SQLITE_DONE);
        if (code == SQLITE_ROW)
            read_row(bare->statement, &lease);
        sqlite3_reset(bare->statement);
    }
    return done;
}

static uint64_t update(struct bare *bare)
{
    struct lease lease;
    uint64_t done = 0;

    for (uint64_t i = 0; i < bare->count; i++) {
        const uint64_t number = permutation_at(&bare->updates, i);

        generator_make(&bare->generator, number, 1, &lease);
        bind(bare->statement, &lease);
        sqlite3_bind_int64(bare->statement, 12, generator_expire_s(&bare->generator, number, 0));
        if (sqlite3_step(bare->statement) == SQLITE_DONE)
            done += (uint64_t)sqlite3_changes(bare->db);
        sqlite3_reset(bare->statement);
    }
    return done;
}

static uint64_t delete_all(struct bare *bare)
{
    uint64_t done = 0;

    for (uint64_t i = 0; i < bare->count; i++) {
        sqlite3_bind_int64(bare->statement, 1, (int64_t)generator_address(&bare->generator, i).low);
        sqlite3_bind_int64(bare->statement, 2, generator_expire_s(&bare->generator, i, 1));
        if (sqlite3_step(bare->statement) == SQLITE_DONE)
            done += (uint64_t)sqlite3_changes(bare->db);
        sqlite3_reset(bare->statement);
    }
    return done;
}

/* Prepares, runs the loop against the clock and prints its rate. */
static void run(struct bare *bare, const char *name, const char *sql,
                uint64_t (*loop)(struct bare *bare))
{
    check(bare,
          sqlite3_prepare_v3(bare->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &bare->statement,
                             NULL) == SQLITE_OK,
          sql);
    const uint64_t begun_ns = clock_now_ns();
    const uint64_t done = loop(bare);
    const uint64_t ended_ns = clock_now_ns();
    check(bare, done == bare->count, name);
    (void)sqlite3_finalize(bare->statement);
    (void)printf("%s %.2f\n", name,
                 (double)done * (double)NS_PER_S / (double)(ended_ns - begun_ns));
}

static void run_all(struct bare *bare, const char *file, bool sync, const struct table *table)
{
    generator_init(&bare->generator, LEASE_FAMILY_V4, LEASE_PROFILE_TYPICAL, 1);
    permutation_init(&bare->updates, bare->count, random_at(1, 2));
    check(bare,
          sqlite3_open_v2(file, &bare->db,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                          NULL) == SQLITE_OK,
          file);
    execute(bare, table->schema);
    execute(bare, "PRAGMA journal_mode = WAL");
    execute(bare, sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF");
    run(bare, "create", table->create, create);
    run(bare, "search", table->search, search);
    run(bare, "update", table->update, update);
    run(bare, "delete", delete_sql, delete_all);
    check(bare, sqlite3_close(bare->db) == SQLITE_OK, "close");
}

int main(int argc, char **argv)
{
    struct bare bare = { .count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0 };
    const struct table *table = NULL;

    for (size_t i = 0; i < 2 && argc == 5; i++) {
        if (strcmp(tables[i].name, argv[4]) == 0)
            table = &tables[i];
    }
    if (table == NULL || bare.count == 0) {
        (void)fprintf(stderr, "Usage: bare_sqlite FILE N yes|no lean|kea\n");
        return 2;
    }
    if (access(argv[1], F_OK) == 0) {
        (void)fprintf(stderr, "bare_sqlite: %s is there already\n", argv[1]);
        return EXIT_FAILURE;
    }
    run_all(&bare, argv[1], strcmp(argv[3], "yes") == 0, table);
    (void)unlink(argv[1]);
    return EXIT_SUCCESS;
}
