-- SPDX-License-Identifier: ISC
--
-- Describes the existing lease tables: see ubench/store/sql/lease_table.h.  The facts are the
-- persistence, whether TRUNCATE is allowed, the oid, the name of the key, and the secondary
-- indexes.
WITH ours AS (
    SELECT c.oid, c.relname, c.relpersistence FROM pg_class c
    WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
      AND c.relname IN ('lease4', 'lease6') AND c.relkind IN ('r', 'p')
)
SELECT 'facts', relname, '', '',
       concat_ws(E'\n',
                 CASE relpersistence WHEN 'p' THEN 'permanent' WHEN 'u' THEN 'unlogged'
                                     ELSE 'temporary' END,
                 has_table_privilege(oid, 'TRUNCATE')::text, oid,
                 coalesce((SELECT conname FROM pg_constraint
                           WHERE conrelid = o.oid AND contype = 'p'), ''),
                 (SELECT string_agg(d, ', ' ORDER BY d)
                  FROM (SELECT CASE WHEN i.indisunique THEN 'unique ' ELSE '' END
                               || replace(substring(pg_get_indexdef(i.indexrelid)
                                                    FROM ' USING (.*)'), 'btree ', '') AS d
                        FROM pg_index i
                        WHERE i.indrelid = o.oid AND NOT i.indisprimary) AS definitions))
FROM ours o
UNION ALL
SELECT 'column', o.relname, a.attname, t.typname,
       CASE WHEN a.attnum = ANY (k.conkey) THEN 'key'
            WHEN a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' THEN 'must be given'
            ELSE '' END
FROM ours o JOIN pg_attribute a ON a.attrelid = o.oid
     JOIN pg_type t ON t.oid = a.atttypid
     LEFT JOIN pg_constraint k ON k.conrelid = o.oid AND k.contype = 'p'
WHERE a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT 'triggers', relname, '', '', (SELECT count(*) FROM pg_trigger
                                     WHERE tgrelid = o.oid AND NOT tgisinternal)::text
FROM ours o
