/* SPDX-License-Identifier: ISC */
#include <stdio.h>

#include "store/mysql/mysql_store.h"

static const char action[] = "reading the settings back";

/* Reads the rows of SHOW VARIABLES or, with status, of SHOW GLOBAL STATUS, that
   have all bits of is. */
static int read_rows(struct properties *variables, bool status, unsigned is,
                     struct connection *connection, struct err *err)
{
    char names[2048];
    char sql[sizeof names + 64];

    sql_settings_list(mysql_variables, is, status, names, sizeof names);
    (void)snprintf(sql, sizeof sql, "SHOW %s WHERE variable_name IN (%s)",
                   status ? "GLOBAL STATUS" : "VARIABLES", names);
    return connection_rows(connection, action, sql, sql_settings_take, variables, err);
}

int variables_read(struct connection *connection, unsigned is, struct properties *read,
                   struct err *err)
{
    char members[24];
    struct err ignored;

    read->count = 0;
    /* No status variable of MariaDB decides. */
    if (read_rows(read, false, is, connection, err) != 0 ||
        (!(connection->mariadb && is == SQL_DECIDES) &&
         read_rows(read, true, is, connection, err) != 0))
        return -1;
    if (sql_setting_on(read, GROUP_NAME))
        properties_add(read, GROUP_MEMBERS, "%s",
                       connection_value(connection, action, members, sizeof members, &ignored,
                                        "SELECT COUNT(*)"
                                        " FROM performance_schema.replication_group_members"
                                        " WHERE member_state = 'ONLINE'") == 0
                           ? members
                           : "unknown to this user");
    return 0;
}

void variables_read_changed(struct properties *changed, struct connection *connection)
{
    static const char mariadb[] = "SELECT LOWER(VARIABLE_NAME), GLOBAL_VALUE FROM "
                                  "information_schema.SYSTEM_VARIABLES"
                                  " WHERE GLOBAL_VALUE_ORIGIN IN ('CONFIG', 'COMMAND-LINE', 'SQL')"
                                  " AND NOT (GLOBAL_VALUE <=> DEFAULT_VALUE) ORDER BY 1";
    /* MySQL does not report its defaults, and reports DYNAMIC also for
       variables that are set only in the session, as mysql_connection.c sets
       these. */
    static const char mysql[] =
        "SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE FROM "
        "performance_schema.variables_info"
        " JOIN performance_schema.global_variables USING (VARIABLE_NAME)"
        " WHERE VARIABLE_SOURCE <> 'COMPILED' AND LOWER(VARIABLE_NAME)"
        " NOT IN ('sql_mode', 'sql_select_limit', 'wait_timeout') ORDER BY 1";
    struct err ignored;

    (void)connection_rows(connection, action, connection->mariadb ? mariadb : mysql,
                          sql_changed_take, changed, &ignored);
}
