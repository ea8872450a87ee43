-- Answers kept under an Idempotency-Key, people of a tenant who sign in, and second factors for single calls.

-- An answer, or the claim of a call that is making one: that row is seen by its own transaction only.
create table kept_answers (
  tenant_id    text not null,
  environment  text not null check (environment in ('sandbox', 'live')),
  key          text not null check (length(key) between 1 and 255),
  -- Names the row by one text for whoever seals it anew; unique because neither an id nor an environment holds a slash.
  id           text not null generated always as (tenant_id || '/' || environment || '/' || key) stored,
  -- The fingerprint of the call, and what it was answered: sealed, because an answer may hold a secret that is shown once.
  sealed       text,
  -- By the tenant's clock.
  created_at   bigint not null,
  primary key (tenant_id, environment, key)
);
create unique index on kept_answers (id);
create index on kept_answers (created_at);

-- A person is of a tenant, in sandbox and live alike.
create table users (
  id              text primary key,
  tenant_id       text not null references tenants,
  email           text not null check (email = lower(email)),
  name            text not null,
  role            text not null check (role in ('owner', 'admin', 'member')),
  -- argon2id, with its parameters.
  password_hash   text not null,
  totp_sealed     text not null,
  -- The last step of thirty seconds whose code was taken: no code is taken twice.
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

-- When somebody tried to sign in, per account that was named and per address it came from.
create table sign_in_tries (
  subject   text primary key,
  tries     bigint[] not null,
  last_try  bigint not null
);
create index on sign_in_tries (last_try);

-- One call that a person has to approve.
create table factor_challenges (
  id             text primary key,
  tenant_id      text not null references tenants,
  environment    text not null check (environment in ('sandbox', 'live')),
  key_id         text not null,
  -- SHA-256 of what the page's address and the repeated call carry.
  handle_hash    bytea not null unique,
  token_hash     bytea not null unique,
  operation      text not null,
  method         text not null,
  path           text not null,
  ip             text not null,
  request_id     text not null,
  -- The fingerprint of the call, the fields of its body and the token.
  sealed         text not null,
  state          text not null default 'pending' check (state in ('pending', 'approved', 'denied')),
  created_at     bigint not null,
  expires_at     bigint not null,
  decided_at     bigint,
  decided_by     text references users,
  decided_with   text check (decided_with in ('totp', 'recovery_code')),
  used_at        bigint,
  -- The call that used it.
  used_by        text,
  check ((state = 'pending') = (decided_at is null)),
  check (state <> 'approved' or (decided_by is not null and decided_with is not null))
);
create index on factor_challenges (created_at);
