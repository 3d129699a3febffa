-- Beside the schema, on the subscriber: its worker waits about two milliseconds for each row: pg_sleep rounds up.
create function wait_a_little() returns trigger language plpgsql as 'begin perform pg_sleep(0.001); return null; end';
create trigger waits after insert or update on events for each row execute function wait_a_little();
alter table events enable replica trigger waits;
