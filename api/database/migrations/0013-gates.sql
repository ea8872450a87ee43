-- What the gates of the API stand on: where keys may be used from and where they were, limits that hold across processes,
-- and a bell that rings in every process when what it remembers about a credential is no longer so.

alter table api_keys
  -- Address ranges it may be used from; none: from anywhere.
  add column cidrs         text[] not null default '{}',
  -- By its tenant's clock, at most once a minute.
  add column last_used_at  bigint,
  add column last_used_ip  text;

-- Where a secret key arrived together with an Origin: somebody has put it into a web page.
create table secret_key_sightings (
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  key_id       text not null references api_keys on delete cascade,
  origin       text not null,
  first_at     bigint not null,
  last_at      bigint not null,
  count        bigint not null,
  primary key (key_id, origin)
);

-- Wider limits for a load test. `expires_at` is the installation's time.
create table rate_limit_overrides (
  tenant_id    text not null references tenants,
  environment  text not null check (environment = 'sandbox'),
  factor       integer not null check (factor between 1 and 1000),
  expires_at   bigint not null,
  primary key (tenant_id, environment)
);

-- One row per token bucket: what is left in it, and what processes have taken out in advance, as
-- {"process": [tokens, until]}. A crash of PostgreSQL fills every bucket again. `tenant_id` is an operator's id for operators.
create unlogged table rate_buckets (
  tenant_id    text not null,
  environment  text not null check (environment in ('sandbox', 'live')),
  bucket       text not null,
  tokens       double precision not null,
  at_ms        double precision not null,
  leases       jsonb not null default '{}',
  primary key (tenant_id, environment, bucket)
);

create function leased_tokens(leases jsonb, after_ms double precision) returns double precision
language sql immutable as $$
  select coalesce(sum((value ->> 0)::double precision), 0) from jsonb_each(leases)
  where (value ->> 1)::double precision > after_ms
$$;

-- Gives a process up to `wanted` tokens of a bucket beside the `kept` ones it still holds, for `lease_ms`; where `wanted` is
-- less than nothing it gives as many back. What is out on lease counts as being in the bucket: it never fills beyond twice
-- the limit. What a process kept longer than its lease is still its own unless the bucket filled up meanwhile: then it is
-- paid for anew, and `granted` is less than nothing where there is not enough. `level` is what remains in the row. Time is
-- the database's own, the only one that all processes share; `now_ms` replaces it in tests.
create function lease_tokens(
  owner_id text, owner_environment text, bucket_name text, process text,
  kept integer, wanted integer, per_minute integer, lease_ms integer, now_ms double precision,
  out granted integer, out level double precision
) language plpgsql as $$
declare
  cap   constant double precision := 2 * per_minute;
  row   rate_buckets;
  now   double precision;
  -- The last lease that ran out since the row was written: until then the bucket had less room.
  edge  double precision;
  -- Leases that ran out and whose tokens may come back: there was room for them beside everything else.
  late  jsonb;
  -- What the process kept and has paid for: all of it, or nothing.
  paid  double precision;
begin
  select * into row from rate_buckets b
  where b.tenant_id = owner_id and b.environment = owner_environment and b.bucket = bucket_name
  for update;
  if not found then
    insert into rate_buckets (tenant_id, environment, bucket, tokens, at_ms)
    values (owner_id, owner_environment, bucket_name, cap, coalesce(now_ms, 0))
    on conflict do nothing;
    select * into row from rate_buckets b
    where b.tenant_id = owner_id and b.environment = owner_environment and b.bucket = bucket_name
    for update;
  end if;
  now := coalesce(now_ms, extract(epoch from clock_timestamp()) * 1000);
  -- Where the clock was set back, time stands still until it is where it was: no minute fills a bucket twice. Nothing takes
  -- longer to fill than two minutes, so a clock that was further ahead is believed at once.
  if now between row.at_ms - 120000 and row.at_ms then
    now := row.at_ms;
  end if;
  select max((value ->> 1)::double precision) into edge from jsonb_each(row.leases)
  where (value ->> 1)::double precision <= now;
  edge := least(now, greatest(row.at_ms, coalesce(edge, 0)));
  level := least(
    row.tokens + greatest(0, edge - row.at_ms) * per_minute / 60000,
    cap - leased_tokens(row.leases, row.at_ms)
  );
  level := least(
    level + greatest(0, now - edge) * per_minute / 60000,
    cap - leased_tokens(row.leases, now)
  );
  select coalesce(jsonb_object_agg(key, value), '{}') into late from jsonb_each(row.leases)
  where (value ->> 1)::double precision <= now;
  if level + leased_tokens(row.leases, now) + leased_tokens(late, 0) > cap then
    row.leases := row.leases - array(select jsonb_object_keys(late));
    late := '{}';
  end if;
  paid := case when row.leases ? process then kept else 0 end;
  level := greatest(0, least(level, cap - leased_tokens(row.leases - process, now) - paid));
  granted := least(wanted + kept - paid, floor(level)) - (kept - paid);
  level := level - granted - (kept - paid);
  update rate_buckets b
  set tokens = level, at_ms = now, leases = (
    select coalesce(jsonb_object_agg(key, value), '{}') from (
      select key, value from jsonb_each(row.leases)
      where key <> process and (value ->> 0)::double precision > 0
      union all
      select process, jsonb_build_array(kept + granted, now + lease_ms)
    ) held
  )
  where b.tenant_id = owner_id and b.environment = owner_environment and b.bucket = bucket_name;
end $$;

-- The payload names what to forget: a credential's hash in hex, `tenant:<id>`, or nothing for everything.
create function credential_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform pg_notify('auth', encode(old.hash, 'hex'));
  end if;
  if tg_op <> 'DELETE' then
    perform pg_notify('auth', encode(new.hash, 'hex'));
  end if;
  return null;
end $$;
create trigger credential_changed
  after insert or delete or update of hash, tenant_id, environment, role, scope, state, revoke_at, cidrs on api_keys
  for each row execute function credential_changed();
create trigger credential_changed after insert or update or delete on operators
  for each row execute function credential_changed();

create function credentials_of_tenant_changed() returns trigger language plpgsql as $$
declare
  changed jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  perform pg_notify('auth', 'tenant:' || (changed ->> tg_argv[0]));
  return null;
end $$;
create trigger credentials_changed after update of api_version on tenants
  for each row execute function credentials_of_tenant_changed('id');
create trigger credentials_changed after insert or update or delete on sandbox_clocks
  for each row execute function credentials_of_tenant_changed('tenant_id');
create trigger credentials_changed after insert or update or delete on rate_limit_overrides
  for each row execute function credentials_of_tenant_changed('tenant_id');

create function credentials_all_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('auth', '');
  return null;
end $$;
create trigger credentials_all_changed after truncate on api_keys
  for each statement execute function credentials_all_changed();
create trigger credentials_all_changed after truncate on operators
  for each statement execute function credentials_all_changed();
