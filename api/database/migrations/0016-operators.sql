-- Tenants as those who run the installation know them, and programs with the states they give them.

alter table tenants
  add column legal_name      text,
  add column country         text check (country ~ '^[A-Z]{2}$'),
  add column kyb_status      text not null default 'pending'
    check (kyb_status in ('pending', 'approved', 'rejected')),
  add column kyb_reason      text,
  add column kyb_decided_at  bigint,
  -- Null of all three: it is not suspended.
  add column suspended_by    text check (suspended_by in ('regulator', 'sponsor_bank', 'provider_risk')),
  add column suspend_reason  text,
  add column suspended_at    bigint;

-- Who is served in live already was decided about before that was written down.
update tenants t set kyb_status = 'approved', kyb_decided_at = created_at
where exists (select 1 from api_keys k where k.tenant_id = t.id and k.environment = 'live')
  or exists (select 1 from programs p where p.tenant_id = t.id and p.environment = 'live');

alter table programs
  add column external_id            text,
  add column metadata               jsonb not null default '{}',
  -- Of cards that name none.
  add column currency               text check (currency ~ '^[A-Z]{3}$'),
  add column suspended_by           text check (suspended_by in ('regulator', 'sponsor_bank', 'provider_risk')),
  add column suspend_reason         text,
  -- Set while it is rejected: for the engine it still waits, and to everybody else it says why.
  add column reject_reason          text check (reject_reason is null or status = 'pending'),
  -- It was suspended because its tenant was, and is resumed with it.
  add column suspended_with_tenant  boolean not null default false;
update programs set suspended_by = 'provider_risk' where status = 'suspended';
create unique index on programs (tenant_id, environment, external_id) where external_id is not null;
