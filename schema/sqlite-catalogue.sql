-- SPDX-License-Identifier: ISC
--
-- Everything in a file that concerns ubench, which decides by it what it may touch:
-- see struct sql_listed in ubench/store/sql/ownership.h.  sqlite_ubench has this file
-- compiled in; by hand:
--
--     sqlite3 sqlite.db <schema/sqlite-catalogue.sql
--
-- It changes nothing.

SELECT 'r', name, name, 'a ' || type, '' FROM sqlite_master
WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite|_%' ESCAPE '|'
UNION ALL
SELECT 'c', m.name, c.name, '', '' FROM sqlite_master m, pragma_table_info(m.name) c
WHERE m.name LIKE 'lease%' OR m.name LIKE 'ubench%'
UNION ALL
SELECT 'i', tbl_name, name, 'an index', '' FROM sqlite_master
WHERE type = 'index' AND name NOT LIKE 'sqlite|_%' ESCAPE '|'
UNION ALL
SELECT 't', lower(tbl_name), name, 'the trigger', '' FROM sqlite_master WHERE type = 'trigger'
UNION ALL
SELECT 'f', lower(f."table"), 'of ' || m.name, 'the foreign key', ''
FROM sqlite_master m, pragma_foreign_key_list(m.name) f
WHERE m.type = 'table'
ORDER BY 1 DESC;
