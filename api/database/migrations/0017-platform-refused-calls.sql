-- Calls of tenants that the API refused, the last thousand of each owner.
create table refused_calls (
  id               text primary key,
  tenant_id        text not null references tenants,
  environment      text not null check (environment in ('sandbox', 'live')),
  -- By the tenant's clock.
  created_at       bigint not null,
  request_id       text not null,
  -- The route's own path, with `:id` for an id.
  method           text not null,
  path             text not null,
  status           smallint not null,
  code             text not null,
  param            text,
  credential_kind  text not null check (credential_kind in ('api_key', 'oauth', 'person')),
  credential_id    text not null,
  address          text
);
create index on refused_calls (tenant_id, environment, id);
