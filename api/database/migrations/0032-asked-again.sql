-- What tenants see of their deliveries and ask for again.

-- The older of two secrets may be told when it ends.
alter table webhook_secrets add column expires_at bigint;
create index webhook_secrets_expiring on webhook_secrets (expires_at) where revoked_at is null and expires_at is not null;

-- Endpoints that were deleted or enabled with more open deliveries than one call touches: the rest is done part by part.
create table endpoint_sweeps (
  endpoint_id  text primary key references webhook_endpoints on delete cascade,
  work         text not null check (work in ('cancel', 'resume')),
  -- When it was deleted or enabled, by the installation's time.
  since_at     bigint not null
);

-- A tenant's list goes by id whatever it is filtered by; what did not simply succeed is rare, and indexed alone. Lists order by
-- the same bytes under another name of their collation: the primary key has no such order, and so nobody walks through the rows
-- of all tenants to find those of one, whatever the statistics say.
drop index open_deliveries_by_endpoint, ended_deliveries_by_endpoint;
create index open_deliveries_by_endpoint on open_deliveries (endpoint_id, id collate "POSIX");
create index open_deliveries_asked_for on open_deliveries (endpoint_id, cause, id collate "POSIX") where cause <> 'event';
create index ended_deliveries_by_endpoint on ended_deliveries (endpoint_id, id collate "POSIX");
create index ended_deliveries_by_tenant on ended_deliveries (tenant_id, environment, id collate "POSIX");
create index ended_deliveries_by_type on ended_deliveries (tenant_id, environment, type, id collate "POSIX");
create index ended_deliveries_in_vain on ended_deliveries (tenant_id, environment, state, id collate "POSIX")
  where state <> 'succeeded';
create index ended_deliveries_asked_for on ended_deliveries (tenant_id, environment, cause, id collate "POSIX")
  where cause <> 'event';

-- Of a recovery: why it was canceled, and in which epoch of its endpoint it began. Whatever disables the endpoint ends it.
alter table recoveries add column cancel_reason text;
alter table recoveries add column epoch integer not null default 1;
create unique index recoveries_one_running on recoveries (endpoint_id) where status = 'running';
create unique index recoveries_external_id on recoveries (tenant_id, environment, external_id) where external_id is not null;
create index event_outbox_of_recovery on event_outbox (recovery_id) where recovery_id is not null;
