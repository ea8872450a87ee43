-- People apart from their memberships: how they sign in, their sessions and passkeys, invitations,
-- and the mail they get.

-- A person, for every tenant the person belongs to.
create table identities (
  id              text primary key,
  email           text not null check (email = lower(email)),
  -- When the person proved that the address is theirs; null: it binds nobody.
  verified_at     bigint,
  name            text not null,
  -- argon2id, with its parameters; null: the person has no password.
  password_hash   text,
  totp_sealed     text,
  -- Last accepted step of thirty seconds: no code is accepted twice.
  totp_last_step  bigint not null default 0,
  state           text not null default 'active' check (state in ('active', 'disabled')),
  created_at      bigint not null
);
create unique index identities_verified on identities (email) where verified_at is not null;
create index on identities (email, id);

-- An address of several tenants becomes one identity without password or second factor: nobody
-- enters a tenant by a password that another tenant gave out. An operator invites the person again.
insert into identities (id, email, verified_at, name, password_hash, totp_sealed, totp_last_step, created_at)
select 'idn_' || substr(min(id), 6), email, min(created_at), min(name),
  case count(*) when 1 then min(password_hash) end, case count(*) when 1 then min(totp_sealed) end,
  max(totp_last_step), min(created_at)
from users group by email;

alter table users add identity_id text references identities;
update users u set identity_id = i.id from identities i where i.email = u.email;
alter table users alter identity_id set not null;

alter table recovery_codes add identity_id text references identities;
update recovery_codes r set identity_id = u.identity_id from users u where u.id = r.user_id;
delete from recovery_codes r using identities i where i.id = r.identity_id and i.totp_sealed is null;
alter table recovery_codes drop user_id;
alter table recovery_codes add primary key (identity_id, hash);

alter table users
  drop email, drop name, drop password_hash, drop totp_sealed, drop totp_last_step,
  drop constraint users_role_check,
  add unique (tenant_id, identity_id);
update users set role = 'analyst' where role = 'member';
alter table users
  add check (role in ('owner', 'admin', 'developer', 'analyst', 'support'));
create index on users (identity_id);

-- Signed-in browsers. `hash` is SHA-256 of 256 random bits in a cookie.
create table sessions (
  id           text primary key,
  identity_id  text not null references identities,
  hash         bytea not null unique,
  -- How the person signed in; 'password' alone approves nothing.
  factor       text not null check (factor in ('password', 'totp', 'recovery_code', 'passkey')),
  address      text,
  agent        text not null,
  created_at   bigint not null,
  -- Written at most once a minute.
  seen_at      bigint not null,
  ends_at      bigint not null
);
create index on sessions (identity_id, id);
create index on sessions (ends_at);

create table passkeys (
  id             text primary key,
  identity_id    text not null references identities,
  credential_id  bytea not null unique,
  -- Random, the same for all passkeys of a person: how the device names the person.
  user_handle    bytea not null,
  -- COSE key.
  public_key     bytea not null,
  counter        bigint not null,
  transports     text[] not null,
  device_type    text not null check (device_type in ('singleDevice', 'multiDevice')),
  backed_up      boolean not null,
  name           text not null,
  created_at     bigint not null,
  last_used_at   bigint
);
create index on passkeys (identity_id, id);

-- Challenges that passkeys answered, until they would have expired: none is answered twice. `hash`
-- is SHA-256 of the challenge.
create table webauthn_challenges (
  hash        bytea primary key,
  expires_at  bigint not null
);
create index on webauthn_challenges (expires_at);

-- One-time links into a tenant.
create table invitations (
  id            text primary key,
  tenant_id     text not null references tenants,
  email         text not null check (email = lower(email)),
  role          text not null check (role in ('owner', 'admin', 'developer', 'analyst', 'support')),
  token_hash    bytea not null unique,
  -- The inviting person; null: an operator.
  invited_by    text references users,
  created_at    bigint not null,
  ends_at       bigint not null,
  used_at       bigint,
  withdrawn_at  bigint
);
create index on invitations (tenant_id, id);
create unique index on invitations (tenant_id, email) where used_at is null and withdrawn_at is null;

-- One-time links by mail: to prove an address, or to choose another password. Spent by use.
create table mail_proofs (
  token_hash   bytea primary key,
  purpose      text not null check (purpose in ('verify', 'reset')),
  identity_id  text not null references identities,
  ends_at      bigint not null,
  used_at      bigint
);
create index on mail_proofs (identity_id);
create index on mail_proofs (ends_at);

-- Mail, written with its cause and sent by the dispatcher. The fields hold links and are sealed;
-- they go when the mail is sent, or given up.
create table mails (
  id          text primary key,
  recipient   text not null,
  template    text not null,
  sealed      text,
  created_at  bigint not null,
  -- From then on the mail is of no use, for its link has ended.
  ends_at     bigint not null,
  -- When the dispatcher tries next; null: sent, or given up.
  due_at      bigint,
  attempts    integer not null default 0,
  sent_at     bigint,
  failed_at   bigint,
  -- Codes of the last failure, never a text of the other server.
  problem     text,
  check ((due_at is null) = (sent_at is not null or failed_at is not null)),
  check ((sealed is null) = (due_at is null))
);
create index on mails (due_at) where due_at is not null;
create index on mails (created_at) where due_at is null;

alter table factor_challenges
  drop constraint factor_challenges_decided_with_check,
  add check (decided_with in ('totp', 'recovery_code', 'passkey')),
  -- The passkey's assertion, until the approved call keeps it beside its audit row.
  add assertion jsonb;

alter table audit_log
  drop constraint audit_log_actor_type_check,
  add check (actor_type in ('api_key', 'oauth', 'person', 'operator', 'system', 'holder')),
  -- SHA-256 of the evidence of a passkey's approval.
  add evidence_hash bytea;

-- Proof of a passkey's approval: anyone can verify the signature again.
create table factor_evidence (
  audit_id    text primary key,
  -- nonce, fingerprint, clientDataJSON, authenticatorData, signature, publicKey.
  evidence    jsonb not null
);
create trigger immutable before update or delete on factor_evidence
  for each row execute function refuse_change();
create trigger immutable_as_a_whole before truncate on factor_evidence
  for each statement execute function refuse_change();

-- Every process forgets a session that ended, and all sessions of a person who changed.
create function session_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('auth', 'session:' || encode(old.hash, 'hex'));
  return null;
end $$;
create trigger session_changed after delete or update of hash, ends_at on sessions
  for each row execute function session_changed();

create function identity_changed() returns trigger language plpgsql as $$
declare
  changed jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  perform pg_notify('auth', 'identity:' || (changed ->> tg_argv[0]));
  return null;
end $$;
create trigger identity_changed
  after update of email, verified_at, name, password_hash, totp_sealed, state on identities
  for each row execute function identity_changed('id');
create trigger identity_changed after insert or delete on passkeys
  for each row execute function identity_changed('identity_id');
create trigger identity_changed
  after insert or delete or update of role, state, identity_id on users
  for each row execute function identity_changed('identity_id');
