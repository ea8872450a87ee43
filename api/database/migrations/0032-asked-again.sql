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

-- A tenant's list goes by id whatever it is filtered by; what did not simply succeed is rare, and indexed alone.
create index ended_deliveries_by_tenant on ended_deliveries (tenant_id, environment, id);
create index ended_deliveries_by_type on ended_deliveries (tenant_id, environment, type, id);
create index ended_deliveries_in_vain on ended_deliveries (tenant_id, environment, state, id) where state <> 'succeeded';
create index ended_deliveries_asked_for on ended_deliveries (tenant_id, environment, cause, id) where cause <> 'event';

-- Why a recovery was canceled.
alter table recoveries add column cancel_reason text;
create unique index recoveries_one_running on recoveries (endpoint_id) where status = 'running';
create unique index recoveries_external_id on recoveries (tenant_id, environment, external_id) where external_id is not null;
create index event_outbox_of_recovery on event_outbox (recovery_id) where recovery_id is not null;
