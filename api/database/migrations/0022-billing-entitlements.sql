-- Entitlements: what plan and status of a tenant allow, one row for each environment. A pure function
-- makes the row in the transaction of its cause, and a job where time is the cause. While a row is
-- missing, everything is allowed.

-- A tenant of before billing keeps all it had until it has a subscription.
alter table tenants add column billing_waived boolean not null default false;
update tenants set billing_waived = true;

-- Only billed environments have rows.
create table entitlements (
  tenant_id      text not null references tenants,
  environment    text not null check (environment in ('sandbox', 'live')),
  plan           text check (plan in ('starter', 'growth', 'enterprise')),
  -- Status of the subscription.
  status         text not null,
  issuing        boolean not null,
  authorizations boolean not null,
  realtime       boolean not null,
  rate_factor    integer not null check (rate_factor >= 1),
  -- Null: no bound of a plan.
  endpoints_max  integer check (endpoints_max >= 0),
  addons         text[] not null,
  -- Caps of a trial; null: none.
  caps           jsonb,
  -- Tenant time at which the status changes by itself; 0: the row has to be made anew. Null: never.
  changes_at     bigint,
  primary key (tenant_id, environment)
);
create index entitlements_changing on entitlements (changes_at) where changes_at is not null;

create function entitlements_stale() returns trigger language plpgsql as $$
begin
  update entitlements set changes_at = 0
  where tenant_id = new.tenant_id and environment = new.environment;
  return null;
end $$;
create trigger entitlements_stale after insert or update on billing_subscriptions
  for each row execute function entitlements_stale();

create function entitlements_of_tenant_stale() returns trigger language plpgsql as $$
begin
  update entitlements set changes_at = 0 where tenant_id = new.id;
  return null;
end $$;
create trigger entitlements_stale after update of realtime_entitled on tenants
  for each row execute function entitlements_of_tenant_stale();

create trigger credentials_changed after insert or update or delete on entitlements
  for each row execute function credentials_of_tenant_changed('tenant_id');

-- The engine declines new authorizations of a program while its tenant's are closed.
alter table programs add column authorizations_closed boolean not null default false;

create function follow_entitlements() returns trigger language plpgsql as $$
begin
  new.authorizations_closed := exists (
    select from entitlements
    where tenant_id = new.tenant_id and environment = new.environment and not authorizations
  );
  return new;
end $$;
create trigger follow_entitlements before insert on programs
  for each row execute function follow_entitlements();

-- A program's config record contains both: their change versions the programs.
create function entitle_programs() returns trigger language plpgsql as $$
begin
  update programs set authorizations_closed = not new.authorizations
  where tenant_id = new.tenant_id and environment = new.environment;
  return null;
end $$;
create trigger entitle_programs after insert on entitlements
  for each row when (not new.authorizations or new.plan is not null)
  execute function entitle_programs();
create trigger entitle_programs_again after update on entitlements
  for each row when (
    old.authorizations <> new.authorizations or old.realtime <> new.realtime
  ) execute function entitle_programs();

create function open_programs() returns trigger language plpgsql as $$
begin
  update programs set authorizations_closed = false
  where tenant_id = old.tenant_id and environment = old.environment;
  return null;
end $$;
create trigger entitle_programs_no_more after delete on entitlements
  for each row execute function open_programs();

-- Counts of the things that a tenant with caps made; moved in the transaction that makes them.
create table entitlement_counters (
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  cap          text not null check (cap in ('cards_issued', 'passes_issued', 'identity_checks')),
  used         bigint not null default 0 check (used >= 0),
  max          bigint not null check (max >= 0),
  primary key (tenant_id, environment, cap)
);

-- True where the tenant may be asked in real time: by its plan, otherwise by an operator's grant.
create function realtime_allowed(tenant text, env text) returns boolean language sql stable as $$
  select coalesce(
    (select realtime from entitlements where tenant_id = tenant and environment = env),
    (select realtime_entitled from tenants where id = tenant),
    false
  )
$$;
