-- The index of 0058 for each day that was there before it, the oldest day first: nothing is written
-- to days that have ended, so the drain waits only for today's, which is among the last.
do $$
declare
  day regclass;
begin
  for day in
    select c.oid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'events'::regclass and not exists (
      select from pg_inherits j join pg_index x on x.indexrelid = j.inhrelid
      where j.inhparent = 'events_by_rare_type'::regclass and x.indrelid = c.oid
    )
    order by c.relname
  loop
    execute format(
      'create index %I on %s (tenant_id, environment, type, seq)'
      ' where type not in (''card.transaction.authorized'', ''card.transaction.captured'')',
      (select relname from pg_class where oid = day) || '_by_rare_type', day
    );
  end loop;
end
$$;
