-- Passes that came into their first wallet, and that left their last one, by day (UTC, the tenant's
-- clock): a picture of them reads no pass.
create table pass_days (
  tenant_id    text not null,
  environment  text not null,
  template_id  text collate "C" not null,
  day          integer not null,
  installed    bigint not null,
  removed      bigint not null,
  primary key (tenant_id, environment, template_id, day)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
create index on pass_days (template_id);
create index on pass_days (tenant_id, environment, day);

-- Moment from which on days are counted.
create table pass_days_begun (at bigint not null);
insert into pass_days_begun values ((extract(epoch from now()) * 1000)::bigint);

-- As before, and changes of the status are counted by their day too. Code of the release before
-- changes passes through the same trigger.
create or replace function count_passes() returns trigger language plpgsql as $$
declare
  moved bigint;
begin
  if tg_op = 'INSERT' then
    insert into pass_counts as c (tenant_id, environment, template_id, status, day, count)
      select tenant_id, environment, template_id, status, created_at / 86400000, count(*) from after_rows
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (tenant_id, environment, template_id, status, day) do update set count = c.count + excluded.count;
  elsif tg_op = 'DELETE' then
    insert into pass_counts as c (tenant_id, environment, template_id, status, day, count)
      select tenant_id, environment, template_id, status, created_at / 86400000, -count(*) from before_rows
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (tenant_id, environment, template_id, status, day) do update set count = c.count + excluded.count;
  else
    insert into pass_counts as c (tenant_id, environment, template_id, status, day, count)
      select tenant_id, environment, template_id, status, day, sum(n) from (
        select a.tenant_id, a.environment, a.template_id, a.status, a.created_at / 86400000 as day, 1 as n
        from after_rows a join before_rows b using (id) where a.status <> b.status
        union all
        select b.tenant_id, b.environment, b.template_id, b.status, b.created_at / 86400000, -1
        from after_rows a join before_rows b using (id) where a.status <> b.status
      ) moved
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (tenant_id, environment, template_id, status, day) do update set count = c.count + excluded.count;
    -- A fan-out keeps the status of its passes.
    get diagnostics moved = row_count;
    if moved = 0 then return null; end if;
    insert into pass_days as d (tenant_id, environment, template_id, day, installed, removed)
      select a.tenant_id, a.environment, a.template_id, a.updated_at / 86400000,
        count(*) filter (where a.status = 'installed'), count(*) filter (where a.status = 'removed')
      from after_rows a join before_rows b using (id)
      where a.status <> b.status and a.status in ('installed', 'removed')
      group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (tenant_id, environment, template_id, day)
      do update set installed = d.installed + excluded.installed, removed = d.removed + excluded.removed;
  end if;
  return null;
end
$$;
