-- Erased cardholders. The law against money laundering asks for the identity of a former customer for
-- years: it stands sealed in a table of its own until its time is over.

alter table cardholders
  -- By the tenant's clock; null while the person is not erased.
  add column erased_at bigint;

create table cardholder_erasures (
  -- Id of the cardholder.
  id           text primary key references cardholders,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  -- Name and details, as they were.
  sealed       text not null,
  -- By the tenant's clock.
  erased_at    bigint not null
);
create index on cardholder_erasures (tenant_id, environment);
create index on cardholder_erasures (erased_at);

-- Messages about no card are removed by age.
create index on unmatched_messages (created_at);
