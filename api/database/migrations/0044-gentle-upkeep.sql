-- Autovacuum looked through what is only ever added to in bursts: 30,000 pages of a table that had grown by a tenth, for statistics
-- that plans by index do not ask for, and every new page of one that had grown by a fifth. After a checkpoint each of these pages
-- is written twice, once of them to the log: 40 MB a second, beside the journal.

-- Kept for ever: vacuumed as before, but at a tenth of the pace.
alter table card_transactions set (autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_cost_delay = 20);
alter table card_transaction_messages set (autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_cost_delay = 20);

-- Rows that are there for a moment: nothing is gained by looking at them before they are gone.
alter table event_outbox set (autovacuum_vacuum_insert_threshold = -1);

-- A day goes as a whole, long before its rows have to be frozen.
create function set_upkeep_of_day(name text) returns void language plpgsql as $$
begin
  execute format(
    'alter table %I set (autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 1,'
    ' autovacuum_vacuum_cost_delay = 20)', name
  );
end
$$;

create or replace function make_day(kept text, key text, prefix text, day date) returns void language plpgsql as $$
declare
  name text := kept || '_' || to_char(day, 'YYYYMMDD');
  floor text := id_floor(prefix, day_start_ms(day));
  ceiling text := id_floor(prefix, day_start_ms(day + 1));
begin
  if to_regclass(name) is not null then return; end if;
  execute format('create table %I (like %I including all)', name, kept);
  perform set_upkeep_of_day(name);
  if kept = 'events' then execute format('alter table %I set (toast_tuple_target = 8160)', name); end if;
  execute format(
    'with moved as (delete from %I where %I >= %L and %I < %L returning *) insert into %I select * from moved',
    kept || '_other', key, floor, key, ceiling, name
  );
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', kept, name, floor, ceiling);
end
$$;

select set_upkeep_of_day(p.relid::regclass::text)
from day_tables() t cross join pg_partition_tree(t.kept::regclass) p where p.isleaf;
