#!/bin/sh
# record.sh HOST PORT [PG_DUMP]: runs features.sql on a real PostgreSQL 18 and
# records what its catalog then says (features.catalog), its dump
# (features_dump.sql) and the catalog after that dump is restored
# (features_dump.catalog). It creates and drops the databases schema_*.
set -eu
cd "$(dirname "$0")"
psql="psql -X -q -v ON_ERROR_STOP=1 -h $1 -p $2 -U postgres"
dump=${3:-pg_dump}
for db in schema_features schema_dump; do
  $psql -d postgres -c "DROP DATABASE IF EXISTS $db" -c "CREATE DATABASE $db"
done 2>/dev/null
$psql -d schema_features -f features.sql >/dev/null
$psql -A -t -F ' ' -d schema_features -f catalog.sql >features.catalog
$dump -h "$1" -p "$2" -U postgres -d schema_features >features_dump.sql
# psql before 18 does not know \restrict.
sed '/^\\restrict/d; /^\\unrestrict/d' features_dump.sql | $psql -d schema_dump -f - >/dev/null
$psql -A -t -F ' ' -d schema_dump -f catalog.sql >features_dump.catalog
for db in schema_features schema_dump; do
  $psql -d postgres -c "DROP DATABASE $db"
done
