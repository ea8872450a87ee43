-- Tenants, operators, networks, sandboxes, the audit log.

create table tenants (
  id                 text primary key,
  name               text not null,
  api_version        text not null,
  created_at         bigint not null,
  realtime_entitled  boolean not null default false,
  legal_name         text,
  country            text check (country ~ '^[A-Z]{2}$'),
  kyb_status         text not null default 'pending' check (kyb_status in ('pending', 'approved', 'rejected')),
  kyb_reason         text,
  kyb_decided_at     bigint,
  -- The three are null while the tenant is not suspended.
  suspended_by       text check (suspended_by in ('regulator', 'sponsor_bank', 'provider_risk')),
  suspend_reason     text,
  suspended_at       bigint
);

-- Gap-free counters of events and transactions; the row lock orders them by commit.
create table tenant_sequences (
  tenant_id        text not null references tenants,
  environment      text not null check (environment in ('sandbox', 'live')),
  event_seq        bigint not null default 0,
  transaction_seq  bigint not null default 0,
  primary key (tenant_id, environment)
);

-- Operators of the installation. Their credential is kept like an API key.
create table operators (
  id          text primary key,
  name        text not null,
  hash        bytea not null unique,
  last4       text not null,
  state       text not null default 'active' check (state in ('active', 'revoked')),
  created_at  bigint not null
);

-- Message ids are unique within a network, whatever the environment; a network belongs to one
-- environment.
create function one_environment_per_network() returns trigger language plpgsql as $$
begin
  if exists (
    select from network_keys where network = new.network and environment <> new.environment
  ) then
    raise exception 'the network % is one of the other environment already', new.network
      using errcode = 'unique_violation';
  end if;
  return new;
end $$;

create table network_keys (
  id             text primary key,
  -- The network of payments is ours alone.
  network        text not null check (network <> 'payments'),
  environment    text not null check (environment in ('sandbox', 'live')),
  sealed_secret  text not null,
  created_at     bigint not null,
  version        bigint not null default 1
);
create trigger one_environment before insert or update of network, environment on network_keys
  for each row execute function one_environment_per_network();
create trigger version before insert or update on network_keys
  for each row execute function config_version('network_key', 'id');
create trigger changed after insert or update or delete on network_keys
  for each row execute function config_changed('network_key', 'id');

-- A sandbox clock may be ahead of the installation's and never goes back.
create table sandbox_clocks (
  tenant_id  text primary key references tenants,
  offset_ms  bigint not null check (offset_ms >= 0)
);

-- Milliseconds by which a tenant's clock is ahead.
create function clock_offset(tenant text, environment text) returns bigint language sql stable as $$
  select coalesce((
    select offset_ms from sandbox_clocks where tenant_id = tenant and environment = 'sandbox'
  ), 0)
$$;

-- Wipes of sandboxes.
create table sandbox_wipes (
  tenant_id  text primary key references tenants,
  -- Number of wipes.
  wipes      integer not null default 1,
  -- Last wipe, by the installation's clock.
  wiped_at   bigint not null
);

-- Transactions of a wiped sandbox that the engine may still report: an expired hold, a late reply.
create table wiped_transactions (
  id           text primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment = 'sandbox')
);

-- Wider rate limits for a load test. `expires_at` is by the installation's clock.
create table rate_limit_overrides (
  tenant_id    text not null references tenants,
  environment  text not null check (environment = 'sandbox'),
  factor       integer not null check (factor between 1 and 1000),
  expires_at   bigint not null,
  primary key (tenant_id, environment)
);

-- Last link of each audit log. Its row lock numbers the rows without gaps, in the order of commits.
create table audit_heads (
  tenant_id    text not null,
  environment  text not null check (environment in ('sandbox', 'live')),
  seq          bigint not null,
  hash         bytea not null,
  primary key (tenant_id, environment)
);

-- Audit log: one row per change, never changed and never deleted. `hash` is SHA-256 over the
-- previous row's hash and every column of this one. Changes by operators that concern no tenant
-- have their own log, under 'installation'.
create table audit_log (
  id             text not null unique,
  tenant_id      text not null,
  environment    text not null check (environment in ('sandbox', 'live')),
  seq            bigint not null,
  created_at     bigint not null,
  actor_type     text not null check (actor_type in ('api_key', 'operator', 'system')),
  actor_id       text,
  action         text not null,
  resource_id    text,
  request_id     text,
  address        text,
  -- Approver of a call that needed a second factor.
  approved_by    text,
  previous_hash  bytea not null,
  hash           bytea not null,
  primary key (tenant_id, environment, seq)
);
create index on audit_log (tenant_id, environment, actor_id, seq);
create index on audit_log (tenant_id, environment, resource_id, seq);
create trigger immutable before update or delete on audit_log
  for each row execute function refuse_change();
create trigger immutable_as_a_whole before truncate on audit_log
  for each statement execute function refuse_change();
