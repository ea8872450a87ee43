-- OAuth 2.1: platforms that act for tenants.

-- Platforms, registered by operators. Each serves one environment.
create table oauth_clients (
  id                text primary key,
  environment       text not null check (environment in ('sandbox', 'live')),
  name              text not null,
  kind              text not null check (kind in ('confidential', 'public')),
  application_type  text not null check (application_type in ('web', 'native')),
  redirect_uris     text[] not null,
  -- Scopes that the platform may ask for.
  scopes            text[] not null,
  -- SHA-256 of the secret; null for public clients.
  secret_hash       bytea,
  last4             text,
  -- The secret before the last rotation, and until when it works.
  old_secret_hash   bytea,
  old_secret_until  bigint,
  state             text not null default 'active' check (state in ('active', 'disabled')),
  created_at        bigint not null,
  check ((kind = 'confidential') = (secret_hash is not null))
);

-- Connections: a person let a platform act for a tenant. Moments are of the tenant's clock.
create table oauth_grants (
  id           text primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  client_id    text not null references oauth_clients,
  -- The person who agreed; the connection outlasts the membership.
  user_id      text not null references users,
  scopes       text[] not null,
  payload      jsonb not null,
  created_at   bigint not null,
  revoked_at   bigint,
  -- Why it ended: the platform, a person of the tenant, or a token that was used twice.
  reason       text check (reason in ('platform', 'tenant', 'token_reused')),
  check ((revoked_at is null) = (reason is null))
);
create index on oauth_grants (tenant_id, environment, id);
create index on oauth_grants (client_id);

-- Codes and tokens. `hash` is SHA-256 of the text, which is stored nowhere.
create table oauth_tokens (
  hash         bytea primary key,
  kind         text not null check (kind in ('code', 'access', 'refresh')),
  grant_id     text not null references oauth_grants,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  scopes       text[] not null,
  -- Thumbprint of the key that the holder has to prove; null: none.
  jkt          text,
  payload      jsonb not null,
  -- By the tenant's clock.
  expires_at   bigint not null,
  -- By the installation's clock; null while unused.
  used_at      bigint,
  -- Hash of the refresh token that this one replaced.
  parent       bytea
);
create index on oauth_tokens (parent) where parent is not null;
create index on oauth_tokens (expires_at);

-- Short-lived states of authorization requests. `hash` is SHA-256 of the id.
create table oauth_states (
  hash     bytea primary key,
  kind     text not null check (kind in ('interaction', 'request', 'proof')),
  payload  jsonb not null,
  expires_at bigint not null,
  used_at  bigint
);
create index on oauth_states (expires_at);

-- Every process forgets the tokens of a connection that ended, or of a platform that changed.
create function oauth_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('auth', tg_argv[0] || ':' || new.id);
  return null;
end $$;
create trigger oauth_changed after update of revoked_at on oauth_grants
  for each row execute function oauth_changed('grant');
create trigger oauth_changed after update of state on oauth_clients
  for each row execute function oauth_changed('client');
