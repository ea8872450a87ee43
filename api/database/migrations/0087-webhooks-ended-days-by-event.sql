-- As 0086, for ended deliveries: an index of each day, the oldest day first. The drop and the join
-- are 0088, because a transaction that holds a day and then waits for the whole table deadlocks
-- with each that writes to that day. One that ends deliveries of two days may deadlock with this
-- file: PostgreSQL ends one of them, and the dispatcher or the next run of the migrations repeats.
do $$
declare
  day regclass;
begin
  for day in
    select c.oid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'ended_deliveries'::regclass
    order by c.relname
  loop
    execute format(
      'create index %I on %s (tenant_id, environment, id collate "POSIX", (cause = ''event''))',
      (select relname from pg_class where oid = day) || '_in_list', day
    );
  end loop;
end
$$;
