-- Who of the cardholders stands on a sanctions or PEP list: what was found, who reviewed it, and under which lists each was
-- screened last.

do $$ begin
  execute format(
    'create or replace function quiet_columns() returns text[] language sql immutable as %L',
    format('select %L::text[]', quiet_columns() || array['screened_under'])
  );
end $$;

alter table cardholders
  -- Where the screening stands, as it is shown.
  add column screening       jsonb not null
    default '{"status": "pending", "screened_at": null, "list_version": null, "open_alert_ids": []}',
  -- The number of those lists; 0: under none that are known.
  add column screened_under  bigint not null default 0;
create index on cardholders (screened_under);

-- Lists in use, in the order in which they came into use. The latest are what everybody is screened against.
create table screening_lists (
  number      bigint generated always as identity primary key,
  version     text not null,
  -- Names and other entries on them.
  size        integer not null,
  -- When the files were written.
  changed_at  bigint not null,
  -- When somebody used them last, by the installation's clock.
  seen_at     bigint not null
);
create index on screening_lists (version, number);

create table sanctions_alerts (
  id             text primary key,
  tenant_id      text not null references tenants,
  environment    text not null check (environment in ('sandbox', 'live')),
  cardholder_id  text not null references cardholders,
  -- Hash of who was screened: a review counts for that person.
  person         text not null,
  -- What was found, as it is shown.
  hits           jsonb not null,
  list_version   text not null,
  status         text not null default 'open' check (status in ('open', 'dismissed', 'confirmed')),
  reviewed_by    text references operators,
  reviewed_at    bigint,
  note           text,
  created_at     bigint not null,
  check ((status = 'open') = (reviewed_at is null))
);
create index on sanctions_alerts (tenant_id, environment, id);
create index on sanctions_alerts (cardholder_id);
create index on sanctions_alerts (id) where status = 'open';
