-- Billing of tenants: subscriptions, their segments of terms, quotes.

create table billing_quotes (
  id                text primary key,
  tenant_id         text not null references tenants,
  environment       text not null check (environment in ('sandbox', 'live')),
  -- `expired` is stored when a newer quote is requested; until then the view tells it.
  status            text not null check (status in (
    'requested', 'offered', 'accepted', 'provisioned', 'withdrawn', 'declined', 'expired'
  )),
  volumes           jsonb not null,
  contact           jsonb not null,
  note              text,
  offer             jsonb check ((offer is null) = (offer_expires_at is null)),
  offer_expires_at  bigint,
  accepted_at       bigint,
  accepted_by       text,
  decline_reason    text,
  created_at        bigint not null,
  unique (tenant_id, environment, id)
);
-- A tenant has one open quote.
create unique index billing_quotes_open on billing_quotes (tenant_id, environment)
  where status in ('requested', 'offered', 'accepted');

-- Every moment is in tenant time. The status is computed from the moments and never stored.
create table billing_subscriptions (
  id                    text primary key,
  tenant_id             text not null references tenants,
  environment           text not null check (environment in ('sandbox', 'live')),
  -- Terms in force, with their plan.
  terms                 jsonb not null,
  previous_plan         text check (previous_plan in ('starter', 'growth', 'enterprise')),
  billing_interval      text not null check (billing_interval in ('month', 'year')),
  currency              text not null check (currency in ('USD', 'EUR')),
  -- Null: the payment method is charged; otherwise days until a sent invoice is due.
  net_days              integer check (net_days between 1 and 90),
  trial_started_at      bigint,
  trial_ends_at         bigint check ((trial_ends_at is null) = (trial_started_at is null)),
  -- The anchor of all periods.
  active_from           bigint,
  -- Number of the month of usage that runs, and of the first month of the base price's period.
  ordinal               integer not null default 0 check (ordinal >= base_ordinal),
  base_ordinal          integer not null default 0 check (base_ordinal >= 0),
  cancel_at_period_end  boolean not null default false,
  -- A cancellation takes effect.
  ends_at               bigint check ((ends_at is not null) = cancel_at_period_end),
  overdue_since         bigint,
  override_state        text check (override_state in (
    'active', 'past_due', 'restricted', 'suspended'
  )),
  override_reason       text check ((override_reason is null) = (override_state is null)),
  override_expires_at   bigint check ((override_expires_at is null) = (override_state is null)),
  credit_cents          bigint not null default 0,
  -- Set once another subscription takes its place, or once its last invoice is made.
  ended_at              bigint,
  created_at            bigint not null,
  check (trial_started_at is not null or active_from is not null),
  unique (tenant_id, environment, id)
);
create unique index billing_subscriptions_current on billing_subscriptions (tenant_id, environment)
  where ended_at is null;

-- Add-ons that were enabled at least once under a subscription.
create table billing_addons (
  subscription_id  text not null references billing_subscriptions,
  key              text not null check (key in ('identity_checks', 'physical_cards')),
  enabled          boolean not null,
  changed_at       bigint not null,
  primary key (subscription_id, key)
);
