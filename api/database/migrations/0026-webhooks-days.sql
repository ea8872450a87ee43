-- Days of history are made and dropped with the rights of their owner: the processes then need no
-- right to make or drop tables.
alter function make_days(bigint, integer) security definer;
alter function make_days(bigint, integer) set search_path from current;

-- Drops one day of one table; refuses every other table.
create function drop_day(name text) returns void language plpgsql security definer as $$
begin
  if not exists (select from day_tables() where name ~ ('^' || kept || '_[0-9]{8}$')) then
    raise exception '% is no day of history', name;
  end if;
  execute format('drop table if exists %I', name);
end
$$;
alter function drop_day(text) set search_path from current;
