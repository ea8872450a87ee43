-- Payments: accounts of payers and payees, payments, settlement batches, the ledger.

-- The address where a tenant is paid, on the chain of its environment.
create table settlement_accounts (
  id               text primary key,
  tenant_id        text not null references tenants,
  environment      text not null check (environment in ('sandbox', 'live')),
  status           text not null check (status in ('waiting', 'usable', 'disabled')),
  -- A new address waits before money is sent to it.
  usable_at        bigint not null,
  address          text not null check (address ~ '^0x[0-9a-fA-F]{40}$'),
  chain_id         bigint not null,
  name             text not null,
  mcc              text not null check (mcc ~ '^[0-9]{4}$'),
  country          text not null check (country ~ '^[A-Z]{2}$'),
  -- {"interval": "continuous"} or {"interval": "daily", "hour": 0 to 23, UTC}.
  schedule         jsonb not null,
  fee_bps          integer not null check (fee_bps between 0 and 500),
  created_at       bigint not null,
  external_id      text,
  metadata         jsonb not null default '{}',
  unique (tenant_id, environment, id)
);
create unique index on settlement_accounts (tenant_id, environment, external_id)
  where external_id is not null;

-- A cardholder's account on the chain, commanded by one passkey. The engine reads it as a card of
-- type account.
create table payment_accounts (
  id                text primary key,
  tenant_id         text not null references tenants,
  environment       text not null check (environment in ('sandbox', 'live')),
  program_id        text not null references programs,
  cardholder_id     text not null references cardholders,
  status            text not null check (status in ('pending', 'active', 'suspended', 'closed')),
  chain_id          bigint not null,
  -- Null until a passkey is enrolled: the address follows from it.
  address           text check (address ~ '^0x[0-9a-fA-F]{40}$'),
  recovery_address  text check (recovery_address ~ '^0x[0-9a-fA-F]{40}$'),
  -- The passkey: its credential id, the P-256 point, whether an authenticator keeps a copy.
  credential_id     bytea,
  public_x          bytea check (length(public_x) = 32),
  public_y          bytea check (length(public_y) = 32),
  enrolled_at       bigint,
  backed_up         boolean,
  -- The hosted page, found by the hash of its secret handle while the link is valid.
  enrolment_hash        bytea unique,
  enrolment_expires_at  bigint,
  -- Most that the engine may approve over the account's whole life, cents; it never counts money
  -- that stands on the chain only provisionally.
  funded_cents      bigint not null default 0 check (funded_cents >= 0),
  balance_cents     bigint not null default 0 check (balance_cents >= 0),
  leaving_cents     bigint not null default 0 check (leaving_cents >= 0),
  as_of_block       bigint,
  suspend_reason    text,
  created_at        bigint not null,
  version           bigint not null default 1,
  windows_id        text,
  external_id       text,
  metadata          jsonb not null default '{}',
  unique (tenant_id, environment, id),
  -- A passkey commands one account.
  unique (environment, public_x, public_y),
  unique (chain_id, address)
);
create unique index on payment_accounts (cardholder_id) where status <> 'closed';
create index on payment_accounts (cardholder_id, id);
create index on payment_accounts (tenant_id, environment, program_id, id);
create unique index on payment_accounts (tenant_id, environment, external_id)
  where external_id is not null;

create trigger version before insert or update on payment_accounts
  for each row execute function config_version('card', 'id');
create trigger changed after insert or update or delete on payment_accounts
  for each row execute function config_changed('card', 'id');

-- An approval that the holder signs once, for many payments to one payee.
create table payment_mandates (
  id                       text primary key,
  tenant_id                text not null references tenants,
  environment              text not null check (environment in ('sandbox', 'live')),
  payment_account_id       text not null references payment_accounts,
  settlement_account_id    text not null references settlement_accounts,
  -- Exhausted and expired follow from its payments and the time.
  status                   text not null check (status in ('pending', 'active', 'revoked')),
  description              text,
  limit_cents              bigint not null check (limit_cents > 0),
  per_payment_cents        bigint not null check (per_payment_cents between 1 and limit_cents),
  expires_at               bigint not null,
  approval_salt            bytea not null check (length(approval_salt) = 32),
  approval_hash            bytea not null check (length(approval_hash) = 32),
  approval_valid_until     bigint not null,
  confirmation_hash        bytea unique,
  confirmation_expires_at  bigint not null,
  confirmed_at             bigint,
  assertion                jsonb,
  created_at               bigint not null,
  external_id              text,
  metadata                 jsonb not null default '{}',
  unique (tenant_id, environment, id)
);
create index on payment_mandates (payment_account_id, settlement_account_id, expires_at)
  where status = 'active';
create unique index on payment_mandates (tenant_id, environment, external_id)
  where external_id is not null;

create table payments (
  -- The engine is asked under this id; its captures are under theirs.
  id                       text primary key,
  tenant_id                text not null references tenants,
  environment              text not null check (environment in ('sandbox', 'live')),
  payment_account_id       text not null references payment_accounts,
  cardholder_id            text not null references cardholders,
  settlement_account_id    text not null references settlement_accounts,
  -- `deciding` is never shown: the engine has not answered yet.
  status                   text not null check (status in (
    'deciding', 'risk_declined', 'needs_confirmation', 'authorized', 'confirmed',
    'capture_pending', 'partially_captured', 'captured', 'partially_refunded', 'refunded',
    'voided', 'failed'
  )),
  amount_cents             bigint not null check (amount_cents > 0),
  currency                 text not null check (currency = 'USD'),
  description              text,
  -- Sums in cents, kept beside the captures and refunds they are of.
  captured_cents           bigint not null default 0 check (captured_cents >= 0),
  capture_pending_cents    bigint not null default 0 check (capture_pending_cents >= 0),
  -- Captures that failed and are neither tried again nor abandoned.
  capture_failed_cents     bigint not null default 0 check (capture_failed_cents >= 0),
  refunded_cents           bigint not null default 0 check (refunded_cents >= 0),
  refund_pending_cents     bigint not null default 0 check (refund_pending_cents >= 0),
  voided_cents             bigint not null default 0 check (voided_cents >= 0),
  void_cause               text,
  -- A release of the rest that was begun and that the engine has not answered: nothing is captured
  -- meanwhile.
  releasing                text,
  releasing_since          bigint,
  expires_at               bigint not null,
  decline_reason           text,
  decision                 jsonb,
  -- The engine's transaction, and the number of its effects that are applied here: each is applied
  -- once, by the call or by the drain.
  transaction_id           text unique,
  applied_effects          integer not null default 0,
  failure                  jsonb,
  -- Terms that the holder approves, and the digest of these (EIP-712): salt and digest of 32 bytes,
  -- seconds until the approval ends on the chain.
  approval_salt            bytea check (length(approval_salt) = 32),
  approval_hash            bytea check (length(approval_hash) = 32),
  approval_valid_until     bigint,
  mandate_id               text references payment_mandates,
  -- The hosted page, found by the hash of its secret handle.
  confirmation_hash        bytea unique,
  confirmation_expires_at  bigint,
  confirmed_at             bigint,
  confirmed_by             text check (confirmed_by in ('passkey', 'mandate')),
  -- Authenticator data, client data and signature as the browser sent them, with address and agent.
  assertion                jsonb,
  -- The call that began it, found again by its repeat: SHA-256 of the owner and the
  -- Idempotency-Key, and the fingerprint of the call.
  call_hash                bytea unique,
  call_fingerprint         text,
  created_at               bigint not null,
  external_id              text,
  metadata                 jsonb not null default '{}',
  unique (tenant_id, environment, id),
  check (captured_cents + capture_pending_cents + capture_failed_cents + voided_cents
    <= amount_cents),
  check (refunded_cents + refund_pending_cents <= captured_cents)
);
create index on payments (tenant_id, environment, status, id);
create index on payments (payment_account_id, id);
create index on payments (settlement_account_id, id);
create unique index on payments (tenant_id, environment, external_id) where external_id is not null;
create index on payments (confirmation_expires_at) where status = 'needs_confirmation';
create index on payments (expires_at)
  where status in ('needs_confirmation', 'authorized', 'confirmed', 'partially_captured');
create index on payments (created_at) where status = 'deciding';
create index on payments (mandate_id) where mandate_id is not null;
create index on payments (releasing_since) where releasing is not null;

-- One chain transaction pays one settlement account: a batch of captures and refunds.
create table settlement_batches (
  id                     text primary key,
  tenant_id              text not null references tenants,
  environment            text not null check (environment in ('sandbox', 'live')),
  settlement_account_id  text not null references settlement_accounts,
  chain_id               bigint not null,
  status                 text not null
    check (status in ('open', 'submitted', 'included', 'completed', 'failed')),
  trigger                text not null check (trigger in ('interval', 'size', 'manual', 'retry')),
  captures               integer not null default 0,
  refunds                integer not null default 0,
  gross_cents            bigint not null default 0,
  refunds_cents          bigint not null default 0,
  fee_cents              bigint not null default 0,
  net_cents              bigint not null default 0,
  -- The exact call, stored before anything is signed.
  call                   bytea,
  -- First refusal of the rehearsal, ms; the batch fails when it lasts too long.
  refused_since          bigint,
  transaction_hash       bytea check (length(transaction_hash) = 32),
  block_number           bigint,
  block_hash             bytea check (length(block_hash) = 32),
  gas_used               bigint,
  failure                jsonb,
  review                 jsonb,
  -- An operator asked to cancel it: the settler frees its nonce, or fails it before a signature.
  cancel_requested_at    bigint,
  created_at             bigint not null,
  closed_at              bigint,
  completed_at           bigint,
  unique (tenant_id, environment, id)
);
create index on settlement_batches (tenant_id, environment, status, id);
create index on settlement_batches (settlement_account_id, id);
create index on settlement_batches (chain_id, id) where status in ('open', 'submitted', 'included');
create index on settlement_batches (id) where review ->> 'status' = 'open';

-- Payments of a batch; a payment whose capture is tried again is also one of a later batch.
create table settlement_batch_payments (
  settlement_batch_id  text not null references settlement_batches,
  payment_id           text not null references payments,
  primary key (settlement_batch_id, payment_id)
);
create index on settlement_batch_payments (payment_id);

create table payment_captures (
  id                   text primary key,
  payment_id           text not null references payments,
  tenant_id            text not null,
  environment          text not null,
  -- The payment, or the mandate that covers it, whose approval the chain knows.
  approval_id          text not null,
  -- Its bit in the approval on the chain: a retry keeps it.
  bit                  smallint not null check (bit between 0 and 63),
  amount_cents         bigint not null check (amount_cents > 0),
  final                boolean not null,
  -- Never shown: `asking`, the engine has not answered yet; `refusing`, the engine has to take the
  -- capture back. Pending captures wait for a batch.
  status               text not null check (status in (
    'asking', 'refusing', 'pending', 'submitted', 'included', 'landed', 'failed'
  )),
  settlement_batch_id  text references settlement_batches,
  -- Retries that an operator asked for.
  retries              integer not null default 0,
  failure              jsonb,
  call_hash            bytea unique,
  call_fingerprint     text,
  created_at           bigint not null,
  landed_at            bigint,
  unique (approval_id, bit)
);
create index on payment_captures (payment_id);
create index on payment_captures (created_at) where status in ('asking', 'refusing', 'pending');
create index on payment_captures (settlement_batch_id);

create table payment_refunds (
  id                   text primary key,
  payment_id           text not null references payments,
  tenant_id            text not null,
  environment          text not null,
  amount_cents         bigint not null check (amount_cents > 0),
  -- `awaiting_funds`: the batch's gross and the payee's allowance were short.
  status               text not null check (status in (
    'pending', 'awaiting_funds', 'submitted', 'included', 'landed', 'failed'
  )),
  tries                integer not null default 0,
  settlement_batch_id  text references settlement_batches,
  failure              jsonb,
  created_at           bigint not null,
  landed_at            bigint
);
create index on payment_refunds (created_at) where status in ('pending', 'awaiting_funds');
create index on payment_refunds (payment_id);
create index on payment_refunds (settlement_batch_id);

-- The sponsor's wallet: the next nonce to sign, and the epoch of the process that may.
create table settlement_wallets (
  chain_id     bigint primary key,
  id           text not null unique generated always as (chain_id::text) stored,
  address      text not null,
  -- Null where a remote signer keeps the key.
  sealed_key   text,
  next_nonce   bigint not null default 0,
  epoch        bigint not null default 0,
  -- Last finalized block that was looked at, and its hash: replaced, settling stops.
  final_block  bigint,
  final_hash   bytea,
  -- Set while settling stands still until an operator's word.
  stopped      jsonb,
  -- Foreign transactions of the wallet below this nonce are known to an operator.
  known_nonce  bigint not null default 0
);

-- Every signed transaction, stored before it is sent; only stored bytes are sent.
create table settlement_attempts (
  chain_id     bigint not null references settlement_wallets,
  nonce        bigint not null,
  attempt      integer not null,
  -- Null for an empty transaction that frees the nonce.
  batch_id     text references settlement_batches,
  hash         bytea not null unique check (length(hash) = 32),
  signed       bytea not null,
  max_fee_wei  numeric not null,
  tip_wei      numeric not null,
  sent_block   bigint,
  -- The block in which the nonce was used for good, on every attempt of it.
  final_block  bigint,
  created_at   bigint not null,
  primary key (chain_id, nonce, attempt)
);
create index on settlement_attempts (batch_id);
create index on settlement_attempts (chain_id, nonce) where final_block is null;

-- Double-entry ledger in token units (1 cent = 10,000). An account's balance moves in the
-- transaction of its transfers. The world's is negative, and that of a payee may be: a refund of
-- everything that was captured leaves the fee.
create table ledger_accounts (
  id           text primary key,
  chain_id     bigint not null,
  environment  text not null,
  tenant_id    text,
  -- A payment account or a settlement account; null for the world and the fees.
  owner_id     text,
  kind         text not null check (kind in (
    'world', 'available', 'held', 'in_settlement', 'leaving', 'paid', 'fees'
  )),
  balance      numeric not null default 0 check (balance >= 0 or kind in ('world', 'paid'))
);
create index on ledger_accounts (owner_id);

create table ledger_transfers (
  id           text primary key,
  chain_id     bigint not null,
  environment  text not null,
  tenant_id    text,
  debit        text not null references ledger_accounts,
  credit       text not null references ledger_accounts,
  units        numeric not null check (units > 0),
  cause        text not null,
  cause_id     text not null,
  leg          smallint not null default 0,
  created_at   bigint not null,
  unique (cause, cause_id, leg)
);
create function keep_ledger() returns trigger language plpgsql as $$
begin
  raise exception 'ledger_transfers only grows';
end $$;
create trigger only_grows before update or delete on ledger_transfers
  for each row execute function keep_ledger();

-- Payments in live are an entitlement.
alter table tenants add column payments_entitled boolean not null default false;
