-- SPDX-License-Identifier: ISC
--
-- Describes the existing lease tables: see ubench/store/sql/lease_table.h.  The facts are the
-- engine, its options, and the secondary indexes.
SELECT 'facts', table_name, '', '',
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
WHERE table_schema = DATABASE() AND table_name IN ('lease4', 'lease6')
UNION ALL
SELECT 'column', table_name, column_name, data_type,
       IF(column_key = 'PRI', 'key',
          IF(is_nullable = 'NO' AND column_default IS NULL AND extra = '', 'must be given', ''))
FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name IN ('lease4', 'lease6')
UNION ALL
SELECT 'triggers', event_object_table, '', '', COUNT(*)
FROM information_schema.triggers
WHERE event_object_schema = DATABASE()
GROUP BY event_object_table
-- Overrides sql_select_limit.
LIMIT 1000
