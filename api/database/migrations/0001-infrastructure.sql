-- Tables of no domain: identity of the database, config records on their way to the engine,
-- position of the drain, idempotency keys, rate limits. Times are milliseconds since the epoch,
-- given by the caller; business time never comes from SQL.

create table installation (
  one  boolean primary key default true check (one),
  id   uuid not null default gen_random_uuid()
);

insert into installation default values;

-- Identity of this database for the engine. A restored, cloned or promoted database has another
-- one: transaction ids of the old one mean nothing in it.
create function database_identity() returns text language sql stable as $$
  select i.id || ':' || s.system_identifier || ':' || c.timeline_id || ':' || d.oid
  from installation i, pg_control_system() s, pg_control_checkpoint() c, pg_database d
  where d.datname = current_database()
$$;

-- Derivation root of fingerprints and CVCs, sealed under a master key that is never in this
-- database.
create table derivation_root (
  id       text primary key check (id = 'root'),
  sealed   text not null,
  version  bigint not null default 1
);

-- Changes of config records. The engine's cursor is a pg_snapshot: a row is new when its
-- transaction is not visible in it. A sequence alone would lose rows, because transactions commit
-- out of order.
create table config_change (
  seq      bigint generated always as identity primary key,
  xid      xid8 not null default pg_current_xact_id(),
  type     text not null,
  id       text not null,
  version  bigint not null,
  removed  boolean not null default false
);
create index on config_change (xid);
create index on config_change (type, id) where removed;

-- Oldest transaction whose changes are all present. A cursor that is older needs a full copy.
create table config_horizon (
  one  boolean primary key default true check (one),
  xid  xid8 not null default '0'
);

insert into config_horizon default values;

-- Milliseconds since the epoch by the server's clock.
create function server_ms() returns bigint language sql volatile as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint
$$;

-- Columns of config records that the engine never gets. A change of nothing else makes no new
-- version. A migration that adds a column for the API alone adds it here.
create function engine_blind_columns() returns text[] language sql immutable as $$
  select array[
    'sealed_pan', 'external_id', 'metadata', 'shipping', 'details', 'identity', 'screening', 'description',
    'name', 'freezes', 'screened_under', 'chain_id', 'address', 'recovery_address', 'credential_id',
    'public_x', 'public_y', 'enrolled_at', 'backed_up', 'enrolment_hash', 'enrolment_expires_at', 'balance_cents',
    'leaving_cents', 'as_of_block'
  ]
$$;

-- Versions of config records, from which `npm run replay` decides a journal again, without blind
-- columns. `until_at`: moment of the next version or the removal. It comes from the server's clock,
-- the only one a trigger has; retention leaves a day of margin.
create table config_history (
  type      text not null,
  id        text not null,
  version   bigint not null,
  body      jsonb not null,
  until_at  bigint,
  primary key (type, id, version)
);
create index config_history_by_end on config_history (until_at) where until_at is not null;

create function end_config_version(type text, id text, version bigint) returns void
language sql set enable_seqscan = off as $$
  update config_history h set until_at = server_ms()
  where h.type = $1 and h.id = $2 and h.version < $3 and h.until_at is null
$$;

create function keep_config_version(type text, id text, body jsonb) returns void language sql as $$
  select end_config_version(type, id, (body ->> 'version')::bigint);
  insert into config_history (type, id, version, body)
  values (type, id, (body ->> 'version')::bigint, body - engine_blind_columns())
  on conflict do nothing
$$;

-- Trigger arguments: type of the config record, name of its id column. A change of blind columns
-- keeps the version: PIN tries hang on a card's version, and only the tenant resets them. A row
-- that comes back under an old id continues after its removal, because the engine ignores older
-- versions.
create function config_version() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  fresh jsonb := to_jsonb(new);
  held  jsonb := case when tg_op = 'UPDATE' then to_jsonb(old) end;
begin
  if tg_op = 'UPDATE' then
    -- An update that changes nothing makes a new version: it sends the record to the engine again.
    if fresh = held or fresh - engine_blind_columns() <> held - engine_blind_columns() then
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
create trigger version before insert or update on derivation_root
  for each row execute function config_version('root', 'id');

-- Trigger arguments: type of the config record, name of its id column. Records the change and keeps
-- the new version; a deletion ends the last one.
create function config_changed() returns trigger language plpgsql as $$
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
      perform end_config_version(tg_argv[0], changed ->> tg_argv[1], next);
    else
      perform keep_config_version(tg_argv[0], changed ->> tg_argv[1], changed);
    end if;
  end if;
  perform pg_notify('svc_config', '');
  return null;
end $$;
create trigger changed after insert or update or delete on derivation_root
  for each row execute function config_changed('root', 'id');

-- Position of the drain in the journal. It moves by compare-and-set in the transaction that writes
-- the rows.
create table journal_cursor (
  one         boolean primary key default true check (one),
  journal_id  text not null,
  seq         bigint not null
);

-- Journal entries that PostgreSQL refused for their content. The drain keeps them here and goes on.
create table drain_quarantine (
  journal_id   text not null,
  journal_seq  bigint not null,
  error        text not null,
  entry        bytea not null,
  primary key (journal_id, journal_seq)
);

-- Answers of calls with an Idempotency-Key. A row without an answer is the claim of a running call;
-- only its own transaction sees it.
create table idempotency_keys (
  tenant_id    text not null,
  environment  text not null check (environment in ('sandbox', 'live')),
  key          text not null check (length(key) between 1 and 255),
  -- One text per row, for `npm run rekey`. It is unique, because neither an id nor an environment
  -- holds a slash.
  id           text not null generated always as (tenant_id || '/' || environment || '/' || key) stored,
  -- Fingerprint and answer of the call, sealed: an answer may hold a secret that is shown once.
  sealed       text,
  -- By the tenant's clock.
  created_at   bigint not null,
  primary key (tenant_id, environment, key)
);
create unique index on idempotency_keys (id);
create index on idempotency_keys (created_at);

-- Token buckets: the tokens left, and the tokens that processes leased in advance, {"process":
-- [tokens, until]}. A crash of PostgreSQL fills every bucket again. `tenant_id` holds an operator's
-- id for operators.
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

-- Leases up to `wanted` tokens to a process for `lease_ms`, beside the `kept` ones it still has; a
-- negative `wanted` returns tokens. Leased tokens count as part of the bucket, so that it never
-- fills beyond twice the limit. Tokens kept beyond their lease stay the process's own unless the
-- bucket filled up meanwhile: then they are paid for anew, and `granted` is negative where the
-- bucket lacks them. `level` remains in the row. Time is the database's, the only clock that all
-- processes share; `now_ms` replaces it in tests.
create function lease_tokens(
  owner_id text, owner_environment text, bucket_name text, process text,
  kept integer, wanted integer, per_minute integer, lease_ms integer, now_ms double precision,
  out granted integer, out level double precision
) language plpgsql as $$
declare
  cap   constant double precision := 2 * per_minute;
  row   rate_buckets;
  now   double precision;
  -- Latest expiry of a lease since the row was written: until then the bucket had less room.
  edge  double precision;
  -- Expired leases whose tokens may come back: the bucket had room for them.
  late  jsonb;
  -- Tokens that the process kept and has paid for: all of them, or none.
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
  -- If the clock was set back, time stands still until it catches up: no minute fills a bucket
  -- twice. Every bucket is full after two minutes, so a clock that was further ahead is believed at
  -- once.
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

-- Trigger of tables whose rows never change.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'a row of % never changes', tg_table_name;
end $$;
