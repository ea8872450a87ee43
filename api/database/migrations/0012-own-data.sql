-- What tenants keep with their resources, a clock of their own in the sandbox, operators of the installation.

alter table cards
  add column external_id  text,
  add column metadata     jsonb not null default '{}';
alter table cardholders
  add column external_id  text,
  add column metadata     jsonb not null default '{}';
alter table spending_controls
  add column external_id  text,
  add column metadata     jsonb not null default '{}';
alter table webhook_endpoints
  add column external_id  text,
  add column metadata     jsonb not null default '{}';
create unique index on cards (tenant_id, environment, external_id) where external_id is not null;
create unique index on cardholders (tenant_id, environment, external_id) where external_id is not null;
create unique index on spending_controls (tenant_id, environment, external_id) where external_id is not null;
create unique index on webhook_endpoints (tenant_id, environment, external_id) where external_id is not null;

-- A tenant's sandbox may be ahead of the installation, never behind what it was.
create table sandbox_clocks (
  tenant_id  text primary key references tenants,
  offset_ms  bigint not null check (offset_ms >= 0)
);

-- Milliseconds that a tenant's clock is ahead.
create function clock_offset(tenant text, environment text) returns bigint language sql stable as $$
  select coalesce((
    select offset_ms from sandbox_clocks where tenant_id = tenant and environment = 'sandbox'
  ), 0)
$$;

-- People who run the installation. Their credential is kept like an API key.
create table operators (
  id          text primary key,
  name        text not null,
  hash        bytea not null unique,
  last4       text not null,
  state       text not null default 'active' check (state in ('active', 'revoked')),
  created_at  bigint not null
);

-- Columns of facts that the engine never sees: changing nothing else is no other version of the fact. Where a column is added
-- to a table of facts, this says which kind it is.
create function quiet_columns() returns text[] language sql immutable as $$
  select array['sealed_pan', 'external_id', 'metadata', 'shipping', 'details', 'identity', 'screening', 'description']
$$;

create or replace function config_version() returns trigger language plpgsql as $$
declare
  fresh jsonb := to_jsonb(new);
  held  jsonb := case when tg_op = 'UPDATE' then to_jsonb(old) end;
begin
  if tg_op = 'UPDATE' then
    -- A row that is written as it was counts as changed: that is how a fact is said again.
    if fresh = held or fresh - quiet_columns() <> held - quiet_columns() then
      new.version := old.version + 1;
    end if;
  else
    new.version := 1 + coalesce((
      select max(version) from config_change
      where type = tg_argv[0] and id = fresh ->> tg_argv[1] and removed
    ), 0);
  end if;
  return new;
end $$;

create or replace function keep_fact(type text, id text, body jsonb) returns void language sql as $$
  insert into fact_history (type, id, version, body)
  values (type, id, (body ->> 'version')::bigint, body - quiet_columns())
  on conflict do nothing
$$;

create or replace function config_changed() returns trigger language plpgsql as $$
declare
  changed jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  if tg_op = 'UPDATE' then
    if (to_jsonb(old) ->> 'version') = (changed ->> 'version') then
      return null;
    end if;
  end if;
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
