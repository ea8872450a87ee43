-- Counts of authorization requests and of late replies. The drain inserts rows in its own
-- transaction and never updates one, so each request counts exactly once; a job adds rows up.
create table authorization_counts (
  tenant_id       text not null,
  environment     text not null check (environment in ('sandbox', 'live')),
  -- 0: as the drain inserted it. 1: sums of a minute. 2: sums of an hour.
  level           smallint not null check (level between 0 and 2),
  -- Start of the minute or of the hour, by the tenant's clock.
  at              bigint not null,
  program_id      text not null,
  currency        text not null,
  outcome         text not null check (outcome in ('approved', 'declined', 'late_approve', 'late_decline')),
  reason          text,
  decided_by      text not null,
  -- Authorization requests, or late replies.
  count           bigint not null,
  -- Requested and approved, in minor units of the currency.
  amount_cents    numeric not null,
  approved_cents  numeric not null,
  -- Requests that were sent to the tenant.
  asked           bigint not null,
  -- Answers of the tenant in time: below so many milliseconds, and not below the bound before.
  answered_50     bigint not null,
  answered_100    bigint not null,
  answered_200    bigint not null,
  answered_300    bigint not null,
  answered_500    bigint not null,
  answered_800    bigint not null,
  answered_1500   bigint not null,
  answered_more   bigint not null
) with ( autovacuum_vacuum_cost_delay = 20 );
create index on authorization_counts (tenant_id, environment, level, at);
