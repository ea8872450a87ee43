-- Erased cardholders. The law against money laundering asks for the identity of a former customer for
-- years: it stands sealed in a table of its own until its time is over.

alter table cardholders
  -- By the tenant's clock; null while the person is not erased.
  add column erased_at bigint;

create table cardholder_erasures (
  -- Id of the cardholder. An earlier release that wipes a sandbox does not know this table.
  id           text primary key references cardholders on delete cascade,
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

-- True once the event's body was rewritten: the receiver's answers are not kept from then on.
alter table open_deliveries add column is_rewritten boolean not null default false;

-- Reasons are free text about a person, and no decision reads them: kept versions are without them.
create or replace function engine_blind_columns() returns text[] language sql immutable as $$
  select array[
    'sealed_pan', 'external_id', 'metadata', 'shipping', 'details', 'identity', 'screening', 'description',
    'name', 'freezes', 'screened_under', 'chain_id', 'address', 'recovery_address', 'credential_id',
    'public_x', 'public_y', 'enrolled_at', 'backed_up', 'enrolment_hash', 'enrolment_expires_at', 'balance_cents',
    'leaving_cents', 'as_of_block', 'frozen_reason', 'suspend_reason', 'terminate_reason', 'erased_at'
  ]
$$;
