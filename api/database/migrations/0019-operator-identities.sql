-- Operators who work on pages: the person of an operator, who signs in with a passkey.

alter table operators
  add column identity_id text references identities;
create unique index on operators (identity_id) where identity_id is not null;

-- A person's agreement is remembered: the same platform, tenant and scopes need no second question.
create index on oauth_grants (client_id, tenant_id, user_id) where revoked_at is null;
