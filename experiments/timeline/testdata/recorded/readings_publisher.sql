create table readings (id integer not null, device integer not null, value integer not null, note text not null);
create index readings_id_idx on readings(id);
alter table readings replica identity full;
