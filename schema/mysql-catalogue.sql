-- SPDX-License-Identifier: ISC
--
-- Lists all objects of a database, one per row.  ubench stores this list in
-- ubench_marker after it has created its tables, and compares it before it
-- changes anything.  ubench/store/sql/ownership.h describes the columns.
--
-- Objects that the account may not see are not listed.
SELECT CONVERT(kind USING utf8mb4) COLLATE utf8mb4_bin AS kind,
       CONVERT(name USING utf8mb4) COLLATE utf8mb4_bin AS name,
       CONVERT(definition USING utf8mb4) COLLATE utf8mb4_bin AS definition, mark, refers
FROM (
    SELECT 'server' AS kind, IF(VERSION() LIKE '%MariaDB%', 'MariaDB', 'MySQL') AS name,
           VERSION() AS definition, '' AS mark, '' AS refers
    UNION ALL
    SELECT CASE table_type WHEN 'BASE TABLE' THEN 'table' ELSE LOWER(table_type) END, table_name,
           CONCAT((SELECT COUNT(*) FROM information_schema.columns c
                   WHERE c.table_schema = DATABASE() AND c.table_name = t.table_name),
                  ' columns'),
           IF(table_comment = CONCAT(t.table_name, ' of ubench'), 'ubench',
              IF(table_name LIKE 'ubench\_%' AND table_name <> 'ubench_marker', 'named', '')), ''
    FROM information_schema.tables t
    WHERE table_schema = DATABASE()
    UNION ALL
    -- Not column_type: releases differ in how wide an integer is.
    SELECT 'column', CONCAT(c.table_name, '.', column_name),
           CONCAT_WS(' ', data_type, character_maximum_length,
                     IF(column_type LIKE '%unsigned%', 'unsigned', NULL),
                     IF(is_nullable = 'NO', 'NOT NULL', NULL),
                     CONCAT('DEFAULT ', column_default), extra),
           IF(table_comment = CONCAT(t.table_name, ' of ubench'), 'ubench', ''), ''
    FROM information_schema.columns c JOIN information_schema.tables t
         ON t.table_schema = DATABASE() AND t.table_name = c.table_name
    WHERE c.table_schema = DATABASE()
    UNION ALL
    SELECT 'index', CONCAT(s.table_name, '.', index_name),
           CONCAT(IF(MIN(non_unique) = 0, 'unique ', ''), '(',
                  GROUP_CONCAT(CONCAT(COALESCE(column_name, 'an expression'),
                                      COALESCE(CONCAT('(', sub_part, ')'), ''))
                               ORDER BY seq_in_index SEPARATOR ', '), ')'),
           IF(MIN(table_comment) = CONCAT(s.table_name, ' of ubench'), 'ubench', ''), ''
    FROM information_schema.statistics s JOIN information_schema.tables t
         ON t.table_schema = DATABASE() AND t.table_name = s.table_name
    WHERE s.table_schema = DATABASE()
    GROUP BY s.table_name, index_name
    UNION ALL
    SELECT 'foreign key',
           CONCAT(IF(constraint_schema = DATABASE(), '', CONCAT(constraint_schema, '.')),
                  r.table_name, '.', constraint_name),
           CONCAT('of ', referenced_table_name, ' ON DELETE ', delete_rule),
           IF(table_comment = CONCAT(t.table_name, ' of ubench'), 'ubench', ''),
           -- Kea's own lose with lease6 what belongs to its leases.
           IF(unique_constraint_schema <> DATABASE()
              OR r.table_name IN ('lease6_relay_id', 'lease6_remote_id'), '',
              referenced_table_name)
    FROM information_schema.referential_constraints r LEFT JOIN information_schema.tables t
         ON t.table_schema = DATABASE() AND constraint_schema = DATABASE()
            AND t.table_name = r.table_name
    WHERE DATABASE() IN (constraint_schema, unique_constraint_schema)
    UNION ALL
    SELECT 'trigger', CONCAT(event_object_table, '.', trigger_name),
           CONCAT_WS(' ', action_timing, event_manipulation, action_statement),
           IF(trigger_name LIKE 'ubench\_%', 'ubench', ''), ''
    FROM information_schema.triggers
    WHERE event_object_schema = DATABASE()
    UNION ALL
    SELECT LOWER(routine_type), routine_name,
           CONCAT(security_type, ' ', COALESCE(routine_definition, 'hidden from this account')),
           IF(routine_comment = CONCAT(routine_name, ' of ubench'), 'ubench',
              IF(routine_name LIKE 'ubench\_%', 'named', '')), ''
    FROM information_schema.routines
    WHERE routine_schema = DATABASE()
    UNION ALL
    SELECT 'event', event_name, COALESCE(event_definition, ''), '', ''
    FROM information_schema.events
    WHERE event_schema = DATABASE()
) AS listed
