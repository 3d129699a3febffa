-- Read-only. It reads statistics views and catalogs, no table of yours. The most common
-- values of columns with few different ones are in the result. Run it with psql on the
-- publisher, or on an existing subscriber:
--   psql -XAtq -f query.sql DATABASE > stats.json
-- Run twice some time apart, the two files give the rates between them.
WITH settings AS (
  SELECT pg_catalog.jsonb_object_agg(name, pg_catalog.current_setting(name)) AS j
  FROM pg_catalog.pg_settings
  WHERE name IN ('server_version', 'wal_level', 'full_page_writes', 'data_checksums', 'wal_log_hints',
    'track_commit_timestamp', 'synchronize_seqscans', 'wal_compression', 'synchronous_commit', 'shared_buffers',
    'max_wal_size', 'min_wal_size', 'checkpoint_timeout', 'checkpoint_completion_target', 'wal_segment_size',
    'wal_buffers', 'wal_writer_delay', 'wal_writer_flush_after', 'default_toast_compression',
    'maintenance_work_mem', 'autovacuum', 'autovacuum_naptime', 'autovacuum_max_workers',
    'autovacuum_vacuum_threshold', 'autovacuum_vacuum_max_threshold', 'autovacuum_vacuum_scale_factor',
    'autovacuum_vacuum_insert_threshold', 'autovacuum_vacuum_insert_scale_factor',
    'autovacuum_analyze_threshold', 'autovacuum_analyze_scale_factor', 'autovacuum_vacuum_cost_delay',
    'autovacuum_vacuum_cost_limit', 'vacuum_cost_delay', 'vacuum_cost_limit', 'vacuum_freeze_min_age',
    'vacuum_freeze_table_age', 'autovacuum_freeze_max_age', 'max_parallel_apply_workers_per_subscription')
),
publications AS (
  SELECT coalesce(pg_catalog.jsonb_agg(DISTINCT pg_catalog.jsonb_build_object('name', pubname)), '[]') AS j
  FROM pg_catalog.pg_publication
),
subscriptions AS (
  SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', s.subname, 'binary', s.subbinary,
    'streaming', s.substream) ORDER BY s.subname), '[]') AS j
  FROM pg_catalog.pg_subscription s JOIN pg_catalog.pg_database d ON d.oid = s.subdbid
  WHERE d.datname = pg_catalog.current_database()
),
rels AS (
  SELECT c.oid, c.relname, c.relkind, c.relpersistence, c.reltuples, c.relpages, c.relallvisible, c.reloptions, c.relreplident,
    c.reltoastrelid, n.nspname,
    (SELECT pg_catalog.format('%I.%I', pn.nspname, p.relname) FROM pg_catalog.pg_inherits i
      JOIN pg_catalog.pg_class p ON p.oid = i.inhparent JOIN pg_catalog.pg_namespace pn ON pn.oid = p.relnamespace
      WHERE i.inhrelid = c.oid AND c.relispartition ORDER BY i.inhseqno LIMIT 1) AS parent
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND c.relpersistence IN ('p', 'u')
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'
),
columns AS (
  SELECT a.attrelid, pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod), 'not_null', a.attnotnull,
      'n_distinct', s.n_distinct, 'null_frac', s.null_frac, 'avg_width', s.avg_width, 'correlation', s.correlation,
      'values', CASE WHEN pg_catalog.array_length(s.most_common_freqs, 1) <= 50 AND s.avg_width <= 64
        THEN pg_catalog.to_jsonb(s.most_common_vals::text::text[]) END,
      'freqs', CASE WHEN pg_catalog.array_length(s.most_common_freqs, 1) <= 50 AND s.avg_width <= 64
        THEN pg_catalog.to_jsonb(s.most_common_freqs) END,
      'top_freq', s.most_common_freqs[1]) ORDER BY a.attnum) AS j
  FROM rels r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_catalog.pg_stats s ON s.schemaname = r.nspname AND s.tablename = r.relname
      AND s.attname = a.attname AND s.inherited = (r.relkind = 'p')
  GROUP BY a.attrelid
),
indexes AS (
  SELECT i.indrelid, pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'name', c.relname, 'method', m.amname, 'unique', i.indisunique, 'primary', i.indisprimary, 'valid', i.indisvalid,
      'replica_identity', i.indisreplident,
      'constraint', EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x')),
      'definition', pg_catalog.pg_get_indexdef(i.indexrelid),
      'pages', c.relpages, 'tuples', c.reltuples,
      'idx_scan', u.j -> 'idx_scan', 'idx_tup_read', u.j -> 'idx_tup_read', 'idx_tup_fetch', u.j -> 'idx_tup_fetch',
      'last_idx_scan', u.j -> 'last_idx_scan') ORDER BY i.indexrelid) AS j
  FROM rels r JOIN pg_catalog.pg_index i ON i.indrelid = r.oid
    JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_am m ON m.oid = c.relam
    LEFT JOIN (SELECT v.indexrelid, pg_catalog.to_jsonb(v) AS j FROM pg_catalog.pg_stat_user_indexes v) u ON u.indexrelid = i.indexrelid
  GROUP BY i.indrelid
),
tables AS (
  SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'schema', r.nspname, 'name', r.relname, 'kind', r.relkind, 'persistence', r.relpersistence, 'partition_of', r.parent,
      'replica_identity', r.relreplident, 'reloptions', r.reloptions,
      'reltuples', r.reltuples, 'relpages', r.relpages, 'relallvisible', r.relallvisible,
      'toast_pages', (SELECT t.relpages FROM pg_catalog.pg_class t WHERE t.oid = r.reltoastrelid),
      'published', EXISTS (SELECT FROM pg_catalog.pg_publication_tables p WHERE p.schemaname = r.nspname AND p.tablename = r.relname),
      'counters', (SELECT pg_catalog.to_jsonb(v) - 'relid' - 'schemaname' - 'relname' FROM pg_catalog.pg_stat_user_tables v WHERE v.relid = r.oid),
      'columns', coalesce(c.j, '[]'), 'indexes', coalesce(i.j, '[]')) ORDER BY r.oid), '[]') AS j
  FROM rels r LEFT JOIN columns c ON c.attrelid = r.oid LEFT JOIN indexes i ON i.indrelid = r.oid
)
SELECT pg_catalog.jsonb_build_object(
  'applysim_stats', 1,
  'taken', pg_catalog.clock_timestamp(),
  'since', coalesce((SELECT d.stats_reset FROM pg_catalog.pg_stat_database d WHERE d.datname = pg_catalog.current_database()),
    (SELECT w.stats_reset FROM pg_catalog.pg_stat_wal w)),
  'reset', (SELECT d.stats_reset FROM pg_catalog.pg_stat_database d WHERE d.datname = pg_catalog.current_database()),
  'server_version_num', pg_catalog.current_setting('server_version_num')::int,
  'database', pg_catalog.current_database(),
  'collation', (SELECT d.datcollate FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()),
  'in_recovery', pg_catalog.pg_is_in_recovery(),
  'commits', (SELECT d.xact_commit FROM pg_catalog.pg_stat_database d WHERE d.datname = pg_catalog.current_database()),
  'settings', (SELECT j FROM settings),
  'publications', (SELECT j FROM publications),
  'subscriptions', (SELECT j FROM subscriptions),
  'tables', (SELECT j FROM tables)) AS stats;
