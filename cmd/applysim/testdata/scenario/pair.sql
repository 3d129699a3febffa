create table events (id bigint primary key, account_id integer not null, status smallint not null, payload text not null, updated_at timestamptz not null);
