-- SPDX-License-Identifier: ISC
--
-- All objects of a file, one on a line: ubench keeps this list in ubench_marker when it has
-- created its tables, and compares it before it changes anything.
-- ubench/store/sql/ownership.h says what the columns are.
--
-- ANALYZE and indexes of keys make tables and indexes with names of SQLite's.
SELECT type AS kind, name, sql AS definition, '' AS mark, '' AS refers
FROM sqlite_master WHERE name NOT LIKE 'sqlite|_%' ESCAPE '|'
UNION ALL
SELECT 'column', 'ubench_marker.' || name, type, '', '' FROM pragma_table_info('ubench_marker')
