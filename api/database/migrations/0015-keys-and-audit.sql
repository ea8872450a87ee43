-- API keys as their tenant sees them, and the audit log: what was done, by whom, from where.

alter table api_keys
  add column name         text not null default '',
  -- The key, person or operator that made it; null of keys that came with the installation.
  add column created_by   text,
  add column revoked_at   bigint,
  add column external_id  text,
  add column metadata     jsonb not null default '{}';
create index on api_keys (tenant_id, environment, id);
create unique index on api_keys (tenant_id, environment, external_id) where external_id is not null;
-- Keys whose grace may be over.
create index api_keys_pending on api_keys (revoke_at) where state = 'pending';
update api_keys set revoked_at = coalesce(revoke_at, created_at) where state = 'revoked';

-- Where the chain of each audit log ends. Its lock numbers the rows without gaps, in the order of their commits.
create table audit_heads (
  tenant_id    text not null,
  environment  text not null check (environment in ('sandbox', 'live')),
  seq          bigint not null,
  hash         bytea not null,
  primary key (tenant_id, environment)
);

-- One row per change that somebody made, never changed and never deleted. `hash` is SHA-256 over the previous row's and
-- everything that stands in this one. What operators do that is about no tenant has a log of its own, under 'installation'.
create table audit_log (
  id             text not null unique,
  tenant_id      text not null,
  environment    text not null check (environment in ('sandbox', 'live')),
  seq            bigint not null,
  created_at     bigint not null,
  actor_type     text not null check (actor_type in ('api_key', 'operator', 'system')),
  actor_id       text,
  action         text not null,
  resource_id    text,
  request_id     text,
  address        text,
  -- Who approved a call that needed a second factor.
  approved_by    text,
  previous_hash  bytea not null,
  hash           bytea not null,
  primary key (tenant_id, environment, seq)
);
create index on audit_log (tenant_id, environment, actor_id, seq);
create index on audit_log (tenant_id, environment, resource_id, seq);

create trigger immutable before update or delete on audit_log
  for each row execute function refuse_change();
create trigger immutable_as_a_whole before truncate on audit_log
  for each statement execute function refuse_change();
