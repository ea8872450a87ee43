-- What tenants keep with a wallet token; the engine never sees it (quiet_columns). And the cards of one cardholder in order.

alter table wallet_tokens
  add column external_id  text,
  add column metadata     jsonb not null default '{}';
create unique index on wallet_tokens (tenant_id, environment, external_id) where external_id is not null;

create index on cards (tenant_id, environment, cardholder_id, id);
