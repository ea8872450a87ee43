-- API keys, people who sign in, second factors for single calls.

create table api_keys (
  id            text primary key,
  tenant_id     text not null references tenants,
  environment   text not null check (environment in ('sandbox', 'live')),
  role          text not null check (role in ('secret', 'publishable')),
  scope         text not null check (scope in ('read', 'write', 'admin')),
  hash          bytea not null unique,
  last4         text not null,
  state         text not null default 'active' check (state in ('active', 'pending', 'revoked')),
  revoke_at     bigint,
  created_at    bigint not null,
  -- Address ranges from which the key works; empty: every address.
  cidrs         text[] not null default '{}',
  -- By the tenant's clock, written at most once a minute.
  last_used_at  bigint,
  last_used_ip  text,
  name          text not null default '',
  -- Key, person or operator that made it; null for keys that came with the installation.
  created_by    text,
  revoked_at    bigint,
  external_id   text,
  metadata      jsonb not null default '{}'
);
create index on api_keys (tenant_id, environment, id);
create unique index on api_keys (tenant_id, environment, external_id) where external_id is not null;
-- Keys in their grace period.
create index api_keys_pending on api_keys (revoke_at) where state = 'pending';

-- Origins from which a secret key arrived: a web page contains it.
create table secret_key_sightings (
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  key_id       text not null references api_keys on delete cascade,
  origin       text not null,
  first_at     bigint not null,
  last_at      bigint not null,
  count        bigint not null,
  primary key (key_id, origin)
);

-- People of a tenant, for sandbox and live alike.
create table users (
  id              text primary key,
  tenant_id       text not null references tenants,
  email           text not null check (email = lower(email)),
  name            text not null,
  role            text not null check (role in ('owner', 'admin', 'member')),
  -- argon2id, with its parameters.
  password_hash   text not null,
  totp_sealed     text not null,
  -- Last accepted step of thirty seconds: no code is accepted twice.
  totp_last_step  bigint not null default 0,
  state           text not null default 'active' check (state in ('active', 'disabled')),
  created_at      bigint not null,
  unique (tenant_id, email)
);

create table recovery_codes (
  user_id  text not null references users,
  -- SHA-256 of eighty random bits.
  hash     bytea not null,
  used_at  bigint,
  primary key (user_id, hash)
);

-- Attempts to sign in, per named account and per source address.
create table sign_in_tries (
  subject   text primary key,
  tries     bigint[] not null,
  last_try  bigint not null
);
create index on sign_in_tries (last_try);

-- Calls that a person has to approve.
create table factor_challenges (
  id            text primary key,
  tenant_id     text not null references tenants,
  environment   text not null check (environment in ('sandbox', 'live')),
  key_id        text not null,
  -- SHA-256 of the values in the page's address and in the repeated call.
  handle_hash   bytea not null unique,
  token_hash    bytea not null unique,
  operation     text not null,
  method        text not null,
  path          text not null,
  ip            text not null,
  request_id    text not null,
  -- Sealed: fingerprint of the call, fields of its body, token.
  sealed        text not null,
  state         text not null default 'pending' check (state in ('pending', 'approved', 'denied')),
  created_at    bigint not null,
  expires_at    bigint not null,
  decided_at    bigint,
  decided_by    text references users,
  decided_with  text check (decided_with in ('totp', 'recovery_code')),
  used_at       bigint,
  -- Request id of the call that used it.
  used_by       text,
  check ((state = 'pending') = (decided_at is null)),
  check (state <> 'approved' or (decided_by is not null and decided_with is not null))
);
create index on factor_challenges (created_at);

-- Every process forgets the credential in the payload: a hash in hex, `tenant:<id>`, or everything
-- if empty.
create function credential_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform pg_notify('auth', encode(old.hash, 'hex'));
  end if;
  if tg_op <> 'DELETE' then
    perform pg_notify('auth', encode(new.hash, 'hex'));
  end if;
  return null;
end $$;
create trigger credential_changed after insert or update or delete on operators
  for each row execute function credential_changed();
create trigger credential_changed
  after insert or delete or update of hash, tenant_id, environment, role, scope, state, revoke_at, cidrs on api_keys
  for each row execute function credential_changed();

create function credentials_of_tenant_changed() returns trigger language plpgsql as $$
declare
  changed jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  perform pg_notify('auth', 'tenant:' || (changed ->> tg_argv[0]));
  return null;
end $$;
create trigger credentials_changed after update of api_version on tenants
  for each row execute function credentials_of_tenant_changed('id');
create trigger credentials_changed after insert or update or delete on sandbox_clocks
  for each row execute function credentials_of_tenant_changed('tenant_id');
create trigger credentials_changed after insert or update or delete on rate_limit_overrides
  for each row execute function credentials_of_tenant_changed('tenant_id');

create function credentials_all_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('auth', '');
  return null;
end $$;
create trigger credentials_all_changed after truncate on operators
  for each statement execute function credentials_all_changed();
create trigger credentials_all_changed after truncate on api_keys
  for each statement execute function credentials_all_changed();
