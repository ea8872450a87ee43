-- Backtests of spending controls: a proposal is judged against recorded authorizations.
create table spending_control_backtests (
  id             text primary key,
  control_id     text not null references spending_controls on delete cascade,
  tenant_id      text not null references tenants,
  environment    text not null check (environment in ('sandbox', 'live')),
  -- Tenant time: authorizations received from then on, before then, are judged.
  from_at        bigint not null,
  until_at       bigint not null check (until_at > from_at),
  -- Entries from then on fill the windows; 0: from the first.
  windows_from   bigint not null,
  -- The proposal, as the API shows it and compiled for the engine.
  terms          jsonb not null,
  compiled       jsonb not null,
  status         text not null default 'queued'
    check (status in ('queued', 'running', 'completed', 'failed')),
  failure        text check (failure in ('too_many_entries', 'interrupted')),
  result         jsonb,
  attempts       integer not null default 0,
  -- Installation time until which its process may work.
  claimed_until  bigint check ((claimed_until is not null) = (status = 'running')),
  -- Id of the API key or of the person.
  created_by     text not null,
  created_at     bigint not null,
  finished_at    bigint,
  check ((result is not null) = (status = 'completed')),
  check ((failure is not null) = (status = 'failed')),
  check ((finished_at is not null) = (status in ('completed', 'failed')))
);
create index on spending_control_backtests (control_id, id);
-- A tenant has one at a time.
create unique index spending_control_backtests_open on spending_control_backtests (tenant_id, environment)
  where status in ('queued', 'running');
create index on spending_control_backtests (created_at) where status in ('queued', 'running');
-- The installation judges one at a time.
create unique index on spending_control_backtests ((true)) where status = 'running';

-- Decisions of stand-in that the tenant has seen: those of a transaction up to a message. A later
-- one is open again.
create table stand_in_acknowledgements (
  transaction_id   text primary key references card_transactions on delete cascade,
  tenant_id        text not null references tenants,
  environment      text not null check (environment in ('sandbox', 'live')),
  -- Sequence of the transaction's latest message at that moment.
  sequence         integer not null check (sequence > 0),
  -- Id of the API key or of the person.
  acknowledged_by  text not null,
  acknowledged_at  bigint not null
);
create index on stand_in_acknowledgements (tenant_id, environment);
