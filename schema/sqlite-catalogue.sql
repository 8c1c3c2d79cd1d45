-- SPDX-License-Identifier: ISC
--
-- Lists all objects of a file, one per row.  ubench stores this list in ubench_marker after
-- it has created its tables, and compares it before it changes anything.
-- ubench/store/sql/ownership.h describes the columns.
--
-- Tables of ANALYZE and indexes of keys have names that are reserved for
-- SQLite.
SELECT type AS kind, name, sql AS definition, '' AS mark, '' AS refers
FROM sqlite_master WHERE name NOT LIKE 'sqlite|_%' ESCAPE '|'
UNION ALL
SELECT 'column', 'ubench_marker.' || name, type, '', '' FROM pragma_table_info('ubench_marker')
