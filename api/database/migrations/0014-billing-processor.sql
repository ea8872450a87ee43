-- The payment processor of billing: customers, payment methods, its callbacks, and collecting.
-- Moments are of the installation's clock, except where it says otherwise.

create table billing_customers (
  -- Names the customer at the processor too; part of the key of the call that makes it.
  id            text primary key,
  tenant_id     text not null references tenants,
  environment   text not null check (environment in ('sandbox', 'live')),
  -- Null until the processor answered.
  processor_id  text unique,
  created_at    bigint not null,
  -- One process at a time calls the processor about the customer.
  lease_by      text,
  lease_until   bigint check ((lease_until is null) = (lease_by is null)),
  unique (tenant_id, environment)
);

create table billing_payment_methods (
  id            text primary key,
  tenant_id     text not null references tenants,
  environment   text not null check (environment in ('sandbox', 'live')),
  processor_id  text not null unique,
  status        text not null check (status in ('attached', 'detached')),
  is_default    boolean not null,
  brand         text not null,
  last4         text not null,
  exp_month     integer not null,
  exp_year      integer not null,
  -- Tenant time.
  created_at    bigint not null,
  unique (tenant_id, environment, id)
);

-- Visits of the portal. The address is in the answer of the call alone.
create table billing_portal_sessions (
  id            text primary key,
  tenant_id     text not null references tenants,
  environment   text not null check (environment in ('sandbox', 'live')),
  return_url    text not null,
  -- Tenant time.
  created_at    bigint not null,
  unique (tenant_id, environment, id)
);

-- Events of the processor, each handled once however often it comes.
create table billing_processor_events (
  id           text not null,
  environment  text not null check (environment in ('sandbox', 'live')),
  type         text not null,
  seen_at      bigint not null,
  primary key (environment, id)
);
create index on billing_processor_events (seen_at);

-- Objects of the processor that changed: each is fetched, its event is believed in nothing.
create table billing_bells (
  environment  text not null check (environment in ('sandbox', 'live')),
  object_id    text not null,
  -- Rings so far, and those that the last fetch covers.
  rung         bigint not null default 1,
  answered     bigint not null default 0 check (answered <= rung),
  due_at       bigint not null,
  -- A process fetches the object.
  lease_until  bigint,
  failures     integer not null default 0,
  primary key (environment, object_id)
);
create index billing_bells_due on billing_bells (due_at) where rung > answered;

-- How far the list of events was read.
create table billing_event_lists (
  environment  text primary key check (environment in ('sandbox', 'live')),
  read_until   bigint not null,
  due_at       bigint not null
);

-- Collecting of an open invoice.
create table billing_collections (
  invoice_id     text primary key references billing_invoices,
  -- Calls about the invoice that were sent; null: all have an outcome.
  asked          text check (asked in ('create', 'lines', 'finalize', 'pay', 'void')),
  asked_at       bigint check ((asked_at is null) = (asked is null)),
  -- Attempts of the processor that are counted as ours.
  attempts       integer not null default 0,
  -- The processor waits for the bank: no failure, and no reason to charge again.
  is_processing  boolean not null default false,
  needs_action   boolean not null default false,
  -- The bank will never accept this method.
  is_hard        boolean not null default false,
  decline_code   text,
  -- No call before, and the next look at the processor's invoice.
  not_before     bigint,
  look_at        bigint,
  -- Tenant time: the first failure, and attempts with a new method in 30 days.
  failed_at      bigint,
  renewed_at     bigint,
  renewals       integer not null default 0
);
create index billing_collections_look on billing_collections (look_at) where look_at is not null;

-- Differences that a person has to look at.
create table billing_exceptions (
  id           text primary key,
  -- Null where no tenant is known.
  tenant_id    text references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  kind         text not null,
  -- The id of the object that differs: ours, or the processor's.
  subject      text not null,
  detail       jsonb not null,
  created_at   bigint not null
);
create unique index billing_exceptions_once on billing_exceptions (environment, kind, subject);

-- Messages to a tenant about its billing. Moments are in tenant time.
create table billing_notices (
  id               text primary key,
  tenant_id        text not null references tenants,
  environment      text not null check (environment in ('sandbox', 'live')),
  subscription_id  text not null references billing_subscriptions,
  kind             text not null,
  -- The invoice or the stage that the message is about; with the kind it makes the message once.
  subject          text not null,
  invoice_id       text,
  created_at       bigint not null,
  unique (subscription_id, kind, subject),
  unique (tenant_id, environment, id)
);
