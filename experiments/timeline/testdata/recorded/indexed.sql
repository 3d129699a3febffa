create table events (id bigint primary key, account_id integer not null, status smallint not null, payload text not null, updated_at timestamptz not null);
create index e_upd on events(updated_at);
create index e_acc on events(account_id);
create index e_acc_st on events(account_id, status);
create index e_st_upd on events(status, updated_at);
create index e1 on events(account_id, id);
create index e2 on events(status, id);
create index e3 on events(payload);
create index e4 on events(updated_at, account_id);
