-- Configuration, history and the two cursors between them and the engine. Times are milliseconds since the epoch,
-- given by the caller: business time never comes from SQL.

create table installation (
  one         boolean primary key default true check (one),
  id          uuid not null default gen_random_uuid()
);
insert into installation default values;

-- Names this database to the engine. A restored, cloned or promoted one is another: transaction ids mean nothing there.
create function database_identity() returns text language sql stable as $$
  select i.id || ':' || s.system_identifier || ':' || c.timeline_id || ':' || d.oid
  from installation i, pg_control_system() s, pg_control_checkpoint() c, pg_database d
  where d.datname = current_database()
$$;

-- The derivation root of fingerprints and CVCs, sealed under a master key that is never in this database.
create table derivation_root (
  id          text primary key check (id = 'root'),
  sealed      text not null,
  version     bigint not null default 1
);

create table network_keys (
  id            text primary key,
  network       text not null,
  environment   text not null check (environment in ('sandbox', 'live')),
  sealed_secret text not null,
  created_at    bigint not null,
  version       bigint not null default 1
);

create table tenants (
  id           text primary key,
  name         text not null,
  api_version  text not null,
  created_at   bigint not null
);

-- The gap-free counters behind lists of events and transactions; the row lock orders them by commit.
create table tenant_sequences (
  tenant_id        text not null references tenants,
  environment      text not null check (environment in ('sandbox', 'live')),
  event_seq        bigint not null default 0,
  transaction_seq  bigint not null default 0,
  primary key (tenant_id, environment)
);

create table api_keys (
  id            text primary key,
  tenant_id     text not null references tenants,
  environment   text not null check (environment in ('sandbox', 'live')),
  role          text not null check (role in ('secret', 'publishable')),
  scope         text not null check (scope in ('read', 'write', 'admin')),
  hash          bytea not null unique,
  last4         text not null,
  state         text not null default 'active' check (state in ('active', 'pending', 'revoked')),
  revoke_at     bigint,
  created_at    bigint not null
);

create table webhook_endpoints (
  id               text primary key,
  tenant_id        text not null references tenants,
  environment      text not null check (environment in ('sandbox', 'live')),
  url              text not null,
  description      text not null default '',
  event_types      text[],
  status           text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason  text,
  enabled_epoch    integer not null default 1,
  created_at       bigint not null,
  version          bigint not null default 1
);
create index on webhook_endpoints (tenant_id, environment, id);

-- Slot 0 signs first (the older secret), slot 1 second; the index allows two live ones, as Spec 2.9 does.
create table webhook_secrets (
  id           text primary key,
  endpoint_id  text not null references webhook_endpoints,
  slot         smallint not null check (slot in (0, 1)),
  sealed       text not null,
  created_at   bigint not null,
  revoked_at   bigint
);
create unique index on webhook_secrets (endpoint_id, slot) where revoked_at is null;

create table programs (
  id           text primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  name         text not null,
  status       text not null check (status in ('pending', 'active', 'suspended')),
  realtime     boolean not null default false,
  endpoint_id  text references webhook_endpoints,
  stand_in     text not null default 'controls' check (stand_in in ('controls', 'decline')),
  time_zone    text not null default 'UTC',
  created_at   bigint not null,
  version      bigint not null default 1
);

create table cardholders (
  id             text primary key,
  tenant_id      text not null references tenants,
  environment    text not null check (environment in ('sandbox', 'live')),
  program_id     text not null references programs,
  name           text not null,
  status         text not null check (status in ('active', 'inactive')),
  frozen         boolean not null default false,
  frozen_reason  text,
  created_at     bigint not null,
  version        bigint not null default 1
);
create index on cardholders (tenant_id, environment, id);

create table cards (
  id                text primary key,
  tenant_id         text not null references tenants,
  environment       text not null check (environment in ('sandbox', 'live')),
  program_id        text not null references programs,
  cardholder_id     text not null references cardholders,
  type              text not null check (type in ('virtual', 'physical')),
  status            text not null check (status in ('issued', 'active', 'suspended', 'terminated')),
  suspend_reason    text,
  terminate_reason  text,
  token             text not null unique,
  fingerprint       text not null,
  sealed_pan        text not null,
  last4             text not null,
  exp_month         smallint not null check (exp_month between 1 and 12),
  exp_year          smallint not null,
  cvc_verifier      text not null,
  currency          text not null,
  created_at        bigint not null,
  version           bigint not null default 1,
  unique (environment, fingerprint)
);
create index on cards (tenant_id, environment, id);

-- What binds one program, cardholder or card. Lists are {mode: allow | block, values: [...]}; limits are
-- [{id, interval, amount_cents, currency, time_zone}].
create table controls (
  subject_id   text primary key,
  scope        text not null check (scope in ('program', 'cardholder', 'card')),
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  mccs         jsonb,
  merchants    jsonb,
  countries    jsonb,
  limits       jsonb not null default '[]',
  version      bigint not null default 1
);

-- Every change of what the engine must know. The engine's cursor is a pg_snapshot: a row is new when its transaction is
-- not visible in it. A sequence alone would lose rows, because transactions commit out of order.
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

-- Changes of transactions before this one may have been deleted: a cursor that does not see all of them needs a full copy.
create table config_horizon (
  one  boolean primary key default true check (one),
  xid  xid8 not null default '0'
);
insert into config_horizon default values;

-- Arguments: fact type, name of the id column. A row that comes back under an old id continues after its removal:
-- otherwise what the engine remembers of the removal would keep it out.
create function config_version() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    new.version := old.version + 1;
  else
    new.version := 1 + coalesce((
      select max(version) from config_change
      where type = tg_argv[0] and id = to_jsonb(new) ->> tg_argv[1] and removed
    ), 0);
  end if;
  return new;
end $$;

-- Arguments: fact type, name of the id column.
create function config_changed() returns trigger language plpgsql as $$
declare
  changed jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  insert into config_change (type, id, version, removed)
  values (
    tg_argv[0], changed ->> tg_argv[1],
    (changed ->> 'version')::bigint + case when tg_op = 'DELETE' then 1 else 0 end,
    tg_op = 'DELETE'
  );
  perform pg_notify('svc_config', '');
  return null;
end $$;

do $$
declare
  row record;
begin
  for row in select * from (values
    ('derivation_root', 'root', 'id'), ('network_keys', 'network_key', 'id'), ('programs', 'program', 'id'),
    ('cardholders', 'cardholder', 'id'), ('cards', 'card', 'id'), ('controls', 'controls', 'subject_id'),
    ('webhook_endpoints', 'endpoint', 'id')
  ) as tables (name, type, id) loop
    execute format(
      'create trigger version before insert or update on %I for each row execute function config_version(%L, %L)',
      row.name, row.type, row.id);
    execute format(
      'create trigger changed after insert or update or delete on %I for each row execute function config_changed(%L, %L)',
      row.name, row.type, row.id);
  end loop;
end $$;

-- A secret belongs to its endpoint's fact, a tenant's pinned version to its programs': touching the parent versions it.
create function touch_endpoint() returns trigger language plpgsql as $$
begin
  update webhook_endpoints set url = url where id = coalesce(new.endpoint_id, old.endpoint_id);
  return null;
end $$;
create trigger touch after insert or update or delete on webhook_secrets for each row execute function touch_endpoint();

create function touch_programs() returns trigger language plpgsql as $$
begin
  update programs set name = name where tenant_id = new.id;
  return null;
end $$;
create trigger touch after update of api_version on tenants for each row execute function touch_programs();

-- History ------------------------------------------------------------------------------------------------------------

create table card_transactions (
  id              text primary key,
  tenant_id       text not null references tenants,
  environment     text not null,
  seq             bigint not null,
  card_id         text not null references cards,
  cardholder_id   text not null,
  network         text not null,
  message_id      text not null,
  status          text not null check (status in ('authorized', 'declined')),
  amount_cents    bigint not null check (amount_cents >= 0),
  approved_cents  bigint not null check (approved_cents >= 0),
  currency        text not null,
  decline_reason  text,
  created_at      bigint not null,
  sequence        integer not null default 1,
  -- The journal entry as drained, byte for byte: the view is made from it.
  entry           bytea not null,
  journal_seq     bigint not null,
  late_outcome    text,
  late_ms         bigint,
  late_disagrees  boolean,
  unique (network, message_id)
-- An entry of some kilobytes stays in its row uncompressed: compressing cost a third of the drain.
) with (toast_tuple_target = 8160);
create unique index on card_transactions (tenant_id, environment, seq);
create index on card_transactions (tenant_id, environment, card_id, seq);
create index on card_transactions (tenant_id, environment, created_at);

-- Messages for cards nobody here has. No tenant, so no event.
create table unmatched_messages (
  network      text not null,
  message_id   text not null,
  environment  text not null,
  created_at   bigint not null,
  journal_seq  bigint not null,
  entry        bytea not null,
  primary key (network, message_id)
);

create table events (
  id           text primary key,
  tenant_id    text not null references tenants,
  environment  text not null,
  seq          bigint not null,
  type         text not null,
  api_version  text not null,
  resource_id  text not null,
  created_at   bigint not null,
  -- The exact bytes every delivery sends and signs.
  body         bytea not null
) with (toast_tuple_target = 8160);
create unique index on events (tenant_id, environment, seq);
create index on events (tenant_id, environment, resource_id, seq);

-- One narrow row per event that has not been fanned out yet.
create table event_outbox (
  event_id     text primary key,
  tenant_id    text not null,
  environment  text not null,
  seq          bigint not null
);
create index on event_outbox (tenant_id, environment, seq);

-- How far the journal is in this database. Moves by compare-and-set in the transaction that writes the rows.
create table journal_cursor (
  one         boolean primary key default true check (one),
  journal_id  text not null,
  seq         bigint not null
);

-- Entries that Postgres refused for their content. Never dropped, never in the way of the next.
create table drain_quarantine (
  journal_id   text not null,
  journal_seq  bigint not null,
  error        text not null,
  entry        bytea not null,
  primary key (journal_id, journal_seq)
);

-- Delivery -----------------------------------------------------------------------------------------------------------

create table deliveries (
  id            text primary key,
  event_id      text not null references events,
  endpoint_id   text not null references webhook_endpoints,
  tenant_id     text not null,
  environment   text not null,
  state         text not null check (state in ('pending', 'succeeded', 'failed', 'held')),
  attempts      integer not null default 0,
  cycle         integer not null default 1,
  epoch         integer not null,
  due_at        bigint,
  lease_until   bigint not null default 0,
  lease_token   uuid,
  last_status   integer,
  last_error    text,
  finished_at   bigint,
  unique (event_id, endpoint_id, cycle)
);
create index on deliveries (tenant_id, due_at) where state = 'pending';
create index on deliveries (endpoint_id) where state in ('pending', 'held');

create table delivery_attempts (
  delivery_id  text not null references deliveries,
  cycle        integer not null,
  n            integer not null,
  started_at   bigint not null,
  duration_ms  integer not null,
  status       integer,
  error_class  text,
  body         text not null default '',
  primary key (delivery_id, cycle, n)
);
