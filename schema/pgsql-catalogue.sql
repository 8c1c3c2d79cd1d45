-- SPDX-License-Identifier: ISC
--
-- Lists all objects of a database, one per row.  ubench stores this list in
-- ubench_marker after it has created its tables, and compares it before it
-- changes anything.  ubench/store/sql/ownership.h describes the columns.
--
-- Objects of an extension are not listed; of other schemas, only objects that hold rows
-- are listed.
WITH here AS (
    SELECT oid, nspname FROM pg_namespace WHERE nspname = current_schema()
), relations AS (
    SELECT c.oid, c.relname, c.relkind, c.relnamespace = h.oid AS is_here,
           format('%I.%I', n.nspname, c.relname) AS name,
           CASE WHEN obj_description(c.oid, 'pg_class') = c.relname || ' of ubench' THEN 'ubench'
                WHEN c.relname LIKE 'ubench\_%' AND c.relname <> 'ubench_marker' THEN 'named'
                ELSE '' END AS mark
    FROM here h CROSS JOIN pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'f', 'm', 'v', 'S', 'c')
      AND (n.oid = h.oid OR c.relkind IN ('r', 'p', 'f', 'm') AND n.nspname !~ '^pg_'
                            AND n.nspname <> 'information_schema')
      AND NOT EXISTS (SELECT FROM pg_depend d
                      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                        -- of an extension, or a sequence of a column
                        AND (d.deptype = 'e' OR c.relkind = 'S' AND d.deptype IN ('a', 'i')))
)
SELECT 'server' AS kind, 'PostgreSQL' AS name, current_setting('server_version') AS definition,
       '' AS mark, '' AS refers
UNION ALL
SELECT CASE relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
                    WHEN 'f' THEN 'foreign table' WHEN 'S' THEN 'sequence'
                    WHEN 'c' THEN 'type' ELSE 'table' END,
       name, (SELECT count(*) || ' columns' FROM pg_attribute
              WHERE attrelid = r.oid AND attnum > 0 AND NOT attisdropped), mark, ''
FROM relations r
UNION ALL
SELECT CASE typtype WHEN 'd' THEN 'domain' ELSE 'type' END, format('%I.%I', h.nspname, typname),
       '', '', ''
FROM here h JOIN pg_type t ON t.typnamespace = h.oid
WHERE typtype IN ('d', 'e', 'r')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_type'::regclass
                                            AND d.objid = t.oid AND d.deptype = 'e')
UNION ALL
SELECT 'column', format('%s.%I', r.name, a.attname),
       concat_ws(' ', format_type(a.atttypid, a.atttypmod),
                 CASE WHEN a.attnotnull THEN 'NOT NULL' END, nullif(a.attidentity, ''),
                 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)),
       r.mark, ''
FROM relations r JOIN pg_attribute a ON a.attrelid = r.oid
     LEFT JOIN pg_attrdef d ON d.adrelid = r.oid AND d.adnum = a.attnum
WHERE r.is_here AND r.relkind IN ('r', 'p', 'f') AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT 'index', format('%s.%I', r.name, c.relname),
       concat_ws(' ', CASE WHEN i.indisprimary THEN 'primary' WHEN i.indisunique THEN 'unique' END,
                 substring(pg_get_indexdef(c.oid) FROM ' USING (.*)')),
       r.mark, ''
FROM relations r JOIN pg_index i ON i.indrelid = r.oid JOIN pg_class c ON c.oid = i.indexrelid
WHERE r.is_here
UNION ALL
SELECT 'constraint', format('%s.%I', r.name, k.conname), pg_get_constraintdef(k.oid), r.mark,
       -- Kea's own lose with lease6 what belongs to its leases.
       CASE WHEN r.relname IN ('lease6_relay_id', 'lease6_remote_id') THEN ''
            ELSE coalesce(f.relname, '') END
FROM relations r JOIN pg_constraint k ON k.conrelid = r.oid AND k.contype IN ('f', 'c', 'x')
     LEFT JOIN relations f ON f.oid = k.confrelid AND f.is_here
WHERE r.is_here OR f.is_here
UNION ALL
SELECT 'child table', i.inhrelid::regclass::text, 'of ' || r.relname, '', r.relname
FROM relations r JOIN pg_inherits i ON i.inhparent = r.oid
WHERE r.is_here
UNION ALL
SELECT 'trigger', format('%s.%I', r.name, t.tgname), pg_get_triggerdef(t.oid),
       CASE WHEN obj_description(t.oid, 'pg_trigger') = t.tgname || ' of ubench' THEN 'ubench'
            ELSE '' END, ''
FROM relations r JOIN pg_trigger t ON t.tgrelid = r.oid AND NOT t.tgisinternal
WHERE r.is_here
UNION ALL
SELECT 'rule', format('%s.%I', r.name, w.rulename), pg_get_ruledef(w.oid), '', ''
FROM relations r JOIN pg_rewrite w ON w.ev_class = r.oid AND w.rulename <> '_RETURN'
WHERE r.is_here
UNION ALL
SELECT CASE p.prokind WHEN 'p' THEN 'procedure' WHEN 'a' THEN 'aggregate' ELSE 'function' END,
       format('%I.%I(%s)', h.nspname, p.proname, pg_get_function_identity_arguments(p.oid)),
       concat_ws(' ', format_type(p.prorettype, NULL), CASE WHEN p.prosecdef THEN 'as its owner' END,
                 p.prosrc),
       CASE WHEN obj_description(p.oid, 'pg_proc') = p.proname || ' of ubench' THEN 'ubench'
            WHEN p.proname LIKE 'ubench\_%' THEN 'named' ELSE '' END, ''
FROM here h JOIN pg_proc p ON p.pronamespace = h.oid
WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass
                                            AND d.objid = p.oid AND d.deptype = 'e')
