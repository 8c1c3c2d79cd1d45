-- SPDX-License-Identifier: ISC
--
-- Everything in a database that concerns ubench, which decides by it what it may
-- touch: see struct sql_listed in ubench/store/sql/ownership.h.  mysql_ubench has this
-- file compiled in; by hand:
--
--     mysql ubench <schema/mysql-catalogue.sql
--
-- It changes nothing.  What an account may not see is not listed.

SELECT 'r', table_name, table_name,
       IF(table_type LIKE '%VIEW', 'a view', 'a table'),
       -- engine, options, secondary indexes
       CONCAT(COALESCE(engine, table_type), '\n', COALESCE(create_options, ''), '\n',
              COALESCE((SELECT CONCAT(SUBSTR(GROUP_CONCAT(
                                   IF(seq_in_index = 1, IF(non_unique, '), (', '), unique ('), ', '),
                                   COALESCE(column_name, 'an expression'),
                                   IF(sub_part IS NULL, '', CONCAT('(', sub_part, ')'))
                                   ORDER BY index_name, seq_in_index SEPARATOR ''), 4), ')')
                        FROM information_schema.statistics s
                        WHERE s.table_schema = DATABASE() AND s.table_name = t.table_name
                          AND index_name <> 'PRIMARY'), ''))
FROM information_schema.tables t
WHERE table_schema = DATABASE()
UNION ALL
SELECT 'c', table_name, column_name, data_type,
       IF(column_key = 'PRI', 'key',
          IF(is_nullable = 'NO' AND column_default IS NULL AND extra = '', 'must be given', ''))
FROM information_schema.columns
WHERE table_schema = DATABASE() AND (table_name LIKE 'lease%' OR table_name LIKE 'ubench%')
UNION ALL
SELECT DISTINCT 'i', table_name, index_name, 'an index', ''
FROM information_schema.statistics
WHERE table_schema = DATABASE() AND table_name IN ('lease4', 'lease6')
  AND index_name <> 'PRIMARY'
UNION ALL
SELECT 't', event_object_table, trigger_name, 'the trigger',
       CONCAT(' ', action_timing, ' ', event_manipulation, ' ON ', event_object_table,
              ' FOR EACH ROW\n', action_statement, ';')
FROM information_schema.triggers
WHERE event_object_schema = DATABASE()
UNION ALL
SELECT 'p', '', routine_name, 'a procedure',
       COALESCE(CONCAT(')\n', routine_definition, ';'), '')
FROM information_schema.routines
WHERE routine_schema = DATABASE() AND routine_type = 'PROCEDURE'
UNION ALL
SELECT 'f', referenced_table_name, CONCAT(constraint_name, ' of ', table_name),
       'the foreign key', ''
FROM information_schema.referential_constraints
WHERE unique_constraint_schema = DATABASE()
ORDER BY 1 DESC
-- This goes before sql_select_limit.
LIMIT 1000000;
