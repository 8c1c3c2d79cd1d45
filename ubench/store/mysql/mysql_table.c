/* SPDX-License-Identifier: ISC */
#include "store/mysql/mysql_table.h"

#include <stdio.h>
#include <string.h>

#include "store/mysql/mysql_settings.h"
#include "store/sql/counters.h"

/* What the build made of the files in schema/. */
#include "schema/mysql.h"

int table_lock(struct connection *connection, struct lock_holder *holder,
               struct err *err)
{
    char busy[SQL_NAME_SIZE];

    (void)snprintf(busy, sizeof busy, "database %s: another ubench is using it",
                   connection->config->target);
    return connection_lock(connection,
                           "CONCAT('ubench.', LEFT(SHA2(DATABASE(), 256), 32))",
                           busy, holder, err);
}

/* The rows of sql_listing; of what an account may not see, nothing. */
static const char catalogue[] =
    "SELECT 'r',"
    " table_name, table_name, IF(table_type LIKE '%VIEW', 'a view', 'a table'),"
    " CONCAT(COALESCE(engine, table_type), '\n', COALESCE(create_options, ''),"
    " '\n', COALESCE((SELECT CONCAT(SUBSTR(GROUP_CONCAT(IF(seq_in_index = 1,"
    " IF(non_unique, '), (', '), unique ('), ', '), COALESCE(column_name,"
    " 'an expression'), IF(sub_part IS NULL, '', CONCAT('(', sub_part, ')'))"
    " ORDER BY index_name, seq_in_index SEPARATOR ''), 4), ')')"
    " FROM information_schema.statistics s WHERE s.table_schema = DATABASE()"
    " AND s.table_name = t.table_name AND index_name <> 'PRIMARY'), ''))"
    " FROM information_schema.tables t WHERE table_schema = DATABASE()"
    " UNION ALL SELECT 'c', table_name, column_name, data_type,"
    " IF(is_nullable = 'NO' AND column_default IS NULL AND extra = '',"
    " 'must be given', '') FROM information_schema.columns"
    " WHERE table_schema = DATABASE()"
    " AND (table_name LIKE 'lease%' OR table_name LIKE 'ubench%')"
    " UNION ALL SELECT DISTINCT IF(index_name = 'PRIMARY', 'k', 'i'),"
    " table_name, IF(index_name = 'PRIMARY', column_name, index_name),"
    " 'an index', '' FROM information_schema.statistics"
    " WHERE table_schema = DATABASE() AND table_name IN ('lease4', 'lease6')"
    " UNION ALL SELECT 't', event_object_table, trigger_name, 'the trigger',"
    " CONCAT(' ', action_timing, ' ', event_manipulation, ' ON ',"
    " event_object_table, ' FOR EACH ROW\n', action_statement, ';')"
    " FROM information_schema.triggers"
    " WHERE event_object_schema = DATABASE()"
    " UNION ALL SELECT 'p', '', routine_name, 'a procedure',"
    " COALESCE(CONCAT(')\n', routine_definition, ';'), '')"
    " FROM information_schema.routines WHERE routine_schema = DATABASE()"
    " AND routine_type = 'PROCEDURE'"
    " UNION ALL SELECT 'f', referenced_table_name,"
    " CONCAT(constraint_name, ' of ', table_name), 'the foreign key', ''"
    " FROM information_schema.referential_constraints"
    " WHERE unique_constraint_schema = DATABASE() ORDER BY 1 DESC";

int table_look(struct found *found, struct connection *connection,
               struct err *err)
{
    found->db = (struct sql_database){
        .store = "mysql",
        .dialect = SQL_MYSQL,
        .prefix = "",
        /* A replication group, among others, refuses a table without a key. */
        .create_marker = "CREATE TABLE ubench_marker (row_id INT "
                         "AUTO_INCREMENT PRIMARY KEY)",
        .catalogue = catalogue,
        .schemas = schemas,
        .hosts = hosts_sql,
        .connection = connection,
        .run = connection_script,
        .read = connection_rows,
    };
    if (sql_look(&found->contents, &found->db, connection->config, err) != 0)
        return -1;
    /* Before the settings are changed; table_open knows the engine. */
    return sql_judge(&found->contents, true, err) == SQL_REFUSE ? -1 : 0;
}

int table_engine(char *engine, size_t size, struct connection *connection,
                 struct err *err)
{
    const char *const asked = connection->config->engine;
    char literal[LITERAL_SIZE];

    if (strlen(asked) >= VALUE_SIZE)
        return err_set_class(err, ERR_USAGE, "--engine: '%.20s...' is too long",
                             asked);
    if (connection_run(connection, "--engine", err,
                       "SET SESSION default_storage_engine = %s",
                       settings_literal(literal, asked)) != 0) {
        if (mysql_errno(connection->mysql) == CODE_UNKNOWN_ENGINE)
            err->kind = ERR_USAGE;
        return -1;
    }
    return connection_value(connection, "--engine", engine, size, err,
                            "SELECT @@SESSION.default_storage_engine");
}

/* Names the two ways out. */
static void explain_triggers(struct err *err)
{
    const struct err cause = *err;

    (void)err_set(err,
                  "%s; while the binary log is on, counters need SUPER "
                  "(GRANT SUPER ON *.* TO ...), or a server with "
                  "log_bin_trust_function_creators=ON",
                  cause.text);
}

/* Copies a line of text.  Returns what follows it. */
static const char *take_line(char *to, size_t size, const char *text)
{
    const size_t length = strcspn(text, "\n");

    (void)snprintf(to, size, "%.*s", (int)length, text);
    return text + length + (text[length] != '\0' ? 1 : 0);
}

/* What was listed of it. */
static void take_facts(struct lease_table *table,
                       const struct sql_contents *contents)
{
    const char *text = contents->lease_text;

    text = take_line(table->engine, sizeof table->engine, text);
    text = take_line(table->options, sizeof table->options, text);
    (void)take_line(table->indexes, sizeof table->indexes, text);
    table->triggers = contents->triggers;
}

/* There is no transaction for it: what a failure leaves half made is dropped.
 */
static int make(struct lease_table *table, const char *engine,
                struct sql_contents *contents, struct connection *connection,
                struct err *err)
{
    const struct sql_contents before = *contents;
    int status = sql_make(contents, err);

    if (status != 0 && mysql_errno(connection->mysql) == CODE_TRIGGER_LOGGED)
        explain_triggers(err);
    take_facts(table, contents);
    /* enforce_storage_engine and the like replace it without a word. */
    if (status == 0 && strcmp(table->engine, engine) != 0)
        status = err_set_class(err, ERR_USAGE,
                               "--engine: the server made the table with %s "
                               "where %s was asked for",
                               table->engine, engine);
    if (status != 0)
        sql_undo(&before);
    return status;
}

int table_open(struct lease_table *table, const char *engine,
               struct found *found, struct connection *connection,
               struct err *err)
{
    struct sql_contents *const contents = &found->contents;
    const struct store_config *const config = connection->config;

    *table = (struct lease_table){ .engine = "" };
    take_facts(table, contents);
    const bool fits = strcmp(table->engine, engine) == 0;
    const enum sql_verdict verdict = sql_judge(contents, fits, err);
    if (verdict == SQL_BORROW && !fits)
        return err_set(err,
                       "mysql: %s.%s is not ubench's own and has the engine "
                       "%s, not %s: ask for it with --engine %s",
                       config->target, sql_table_name(config->family),
                       table->engine, engine, table->engine);
    if (verdict == SQL_REFUSE ||
        (verdict == SQL_MAKE &&
         make(table, engine, contents, connection, err) != 0) ||
        sql_take_table(contents, &table->base, err) != 0)
        return -1;
    if (config->keep || config->joins)
        return 0;
    if (config->reservations &&
        connection_script(connection, "making ubench_hosts", hosts_sql, err) !=
            0)
        return -1;
    return table_empty(table, connection, err);
}

static int seed_counters(struct connection *connection, struct err *err)
{
    const struct store_config *const config = connection->config;
    char sql[COUNTER_SQL_SIZE];

    counter_sql_seed(sql, config->family, config->subnets, "TRUNCATE TABLE");
    return connection_script(connection, "making counters", sql, err);
}

int table_empty(const struct lease_table *table, struct connection *connection,
                struct err *err)
{
    static const char action[] = "emptying the lease table";
    enum { GROUP = 10000 };

    if (connection->config->reservations &&
        connection_run(connection, "emptying ubench_hosts", err,
                       "TRUNCATE TABLE ubench_hosts") != 0)
        return -1;
    if (table->base.made_by_us) {
        if (connection_run(connection, action, err, "TRUNCATE TABLE %s",
                           table->base.name) != 0)
            return -1;
        return connection->config->schema == SCHEMA_KEA_STATS
                   ? seed_counters(connection, err)
                   : 0;
    }
    /* TRUNCATE would leave Kea's statistics behind: it fires no trigger. */
    do {
        if (connection_run(connection, action, err, "DELETE FROM %s LIMIT %d",
                           table->base.name, (int)GROUP) != 0)
            return -1;
    } while (mysql_affected_rows(connection->mysql) > 0);
    return 0;
}

void table_describe(const struct lease_table *table,
                    struct properties *properties)
{
    char missing[128];

    sql_table_missing(&table->base, missing, sizeof missing);
    properties_add(
        properties, table->base.name, "%s, %s%s%s, %u triggers%s%s",
        table->base.made_by_us ? "made by ubench" : "not made by ubench",
        table->engine, table->options[0] != '\0' ? " " : "", table->options,
        table->triggers, missing[0] != '\0' ? ", without " : "", missing);
    properties_add(properties, "secondary indexes", "%s",
                   table->indexes[0] != '\0' ? table->indexes : "none");
}
