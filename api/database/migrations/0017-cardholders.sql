-- Who cardholders are, whether somebody verified it, and who froze them. Personal data stays out of facts and their history.

-- Whatever was quiet stays quiet. The name of a cardholder is theirs, and decides nothing.
do $$ begin
  execute format(
    'create or replace function quiet_columns() returns text[] language sql immutable as %L',
    format('select %L::text[]', quiet_columns() || array['name', 'freezes'])
  );
end $$;
update fact_history set body = body - 'name' where type = 'cardholder';

alter table cardholders
  -- Names, email, phone, date of birth, address.
  add column details   jsonb not null default '{}',
  -- Where the verification stands, as it is shown.
  add column identity  jsonb not null
    default '{"status": "not_started", "reasons": [], "verification_id": null, "completed_at": null}',
  -- Who keeps them frozen and why, [{by, reason}], the strongest first. They are frozen while there is one.
  add column freezes   jsonb not null default '[]';

-- Who has cards already was let in before there was a verification.
update cardholders set identity = identity || '{"status": "approved"}';
update cardholders
set freezes = jsonb_build_array(jsonb_build_object('by', 'tenant', 'reason', frozen_reason))
where frozen;

create index on cardholders (tenant_id, environment, lower(details ->> 'email'))
  where details ->> 'email' is not null;
create index on cardholders (program_id, id);

-- Questions to the provider: what is to be sent, and what came back.
create table identity_verifications (
  id             text primary key,
  tenant_id      text not null references tenants,
  environment    text not null check (environment in ('sandbox', 'live')),
  cardholder_id  text not null references cardholders,
  -- superseded: somebody asked anew, and what still comes for this one counts no more.
  state          text not null
    check (state in ('requested', 'sent', 'requires_action', 'approved', 'rejected', 'superseded')),
  -- Failed in a row, since it last went well.
  attempts       integer not null default 0,
  -- Rounds of silence after which the provider was asked again.
  reminders      integer not null default 0,
  -- By the tenant's clock; null where nothing is to be done.
  due_at         bigint,
  -- Of the newest result; the next one is newer.
  sequence       bigint not null default 0,
  created_at     bigint not null,
  check ((due_at is not null) = (state in ('requested', 'sent')))
);
create index on identity_verifications (due_at) where due_at is not null;
-- One open question about a person at a time.
create unique index on identity_verifications (cardholder_id)
  where state in ('requested', 'sent', 'requires_action');
create index on identity_verifications (tenant_id, environment);

-- What the provider said of it, each once: the proof of what was decided on.
create table identity_findings (
  verification_id  text not null references identity_verifications,
  -- The provider's own id of it.
  event_id         text not null,
  tenant_id        text not null references tenants,
  environment      text not null check (environment in ('sandbox', 'live')),
  sequence         bigint not null,
  status           text not null,
  reasons          text[] not null,
  -- Whether it changed anything when it came.
  applied          boolean not null,
  received_at      bigint not null,
  primary key (verification_id, event_id)
);
create index on identity_findings (tenant_id, environment);
