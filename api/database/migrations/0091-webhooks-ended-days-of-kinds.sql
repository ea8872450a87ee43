-- As 0090, for ended deliveries: an index of each day, the oldest day first. It replaces the one of
-- an endpoint alone: lists without a filter go on with that of the tenant. As with 0087, the drop
-- and the join are a file of their own, and who ends deliveries of two days may deadlock with this
-- one: PostgreSQL ends one of them, and the dispatcher or the next run of the migrations repeats.
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
      'create index %I on %s (endpoint_id, (cause = ''event''), id collate "POSIX")',
      (select relname from pg_class where oid = day) || '_of_kind', day
    );
  end loop;
end
$$;
