-- SPDX-License-Identifier: ISC
--
-- Everything in a database that concerns ubench, which decides by it what it may
-- touch: see struct sql_listed in ubench/store/sql/ownership.h.  pgsql_ubench has this
-- file compiled in; by hand:
--
--     psql -f schema/pgsql-catalogue.sql ubench
--
-- It changes nothing.  Of other schemas it lists tables alone: extensions make views.
-- Indexes and sequences have names among those of tables.

WITH here AS (SELECT oid FROM pg_namespace WHERE nspname = current_schema()),
     ours AS (SELECT c.oid, c.relname, c.relkind FROM pg_class c, here
              WHERE c.relnamespace = here.oid
                AND (lower(c.relname) LIKE 'lease%' OR lower(c.relname) LIKE 'ubench%'))
SELECT 'r', CASE WHEN c.relnamespace = here.oid THEN c.relname ELSE '' END,
       format('%I.%I', s.nspname, c.relname),
       CASE WHEN c.relkind IN ('r', 'p') THEN 'a table'
            WHEN c.relkind IN ('v', 'm') THEN 'a view'
            WHEN c.relkind = 'f' THEN 'a foreign table'
            WHEN c.relkind = 'S' THEN 'a sequence' ELSE 'a type' END,
       -- persistence, may it be truncated, oid, name of its key, secondary indexes
       concat_ws(E'\n',
                 CASE c.relpersistence WHEN 'p' THEN 'permanent' WHEN 'u' THEN 'unlogged'
                                       ELSE 'temporary' END,
                 has_table_privilege(c.oid, 'TRUNCATE')::text, c.oid,
                 coalesce((SELECT conname FROM pg_constraint
                           WHERE conrelid = c.oid AND contype = 'p'), ''),
                 (SELECT string_agg(d, ', ' ORDER BY d)
                  FROM (SELECT CASE WHEN i.indisunique THEN 'unique ' ELSE '' END
                               || replace(substring(pg_get_indexdef(i.indexrelid)
                                                    FROM ' USING (.*)'), 'btree ', '') AS d
                        FROM pg_index i
                        WHERE i.indrelid = c.oid AND NOT i.indisprimary) AS definitions))
FROM here, pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
WHERE (c.relkind IN ('r', 'p', 'f', 'm') AND s.nspname !~ '^pg_'
       AND s.nspname <> 'information_schema')
   OR (c.relkind IN ('v', 'c', 'S') AND c.oid IN (SELECT oid FROM ours)
       AND NOT EXISTS (SELECT FROM pg_depend d
                       WHERE d.objid = c.oid AND d.deptype IN ('a', 'i')
                         AND d.refobjid IN (SELECT oid FROM ours)))
UNION ALL
SELECT 'c', o.relname, a.attname, t.typname,
       CASE WHEN a.attnum = ANY (k.conkey) THEN 'key'
            WHEN a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' THEN 'must be given'
            ELSE '' END
FROM ours o JOIN pg_attribute a ON a.attrelid = o.oid
     JOIN pg_type t ON t.oid = a.atttypid
     LEFT JOIN pg_constraint k ON k.conrelid = o.oid AND k.contype = 'p'
WHERE a.attnum > 0 AND NOT a.attisdropped AND o.relkind <> 'i'
UNION ALL
SELECT 'i', t.relname, c.relname, 'an index', ''
FROM here, pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     JOIN pg_class t ON t.oid = i.indrelid
WHERE c.relnamespace = here.oid AND NOT i.indisprimary
UNION ALL
SELECT 't', o.relname, t.tgname, 'the trigger',
       concat(CASE t.tgtype WHEN 5 THEN ' AFTER INSERT' WHEN 9 THEN ' AFTER DELETE'
                            WHEN 17 THEN ' AFTER UPDATE' END,
              ' ON ', o.relname, E'\n    FOR EACH ROW EXECUTE PROCEDURE ',
              CASE WHEN t.tgqual IS NULL AND p.pronamespace = here.oid THEN p.proname END, '();')
FROM here, ours o JOIN pg_trigger t ON t.tgrelid = o.oid AND NOT t.tgisinternal
     JOIN pg_proc p ON p.oid = t.tgfoid
UNION ALL
SELECT 't', o.relname, r.rulename, 'the rule', ''
FROM ours o JOIN pg_rewrite r ON r.ev_class = o.oid AND r.ev_type <> '1'
UNION ALL
SELECT 'p', '', p.proname, 'a function', '$$' || p.prosrc || '$$'
FROM here, pg_proc p
WHERE p.pronamespace = here.oid AND p.proname LIKE 'ubench%'
UNION ALL
SELECT 'f', o.relname, k.conname || ' of ' || k.conrelid::regclass, 'the foreign key', ''
FROM ours o JOIN pg_constraint k ON k.confrelid = o.oid AND k.contype = 'f'
UNION ALL
SELECT 'f', o.relname, i.inhrelid::regclass::text, 'the child table', ''
FROM ours o JOIN pg_inherits i ON i.inhparent = o.oid AND o.relkind <> 'i'
ORDER BY 1 DESC;
