-- Tables of exchange rates that operators published. Rows are added and never changed: a decision
-- names the moment of its rate, and the table says who brought it from which source.
create table fx_tables (
  id            text primary key,
  source        text not null check (length(source) between 1 and 64),
  rate_at       bigint not null,
  -- [{"pair": "EUR/USD", "rate": "1.0850", "previous_rate": "1.0790"}]
  rates         jsonb not null,
  is_confirmed  boolean not null,
  -- The operator; null: the sandbox's own rates.
  published_by  text,
  created_at    bigint not null
);

-- The table that brought the rate; null: a row from before this column.
alter table fx_rates add column table_id text references fx_tables (id);

create or replace function engine_blind_columns() returns text[] language sql immutable as $$
  select array[
    'sealed_pan', 'external_id', 'metadata', 'shipping', 'details', 'identity', 'screening', 'description',
    'name', 'freezes', 'screened_under', 'chain_id', 'address', 'recovery_address', 'credential_id',
    'public_x', 'public_y', 'enrolled_at', 'backed_up', 'enrolment_hash', 'enrolment_expires_at', 'balance_cents',
    'leaving_cents', 'as_of_block', 'frozen_reason', 'suspend_reason', 'terminate_reason', 'erased_at', 'table_id'
  ]
$$;
