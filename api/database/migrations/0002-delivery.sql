-- What the dispatcher needs to share work fairly and to lose none of it when it is killed.

-- The disabled notice goes to every other enabled endpoint, whatever its filter; null is the ordinary audience.
alter table event_outbox add column everyone_but text;

-- When the last hundred events of a tenant were fanned out: the sliding second is exact over restarts and dispatchers.
create table fan_out_pace (
  tenant_id    text not null,
  environment  text not null,
  moments      bigint[] not null default '{}',
  primary key (tenant_id, environment)
);

-- A dispatcher that stops renewing its row is dead, and its leases are free again.
create table dispatchers (
  id           text primary key,
  alive_until  bigint not null
);
create index on dispatchers (alive_until);

alter table deliveries add column lease_owner text;
drop index deliveries_tenant_id_due_at_idx;
-- Leased rows leave it, so that a claim touches only what can be claimed, whatever the backlog of others.
create index deliveries_due on deliveries (tenant_id, endpoint_id, due_at) where state = 'pending' and lease_token is null;
create index deliveries_leased on deliveries (lease_owner) where lease_token is not null;

-- Spec 6.1: never more than five attempts in a cycle. Attempts are counted when they are claimed.
alter table deliveries add constraint attempts_bounded check (attempts between 0 and 5);
