-- Withdrawals of holders through the service, and the differences between ledger and chain.

create table payment_withdrawals (
  id                       text primary key,
  tenant_id                text not null references tenants,
  environment              text not null check (environment in ('sandbox', 'live')),
  payment_account_id       text not null references payment_accounts,
  chain_id                 bigint not null,
  -- `checking`: the engine knows the lower funds, and what it approved before is being counted.
  status                   text not null check (status in (
    'needs_confirmation', 'checking', 'pending', 'submitted', 'included', 'completed', 'failed',
    'canceled'
  )),
  amount_cents             bigint not null check (amount_cents > 0),
  -- The address that is paid.
  recipient                text not null check (recipient ~ '^0x[0-9a-fA-F]{40}$'),
  -- Nonce of the account on the chain, and the digest that the passkey signs over it.
  nonce                    bigint not null,
  withdrawal_hash          bytea not null check (length(withdrawal_hash) = 32),
  -- The hosted page, found by the hash of its secret handle.
  confirmation_hash        bytea unique,
  confirmation_expires_at  bigint not null,
  confirmed_at             bigint,
  assertion                jsonb,
  -- First refusal of the rehearsal, ms; the withdrawal fails when it lasts too long.
  refused_since            bigint,
  transaction_hash         bytea check (length(transaction_hash) = 32),
  block_number             bigint,
  block_hash               bytea check (length(block_hash) = 32),
  failure                  jsonb,
  created_at               bigint not null,
  completed_at             bigint,
  external_id              text,
  metadata                 jsonb not null default '{}',
  unique (tenant_id, environment, id)
);
create index on payment_withdrawals (payment_account_id, id);
create index on payment_withdrawals (chain_id, id)
  where status in ('checking', 'pending', 'submitted', 'included');
create unique index on payment_withdrawals (tenant_id, environment, external_id)
  where external_id is not null;
-- One withdrawal of an account is on its way at a time: each uses the account's next nonce.
create unique index payment_withdrawals_under_way on payment_withdrawals (payment_account_id)
  where status in ('checking', 'pending', 'submitted', 'included');

-- The withdrawal that a transaction is for; null for those of batches.
alter table settlement_attempts add column withdrawal_id text references payment_withdrawals;
create index on settlement_attempts (withdrawal_id) where withdrawal_id is not null;

-- Cents of leaving_cents that the holder asked for on the chain, without the service.
alter table payment_accounts add column chain_leaving_cents bigint not null default 0
  check (chain_leaving_cents >= 0);
-- Token units that ever left by withdrawals, as far as the ledger has them.
alter table payment_accounts add column withdrawn_units numeric not null default 0
  check (withdrawn_units >= 0);

-- Where a payee is paid: a wiped settlement account leaves its part of the chain's totals.
alter table ledger_accounts add column address text;
update ledger_accounts l set address = lower(a.address) from settlement_accounts a
where a.id = l.owner_id and l.kind = 'paid';

-- A difference between ledger and chain at a finalized block; open until a later block agrees.
create table settlement_exceptions (
  id            text primary key,
  chain_id      bigint not null,
  environment   text not null check (environment in ('sandbox', 'live')),
  tenant_id     text references tenants,
  kind          text not null check (kind in (
    'holder_lacks', 'holder_withdrew_held', 'payee_differs', 'settlement_holds'
  )),
  -- A payment account, or an address.
  subject       text not null,
  block_number  bigint not null,
  ledger_units  numeric not null,
  chain_units   numeric not null,
  opened_at     bigint not null,
  resolved_at   bigint
);
create unique index settlement_exceptions_open on settlement_exceptions (chain_id, kind, subject)
  where resolved_at is null;
