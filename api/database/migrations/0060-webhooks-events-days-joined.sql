-- Joins the indexes that 0059 built to the one of 0058, which is valid with the last of them.
do $$
declare
  built regclass;
begin
  for built in
    select x.indexrelid::regclass
    from pg_inherits i join pg_index x on x.indrelid = i.inhrelid
    join pg_class c on c.oid = x.indexrelid
    where i.inhparent = 'events'::regclass and c.relname like '%\_by\_rare\_type'
      and not exists (select from pg_inherits j where j.inhrelid = x.indexrelid)
    order by c.relname
  loop
    execute format('alter index events_by_rare_type attach partition %s', built);
  end loop;
end
$$;
