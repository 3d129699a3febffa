-- Read-only. It reads statistics views and settings, no table of yours. Run it with psql in
-- the publisher's database and in the subscriber's, and again some minutes later, all into
-- one file (versions 15 to 18; as a role of pg_monitor or a superuser):
--   psql -XAtq -f query.sql DATABASE >> observed.json
-- applysim compare-observed SCENARIO.toml observed.json says where the model differs.
WITH here AS (
  SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn() ELSE pg_catalog.pg_current_wal_lsn() END AS lsn
),
settings AS (
  SELECT pg_catalog.jsonb_object_agg(name, pg_catalog.current_setting(name)) AS j
  FROM pg_catalog.pg_settings
  WHERE name IN ('wal_level', 'full_page_writes', 'wal_segment_size', 'max_wal_size', 'wal_keep_size', 'max_slot_wal_keep_size',
    'idle_replication_slot_timeout', 'checkpoint_timeout', 'checkpoint_completion_target', 'logical_decoding_work_mem',
    'synchronous_commit', 'synchronous_standby_names', 'max_parallel_apply_workers_per_subscription')
),
tables AS (
  SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('schema', t.schemaname, 'name', t.relname,
    'n_tup_ins', t.n_tup_ins, 'n_tup_upd', t.n_tup_upd, 'n_tup_del', t.n_tup_del, 'n_tup_hot_upd', t.n_tup_hot_upd)
    ORDER BY t.schemaname, t.relname), '[]') AS j
  FROM pg_catalog.pg_stat_user_tables t WHERE t.n_tup_ins + t.n_tup_upd + t.n_tup_del > 0
)
SELECT pg_catalog.jsonb_build_object(
  'applysim_pipeline', 1,
  'taken', pg_catalog.clock_timestamp(),
  'server_version_num', pg_catalog.current_setting('server_version_num')::int,
  'system', (SELECT c.system_identifier::text FROM pg_catalog.pg_control_system() c),
  'database', pg_catalog.current_database(),
  'current_lsn', (SELECT lsn::text FROM here),
  'settings', (SELECT j FROM settings),
  'tables', (SELECT j FROM tables),
  'commits', (SELECT d.xact_commit FROM pg_catalog.pg_stat_database d WHERE d.datname = pg_catalog.current_database()),
  'pg_stat_wal', (SELECT pg_catalog.to_jsonb(w) FROM pg_catalog.pg_stat_wal w),
  'pg_replication_slots', (SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(s) ORDER BY s.slot_name), '[]') FROM pg_catalog.pg_replication_slots s),
  'pg_stat_replication_slots', (SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(s) ORDER BY s.slot_name), '[]') FROM pg_catalog.pg_stat_replication_slots s),
  'pg_stat_replication', (SELECT coalesce(pg_catalog.jsonb_agg((pg_catalog.to_jsonb(r) - ARRAY['usename', 'client_addr', 'client_hostname', 'client_port'])
      || pg_catalog.jsonb_build_object('write_lag_s', extract(epoch FROM r.write_lag), 'flush_lag_s', extract(epoch FROM r.flush_lag),
      'replay_lag_s', extract(epoch FROM r.replay_lag)) ORDER BY r.application_name), '[]') FROM pg_catalog.pg_stat_replication r),
  'pg_stat_subscription', (SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(s) ORDER BY s.subname), '[]') FROM pg_catalog.pg_stat_subscription s),
  'pg_stat_subscription_stats', (SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(s) ORDER BY s.subname), '[]') FROM pg_catalog.pg_stat_subscription_stats s)) AS observed;
