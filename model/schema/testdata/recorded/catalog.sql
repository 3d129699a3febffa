-- What the tests compare: run with psql -X -A -t -F ' ' after the script.
SET search_path = '';
SELECT 'table', n.nspname || '.' || c.relname, c.relkind, c.relreplident, c.relpersistence, coalesce('{' || array_to_string(ARRAY(SELECT o FROM unnest(c.reloptions) o ORDER BY o COLLATE "C"), ',') || '}', '{}'),
       coalesce((SELECT string_agg(p.inhparent::regclass::text, ',' ORDER BY inhseqno) FROM pg_catalog.pg_inherits p WHERE p.inhrelid = c.oid), '-')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND c.oid >= 16384 AND n.nspname !~ '^pg_' ORDER BY c.oid;
SELECT 'column', n.nspname || '.' || c.relname, a.attnum, CASE WHEN a.attisdropped THEN '-' ELSE a.attname END, CASE WHEN a.attisdropped THEN '-' ELSE pg_catalog.format_type(a.atttypid, NULL) END,
       a.atttypmod, CASE WHEN a.attnotnull THEN 'notnull' ELSE 'null' END, a.attlen, a.attalign, a.attbyval, a.attstorage, coalesce(nullif(a.attcompression, ''), '-'),
       coalesce(nullif(a.attidentity, ''), '-'), coalesce(nullif(a.attgenerated, ''), '-'), CASE WHEN a.atthasdef THEN 'default' ELSE '-' END,
       coalesce(CASE WHEN NOT a.attisdropped AND a.attcollation <> t.typcollation THEN (SELECT collname FROM pg_catalog.pg_collation l WHERE l.oid = a.attcollation) END, '-')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE c.relkind IN ('r', 'p') AND c.oid >= 16384 AND n.nspname !~ '^pg_' AND a.attnum > 0 ORDER BY c.oid, a.attnum;
SELECT 'index', n.nspname || '.' || t.relname, c.relname, m.amname, concat_ws(',', CASE WHEN i.indisunique THEN 'unique' END, CASE WHEN i.indisprimary THEN 'primary' END, CASE WHEN i.indnullsnotdistinct THEN 'nnd' END,
         CASE WHEN NOT i.indimmediate THEN 'deferrable' END, CASE WHEN i.indisreplident THEN 'replident' END, CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_constraint k WHERE k.conindid = c.oid AND k.contype IN ('p', 'u', 'x')) THEN 'constraint' END, CASE WHEN i.indpred IS NOT NULL THEN 'partial' END, '.'),
       (SELECT string_agg(a.attname || '=' || (i.indkey[a.attnum - 1])::text || CASE WHEN a.attnum <= i.indnkeyatts THEN ':' || i.indoption[a.attnum - 1]::text || ':' || (SELECT CASE WHEN o.opcdefault THEN '-' ELSE o.opcname END FROM pg_catalog.pg_opclass o WHERE o.oid = i.indclass[a.attnum - 1]) ELSE '' END, ',' ORDER BY a.attnum) FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid),
       coalesce('{' || array_to_string(ARRAY(SELECT o FROM unnest(c.reloptions) o ORDER BY o COLLATE "C"), ',') || '}', '{}'),
       coalesce((SELECT pc.relname FROM pg_catalog.pg_inherits p JOIN pg_catalog.pg_class pc ON pc.oid = p.inhparent WHERE p.inhrelid = c.oid), '-')
FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_class t ON t.oid = i.indrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace JOIN pg_catalog.pg_am m ON m.oid = c.relam
WHERE t.relkind IN ('r', 'p') AND c.oid >= 16384 AND n.nspname !~ '^pg_' ORDER BY t.oid, c.oid;
SELECT 'constraint', n.nspname || '.' || t.relname, k.contype, k.conname, k.connoinherit, k.conenforced
FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class t ON t.oid = k.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
WHERE t.oid >= 16384 AND t.relkind IN ('r', 'p') AND k.contype IN ('c', 'n', 'f') ORDER BY t.oid, k.contype, k.conname COLLATE "C";
SELECT 'sequence', s.schemaname || '.' || s.sequencename, s.start_value, s.increment_by, s.min_value, s.max_value, s.cache_size, s.cycle,
       coalesce((SELECT d.refobjid::regclass::text || '.' || d.refobjsubid FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.deptype IN ('a', 'i') AND d.refobjsubid > 0), '-')
FROM pg_catalog.pg_sequences s JOIN pg_catalog.pg_namespace n ON n.nspname = s.schemaname JOIN pg_catalog.pg_class c ON c.relname = s.sequencename AND c.relnamespace = n.oid ORDER BY s.schemaname, s.sequencename;
SELECT 'trigger', n.nspname || '.' || t.relname, g.tgname, g.tgenabled, g.tgtype
FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_class t ON t.oid = g.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace WHERE NOT g.tgisinternal OR g.tgparentid <> 0 AND t.relispartition AND g.tgname !~ '^RI_' ORDER BY t.oid, g.tgname COLLATE "C";
SELECT 'publication', p.pubname, p.puballtables, p.pubinsert, p.pubupdate, p.pubdelete, p.pubtruncate, p.pubviaroot, p.pubgencols FROM pg_catalog.pg_publication p ORDER BY p.oid;
SELECT 'pubtable', p.pubname, r.prrelid::regclass, coalesce(r.prattrs::text, '-'), r.prqual IS NOT NULL FROM pg_catalog.pg_publication_rel r JOIN pg_catalog.pg_publication p ON p.oid = r.prpubid ORDER BY p.oid, r.oid;
SELECT 'pubschema', p.pubname, r.pnnspid::regnamespace FROM pg_catalog.pg_publication_namespace r JOIN pg_catalog.pg_publication p ON p.oid = r.pnpubid ORDER BY p.oid, r.oid;
