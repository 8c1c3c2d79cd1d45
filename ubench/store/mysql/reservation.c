/* SPDX-License-Identifier: ISC */
/*
 * Host reservations: a table of ours and two statements, which have nothing of
 * a lease and so are bound here by themselves.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/mysql/store.h"

static const char schema_sql[] = {
#include "schema/mysql-hosts.inc"
    0
};

#define ADD                                                            \
    "INSERT INTO ubench_hosts (dhcp_identifier_type, dhcp4_subnet_id," \
    " dhcp_identifier, ipv4_address) VALUES "
#define FIND                                                               \
    "SELECT ipv4_address, host_id, dhcp_identifier, dhcp_identifier_type," \
    " dhcp4_subnet_id, hostname, user_context FROM ubench_hosts WHERE "

static const char add_action[] = "add_reservation";
static const char find_action[] = "find_reservation";

enum { KEY_PARAMS = 3, ADD_PARAMS, FOUND_COLUMNS = 7 };

int sql_reservations_make(struct sql_link *link, struct err *err)
{
    return sql_script(link, "making ubench_hosts", schema_sql, err);
}

int sql_reservations_empty(struct sql_link *link, struct err *err)
{
    return sql_run(link, "emptying ubench_hosts", err,
                   "TRUNCATE TABLE ubench_hosts");
}

static void bind_number(MYSQL_BIND *bind, uint32_t *number)
{
    bind->buffer_type = MYSQL_TYPE_LONG;
    bind->buffer = number;
    bind->is_unsigned = 1;
}

static MYSQL_STMT *prepare(struct session *session, const char *sql,
                           struct err *err)
{
    struct sql_reservations *const mine = &session->reservations;
    MYSQL_STMT *const prepared = mysql_stmt_init(session->link.mysql);
    MYSQL_BIND params[ADD_PARAMS];

    if (prepared == NULL) {
        (void)err_set(err, "mysql: out of memory");
        return NULL;
    }
    memset(params, 0, sizeof params);
    bind_number(&params[0], &mine->type);
    bind_number(&params[1], &mine->subnet_id);
    params[2].buffer_type = MYSQL_TYPE_BLOB;
    params[2].buffer = mine->identifier;
    params[2].buffer_length = sizeof mine->identifier;
    params[2].length = &mine->length;
    bind_number(&params[KEY_PARAMS], &mine->address);
    sql_turn(&session->link);
    const int error =
        mysql_stmt_prepare(prepared, sql, (unsigned long)strlen(sql));
    sql_turn(&session->link);
    if (error == 0 && mysql_stmt_bind_param(prepared, params) == 0)
        return prepared;
    (void)sql_fail(&session->link, "prepare", mysql_stmt_errno(prepared),
                   mysql_stmt_error(prepared), err);
    (void)mysql_stmt_close(prepared);
    return NULL;
}

/* The whole row comes over, as in Kea; the address is what is looked at. */
static int bind_found(struct session *session, struct err *err)
{
    struct sql_reservations *const mine = &session->reservations;
    MYSQL_BIND columns[FOUND_COLUMNS];

    memset(columns, 0, sizeof columns);
    bind_number(&columns[0], &mine->found);
    for (int i = 1; i < FOUND_COLUMNS; i++) {
        columns[i].buffer_type = MYSQL_TYPE_STRING;
        columns[i].buffer = mine->rest[i - 1];
        columns[i].buffer_length = sizeof mine->rest[i - 1];
        columns[i].length = &mine->rest_length[i - 1];
        columns[i].is_null = &mine->rest_is_null[i - 1];
    }
    if (mysql_stmt_bind_result(mine->find, columns) == 0)
        return 0;
    return sql_fail(&session->link, find_action, mysql_stmt_errno(mine->find),
                    mysql_stmt_error(mine->find), err);
}

int sql_reservations_prepare(struct session *session, struct err *err)
{
    struct sql_reservations *const mine = &session->reservations;

    mine->add = prepare(session, ADD "(?, ?, ?, ?)", err);
    if (mine->add == NULL)
        return -1;
    mine->find = prepare(session,
                         FIND "dhcp_identifier_type = ? AND dhcp4_subnet_id = ?"
                              " AND dhcp_identifier = ?",
                         err);
    return mine->find == NULL ? -1 : bind_found(session, err);
}

void sql_reservations_release(struct session *session)
{
    struct sql_reservations *const mine = &session->reservations;

    if (mine->add != NULL)
        (void)mysql_stmt_close(mine->add);
    if (mine->find != NULL)
        (void)mysql_stmt_close(mine->find);
    mine->add = mine->find = NULL;
}

static void set_key(struct sql_reservations *mine,
                    const struct reservation_key *key)
{
    mine->type = (uint32_t)key->type;
    mine->subnet_id = key->subnet_id;
    mine->length = (unsigned long)key->length;
    memcpy(mine->identifier, key->identifier, key->length);
}

/* The identifier as a literal. */
static const char *write_hex(struct sql_reservations *mine,
                             const struct reservation_key *key)
{
    static const char digits[] = "0123456789abcdef";
    char *to = mine->hex;

    for (size_t i = 0; i < key->length; i++) {
        *to++ = digits[key->identifier[i] >> 4];
        *to++ = digits[key->identifier[i] & 15];
    }
    *to = '\0';
    return mine->hex;
}

static int execute(struct session *session, MYSQL_STMT *prepared,
                   const char *action, struct err *err)
{
    sql_turn(&session->link);
    const int error = mysql_stmt_execute(prepared);
    sql_turn(&session->link);
    return error == 0
               ? 0
               : sql_fail(&session->link, action, mysql_stmt_errno(prepared),
                          mysql_stmt_error(prepared), err);
}

enum outcome sql_add_reservation(struct session *session,
                                 const struct reservation_key *key,
                                 struct lease_address address, struct err *err)
{
    struct sql_reservations *const mine = &session->reservations;
    struct err cause;
    int status;
    unsigned code;

    if (mine->add != NULL) {
        set_key(mine, key);
        mine->address = (uint32_t)address.low;
        status = execute(session, mine->add, add_action, &cause);
        code = mysql_stmt_errno(mine->add);
    } else {
        status =
            sql_run(&session->link, add_action, &cause,
                    ADD "(%d, %" PRIu32 ", X'%s', %" PRIu64 ")", (int)key->type,
                    key->subnet_id, write_hex(mine, key), address.low);
        code = mysql_errno(session->link.mysql);
    }
    if (status == 0)
        return OUTCOME_HIT;
    if (code == SQL_DUPLICATE)
        return OUTCOME_MISS;
    *err = cause;
    return OUTCOME_ERROR;
}

static enum outcome fetch(struct session *session,
                          struct lease_address *address, struct err *err)
{
    struct sql_reservations *const mine = &session->reservations;
    enum outcome outcome = OUTCOME_MISS;
    int result;

    /* Asked until there is none left, which leaves nothing to be freed. */
    do {
        sql_turn(&session->link);
        result = mysql_stmt_fetch(mine->find);
        sql_turn(&session->link);
        if (result == 0) {
            outcome = OUTCOME_HIT;
            *address = lease_address_v4(mine->found);
        }
    } while (result == 0);
    if (result == MYSQL_NO_DATA)
        return outcome;
    return (enum outcome)sql_fail(&session->link, find_action,
                                  mysql_stmt_errno(mine->find),
                                  mysql_stmt_error(mine->find), err);
}

enum outcome sql_find_reservation(struct session *session,
                                  const struct reservation_key *key,
                                  struct lease_address *address,
                                  struct err *err)
{
    struct sql_reservations *const mine = &session->reservations;

    if (mine->find != NULL) {
        set_key(mine, key);
        return execute(session, mine->find, find_action, err) != 0
                   ? OUTCOME_ERROR
                   : fetch(session, address, err);
    }
    MYSQL_RES *const rows = sql_query(
        &session->link, find_action, err,
        FIND "dhcp_identifier_type = %d AND dhcp4_subnet_id = %" PRIu32
             " AND dhcp_identifier = X'%s'",
        (int)key->type, key->subnet_id, write_hex(mine, key));
    if (rows == NULL)
        return OUTCOME_ERROR;
    const MYSQL_ROW row = mysql_fetch_row(rows);
    if (row != NULL)
        *address = lease_address_v4((uint32_t)strtoul(row[0], NULL, 10));
    mysql_free_result(rows);
    return row != NULL ? OUTCOME_HIT : OUTCOME_MISS;
}
