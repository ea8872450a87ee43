-- Members who left, links by which owners and admins let a member in again, factor resets of owners
-- that wait, and remembered consent.

alter table users
  -- When the person left the tenant; disabled from then on. An invitation brings the row back.
  add column removed_at bigint,
  add check (removed_at is null or state = 'disabled');

alter table mail_proofs
  drop constraint mail_proofs_purpose_check,
  -- 'regain': the person lost every factor, and an owner or admin let them in again.
  add check (purpose in ('verify', 'reset', 'regain'));

-- Another second factor for an owner, by an operator: it works after a day, unless an owner of the
-- tenant cancels it.
create table factor_resets (
  id            text primary key,
  tenant_id     text not null references tenants,
  person_id     text not null references users,
  identity_id   text not null references identities,
  -- SHA-256 of the secret in the mailed links.
  cancel_hash   bytea not null unique,
  totp_sealed   text not null,
  -- SHA-256 in hex of each new recovery code.
  recovery_hashes text[] not null,
  operator_id   text not null,
  created_at    bigint not null,
  works_at      bigint not null,
  applied_at    bigint,
  cancelled_at  bigint,
  -- The owner who cancelled; null: by a mailed link.
  cancelled_by  text references users,
  check (applied_at is null or cancelled_at is null)
);
create index on factor_resets (works_at) where applied_at is null and cancelled_at is null;
create unique index on factor_resets (identity_id) where applied_at is null and cancelled_at is null;
create index on factor_resets (tenant_id, id);
