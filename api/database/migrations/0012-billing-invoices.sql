-- Metering and invoices of tenants. Every moment is in tenant time, except where it says otherwise.

alter table billing_subscriptions
  -- A change of plan waits for the end of the base price's period.
  add column pending_plan      text check (pending_plan in ('starter', 'growth')),
  add column pending_interval  text check (pending_interval in ('month', 'year')),
  -- The next boundary: a segment ends there and the next one begins. Null once the last is behind,
  -- and in a trial that no paid subscription follows.
  add column rolls_at          bigint,
  add check ((pending_plan is null) = (pending_interval is null));
create index billing_subscriptions_rolling on billing_subscriptions (rolls_at) where rolls_at is not null;

-- The part of a tenant's event sequence that is counted. Moved by compare-and-set in the transaction
-- that adds the usage; its row lock orders counting, changes of terms and closes of one tenant.
create table billing_cursors (
  tenant_id      text not null references tenants,
  environment    text not null check (environment in ('sandbox', 'live')),
  -- Number of the last counted event.
  seq            bigint not null default 0,
  -- Latest moment of a counted event.
  counted_until  bigint not null default 0,
  primary key (tenant_id, environment)
);
-- Usage of before is not billed.
insert into billing_cursors (tenant_id, environment, seq)
select tenant_id, environment, event_seq from tenant_sequences;

-- Stretches [from_at, until_at) of a subscription with one copy of terms; each change of terms cuts
-- one. Events belong to the segment whose [counts_from, counts_until) holds their moment: a change
-- is priced from the moment that its preview named, and counted from its commit on.
create table billing_segments (
  id                bigint generated always as identity primary key,
  subscription_id   text not null references billing_subscriptions,
  tenant_id         text not null references tenants,
  environment       text not null check (environment in ('sandbox', 'live')),
  -- Place within the subscription, from 0.
  place             integer not null check (place >= 0),
  -- Number of the month of usage; null in a trial, which is free.
  month             integer check (month >= 0),
  from_at           bigint not null,
  until_at          bigint not null check (until_at >= from_at),
  counts_from       bigint not null,
  counts_until      bigint not null check (counts_until >= counts_from),
  terms             jsonb not null,
  billing_interval  text not null check (billing_interval in ('month', 'year')),
  -- The usage was invoiced; later usage is late.
  closed_at         bigint,
  unique (subscription_id, place)
);
create index billing_segments_counting on billing_segments (tenant_id, environment, counts_from);

-- Counted usage. Rows only grow.
create table billing_usage (
  segment_id  bigint not null references billing_segments,
  meter       text not null check (meter in (
    'authorizations', 'cards_issued', 'passes_issued', 'physical_cards', 'identity_checks'
  )),
  -- Start of the day, UTC.
  day         bigint not null check (day % 86400000 = 0),
  quantity    bigint not null check (quantity >= 0),
  -- Part of it that arrived after the close.
  late        bigint not null default 0 check (late between 0 and quantity),
  primary key (segment_id, meter, day)
);

-- Corrections of usage by operators.
create table billing_adjustments (
  id           text primary key,
  segment_id   bigint not null references billing_segments,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  meter        text not null check (meter in (
    'authorizations', 'cards_issued', 'passes_issued', 'physical_cards', 'identity_checks'
  )),
  quantity     bigint not null check (quantity <> 0),
  reason       text not null,
  operator_id  text not null,
  created_at   bigint not null
);
create index on billing_adjustments (segment_id, meter);

-- The last rated quantity of a segment's meter, and the cents invoiced for it so far.
create table billing_rated (
  segment_id    bigint not null references billing_segments,
  meter         text not null,
  quantity      bigint not null check (quantity >= 0),
  amount_cents  bigint not null check (amount_cents >= 0),
  primary key (segment_id, meter)
);

-- Credits that operators gave.
create table billing_credits (
  id               text primary key,
  subscription_id  text not null references billing_subscriptions,
  tenant_id        text not null references tenants,
  environment      text not null check (environment in ('sandbox', 'live')),
  amount_cents     bigint not null check (amount_cents > 0),
  reason           text not null,
  operator_id      text not null,
  created_at       bigint not null
);
create index on billing_credits (subscription_id);

-- The invoice of boundary n bills the base price from there on and the usage of the month before.
create table billing_invoices (
  id               text primary key,
  tenant_id        text not null references tenants,
  environment      text not null check (environment in ('sandbox', 'live')),
  subscription_id  text not null references billing_subscriptions,
  kind             text not null check (kind in ('period', 'change', 'final')),
  -- Number of the boundary, or of the change.
  ordinal          integer not null check (ordinal >= 0),
  currency         text not null check (currency in ('USD', 'EUR')),
  -- A draft waits for its usage and has no lines.
  status           text not null check (status in ('draft', 'open', 'paid', 'void', 'uncollectible')),
  total_cents      bigint not null default 0 check (total_cents >= 0),
  -- The boundary, or the moment of the change.
  at               bigint not null,
  -- Null while a draft, and where the payment method is charged.
  due_at           bigint,
  finalized_at     bigint check ((finalized_at is null) = (status = 'draft')),
  paid_at          bigint check ((paid_at is not null) = (status = 'paid')),
  attempts         integer not null default 0 check (attempts >= 0),
  -- Null while no attempt to collect is ahead.
  next_attempt_at  bigint,
  hosted_url       text,
  processor_id     text unique,
  -- Installation time at which a job saw the boundary due.
  seen_due_at      bigint,
  -- Number of the event that has to be counted before the close.
  wait_seq         bigint,
  -- The base price of the period that begins here is not owed.
  base_waived      boolean not null default false,
  created_at       bigint not null,
  unique (subscription_id, kind, ordinal),
  unique (tenant_id, environment, id)
);
create index billing_invoices_drafts on billing_invoices (at) where status = 'draft';
create index billing_invoices_attempts on billing_invoices (next_attempt_at)
  where status = 'open' and next_attempt_at is not null;
create index billing_invoices_open on billing_invoices (tenant_id, environment) where status = 'open';

create table billing_invoice_lines (
  invoice_id    text not null references billing_invoices,
  -- Place on the invoice, from 0.
  place         integer not null check (place >= 0),
  -- A credit with a plan takes unused time of it back; one without applies the subscription's credit.
  kind          text not null check (kind in ('base', 'usage', 'late', 'correction', 'credit')),
  plan          text check (plan in ('starter', 'growth', 'enterprise')),
  meter         text,
  -- Segment of the usage.
  segment_id    bigint references billing_segments,
  quantity      bigint,
  from_at       bigint not null,
  until_at      bigint not null,
  amount_cents  bigint not null,
  primary key (invoice_id, place),
  check ((meter is null) = (kind in ('base', 'credit'))),
  check ((meter is null) = (segment_id is null)),
  check ((meter is null) = (quantity is null))
);
create index on billing_invoice_lines (segment_id) where segment_id is not null;
