-- A version of a fact says since when it is no longer the current one: what no kept journal can name any more is forgotten. By
-- the server's clock, because a trigger has no other; whoever forgets leaves a day between.

alter table fact_history add column until_at bigint;

create function server_ms() returns bigint language sql volatile as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint
$$;

-- What ended before somebody wrote it down ended now.
update fact_history h set until_at = server_ms()
where exists (
    select from fact_history n where n.type = h.type and n.id = h.id and n.version > h.version
  ) or exists (
    select from config_change c
    where c.type = h.type and c.id = h.id and c.removed and c.version > h.version
  );

create index fact_history_by_end on fact_history (until_at) where until_at is not null;

create function end_fact(type text, id text, version bigint) returns void language sql as $$
  update fact_history h set until_at = server_ms()
  where h.type = $1 and h.id = $2 and h.version < $3 and h.until_at is null
$$;

create or replace function keep_fact(type text, id text, body jsonb) returns void language sql as $$
  select end_fact(type, id, (body ->> 'version')::bigint);
  insert into fact_history (type, id, version, body)
  values (type, id, (body ->> 'version')::bigint, body - quiet_columns())
  on conflict do nothing
$$;

-- As before, and a row that goes ends its last version.
create or replace function config_changed() returns trigger language plpgsql as $$
declare
  changed jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  next bigint := (changed ->> 'version')::bigint + case when tg_op = 'DELETE' then 1 else 0 end;
begin
  if tg_op = 'UPDATE' then
    if (to_jsonb(old) ->> 'version') = (changed ->> 'version') then
      return null;
    end if;
  end if;
  insert into config_change (type, id, version, removed)
  values (tg_argv[0], changed ->> tg_argv[1], next, tg_op = 'DELETE');
  if tg_argv[0] in ('program', 'cardholder', 'card', 'controls', 'fx_rate') then
    if tg_op = 'DELETE' then
      perform end_fact(tg_argv[0], changed ->> tg_argv[1], next);
    else
      perform keep_fact(tg_argv[0], changed ->> tg_argv[1], changed);
    end if;
  end if;
  perform pg_notify('svc_config', '');
  return null;
end $$;

create index on authentications (expires_at);
