-- Applications of tenants for live: the business as its owner describes it, and the decision.
alter table tenants
  drop constraint tenants_kyb_status_check,
  add check (kyb_status in ('pending', 'submitted', 'approved', 'rejected'));

create table kyb_applications (
  id            text primary key,
  tenant_id     text not null references tenants,
  -- The fields of the application, as they were sent.
  details       jsonb not null,
  -- The owner or admin who approved the call.
  submitted_by  text not null references users,
  created_at    bigint not null,
  decision      text check (decision in ('approved', 'rejected')),
  reason        text,
  decided_by    text references operators,
  decided_at    bigint,
  check ((decision is null) = (decided_at is null))
);
create index on kyb_applications (tenant_id, id);
-- One application of a tenant waits at a time.
create unique index on kyb_applications (tenant_id) where decision is null;
