create table readings (id integer not null, device integer not null, value integer not null, note text not null);
create index readings_device_idx on readings(device);
alter table readings replica identity full;
