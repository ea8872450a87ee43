-- Disputes of captured card transactions, what was given as evidence, and the deadlines by which a response is awaited.

create table disputes (
  id                  text primary key,
  tenant_id           text not null references tenants,
  environment         text not null check (environment in ('sandbox', 'live')),
  transaction_id      text not null references card_transactions,
  card_id             text not null references cards,
  cardholder_id       text not null references cardholders,
  -- Minor units of the card's currency.
  amount_cents        bigint not null check (amount_cents > 0),
  currency            text not null,
  reason              text not null,
  explanation         text,
  status              text not null check (status in ('needs_response', 'submitted', 'won', 'lost', 'expired')),
  outcome             text check (outcome in ('won', 'lost')),
  -- When the latest response was or is due, by the tenant's clock.
  evidence_due_by     bigint not null,
  -- What the sponsor bank asked for last, in its words.
  evidence_requested  text,
  evidence_count      integer not null default 0,
  submitted_at        bigint,
  resolved_at         bigint,
  external_id         text,
  metadata            jsonb not null default '{}',
  created_at          bigint not null,
  check ((outcome is null) = (status in ('needs_response', 'submitted')))
);
create unique index on disputes (tenant_id, environment, external_id) where external_id is not null;
create index on disputes (tenant_id, environment, id);
create index on disputes (tenant_id, environment, evidence_due_by, id);
-- What a transaction shows of its disputes.
create index on disputes (transaction_id, id);
create index on disputes (card_id);
create index on disputes (cardholder_id);
create index on disputes (evidence_due_by) where status = 'needs_response';

create table dispute_evidence (
  id           text primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  dispute_id   text not null references disputes,
  kind         text not null,
  text         text,
  fields       jsonb not null default '{}',
  created_at   bigint not null
);
create index on dispute_evidence (dispute_id, id);
