-- Every version of what the engine decided by, so that a journal can be decided again. Nothing sealed is kept a second time.

create table fact_history (
  type     text not null,
  id       text not null,
  version  bigint not null,
  body     jsonb not null,
  primary key (type, id, version)
);

create function keep_fact(type text, id text, body jsonb) returns void language sql as $$
  insert into fact_history (type, id, version, body)
  values (type, id, (body ->> 'version')::bigint, body - 'sealed_pan')
  on conflict do nothing
$$;

-- As before, and the new row is kept where decisions name its version.
create or replace function config_changed() returns trigger language plpgsql as $$
declare
  changed jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  insert into config_change (type, id, version, removed)
  values (
    tg_argv[0], changed ->> tg_argv[1],
    (changed ->> 'version')::bigint + case when tg_op = 'DELETE' then 1 else 0 end,
    tg_op = 'DELETE'
  );
  if tg_op <> 'DELETE' and tg_argv[0] in ('program', 'cardholder', 'card', 'controls', 'fx_rate') then
    perform keep_fact(tg_argv[0], changed ->> tg_argv[1], changed);
  end if;
  perform pg_notify('svc_config', '');
  return null;
end $$;

select keep_fact('program', id, to_jsonb(p)) from programs p;
select keep_fact('cardholder', id, to_jsonb(c)) from cardholders c;
select keep_fact('card', id, to_jsonb(c)) from cards c;
select keep_fact('controls', subject_id, to_jsonb(c)) from controls c;
select keep_fact('fx_rate', id, to_jsonb(f)) from fx_rates f;
