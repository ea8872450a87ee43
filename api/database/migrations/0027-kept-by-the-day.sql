-- Events, what was sent of them and every attempt are kept by the day, so that what is old goes by dropping a table and not by
-- deleting rows. What is still to be sent stands apart, in a table as small as the backlog.

-- The smallest id that can be made at a moment: behind the prefix, ids begin with their millisecond in ten characters.
create function id_floor(prefix text, at_ms bigint) returns text language sql immutable strict as $$
  select prefix || '_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', ((at_ms >> (45 - 5 * n)) & 31)::integer + 1, 1), '' order by n
  )
  from generate_series(0, 9) n
$$;

create function day_start_ms(day date) returns bigint language sql immutable strict as $$
  select (extract(epoch from day::timestamp) * 1000)::bigint
$$;

-- The tables that are kept by the day (UTC), the column that says which, and how its ids begin.
create function day_tables() returns table (kept text, key text, prefix text) language sql immutable as $$
  values ('events', 'id', 'evt'), ('ended_deliveries', 'id', 'dlv'), ('delivery_attempts', 'delivery_id', 'dlv')
$$;

-- Makes one day of one table. Rows of that day that came before their day was made wait in the default partition: they move.
create function make_day(kept text, key text, prefix text, day date) returns void language plpgsql as $$
declare
  name text := kept || '_' || to_char(day, 'YYYYMMDD');
  floor text := id_floor(prefix, day_start_ms(day));
  ceiling text := id_floor(prefix, day_start_ms(day + 1));
begin
  if to_regclass(name) is not null then return; end if;
  execute format('create table %I (like %I including all)', name, kept);
  if kept = 'events' then execute format('alter table %I set (toast_tuple_target = 8160)', name); end if;
  execute format(
    'with moved as (delete from %I where %I >= %L and %I < %L returning *) insert into %I select * from moved',
    kept || '_other', key, floor, key, ceiling, name
  );
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', kept, name, floor, ceiling);
end
$$;

-- Makes the days from the moment's own until so many later; one caller at a time, the others find them made.
create function make_days(at_ms bigint, ahead integer) returns integer language plpgsql as $$
declare
  today date := (to_timestamp(at_ms / 1000.0) at time zone 'UTC')::date;
  wanted record;
  made integer := 0;
begin
  for wanted in
    select t.*, today + n as day from day_tables() t cross join generate_series(0, ahead) n
    where to_regclass(t.kept || '_' || to_char(today + n, 'YYYYMMDD')) is null
  loop
    -- Making a day takes this lock anyway. Who waited for it sees what was made meanwhile; behind an advisory lock it would not.
    lock table events in share update exclusive mode;
    perform make_day(wanted.kept, wanted.key, wanted.prefix, wanted.day);
    made := made + 1;
  end loop;
  return made;
end
$$;

alter table event_outbox rename to event_outbox_before;
alter table delivery_attempts rename to delivery_attempts_before;
alter table deliveries rename to deliveries_before;
alter table events rename to events_before;
alter table events_before rename constraint events_pkey to events_before_pkey;
alter table events_before rename constraint events_tenant_id_fkey to events_before_tenant_id_fkey;
alter table event_outbox_before rename constraint event_outbox_pkey to event_outbox_before_pkey;
alter table delivery_attempts_before rename constraint delivery_attempts_pkey to delivery_attempts_before_pkey;

-- Ids compare as bytes, whatever the database's collation: that is the order they were made in.
create table events (
  id           text collate "C" primary key,
  tenant_id    text not null references tenants,
  environment  text not null,
  -- Without a gap per tenant and environment: the counter in tenant_sequences moves in the same transaction.
  seq          bigint not null,
  type         text not null,
  api_version  text not null,
  resource_id  text not null,
  created_at   bigint not null,
  -- The exact bytes every delivery sends and signs.
  body         bytea not null
) partition by range (id);
create index events_by_seq on events (tenant_id, environment, seq);
create index events_by_resource on events (tenant_id, environment, resource_id, seq);
create table events_other partition of events default;

-- One narrow row per event that is still to be fanned out, and per event that is to be sent to one endpoint again.
create table event_outbox (
  entry          bigint generated always as identity primary key,
  event_id       text collate "C" not null,
  tenant_id      text not null,
  environment    text not null,
  -- 0: cards and security, first in line; 1: bulk.
  lane           smallint not null default 0 check (lane in (0, 1)),
  seq            bigint not null,
  -- The disabled notice goes to every other enabled endpoint, whatever its filter.
  everyone_but   text,
  -- A recovery's: to this endpoint alone.
  only_endpoint  text,
  recovery_id    text
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index event_outbox_in_line on event_outbox (tenant_id, environment, lane, seq, entry);

-- What is still to be sent. It is held while its endpoint is disabled, and begins a fresh cycle in the endpoint's next epoch:
-- neither disabling nor enabling touches these rows.
create table open_deliveries (
  id            text collate "C" primary key,
  event_id      text collate "C" not null,
  endpoint_id   text not null,
  tenant_id     text not null,
  environment   text not null,
  type          text not null,
  -- Why it is sent: the event itself, or somebody asked for it again.
  cause         text not null default 'event' check (cause in ('event', 'replay', 'recovery', 'test')),
  recovery_id   text,
  lane          smallint not null default 0 check (lane in (0, 1)),
  cycle         integer not null default 1,
  -- Of this cycle; counted when they are claimed. Spec 6.1.
  attempts      integer not null default 0 check (attempts between 0 and 5),
  epoch         integer not null,
  due_at        bigint not null,
  lease_until   bigint not null default 0,
  lease_token   uuid,
  lease_owner   text,
  last_status   integer,
  last_error    text,
  created_at    bigint not null,
  -- Only of a test, which is no event: the bytes that are sent.
  body          bytea
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
-- Leased rows leave it, so that a claim touches only what can be claimed, whatever the backlog of others.
create index open_deliveries_due on open_deliveries (tenant_id, endpoint_id, lane, due_at) where lease_token is null;
create index open_deliveries_leased on open_deliveries (lease_owner) where lease_token is not null;
create index open_deliveries_by_endpoint on open_deliveries (endpoint_id, id);
create index open_deliveries_by_event on open_deliveries (event_id, endpoint_id);

-- What became of the others.
create table ended_deliveries (
  id            text collate "C" primary key,
  event_id      text collate "C" not null,
  endpoint_id   text not null,
  tenant_id     text not null,
  environment   text not null,
  type          text not null,
  cause         text not null,
  recovery_id   text,
  lane          smallint not null,
  state         text not null check (state in ('succeeded', 'failed', 'canceled')),
  cycle         integer not null,
  attempts      integer not null,
  epoch         integer not null,
  last_status   integer,
  last_error    text,
  created_at    bigint not null,
  finished_at   bigint not null
) partition by range (id);
create index ended_deliveries_by_endpoint on ended_deliveries (endpoint_id, id);
create index ended_deliveries_by_event on ended_deliveries (event_id, endpoint_id);
create table ended_deliveries_other partition of ended_deliveries default;

create table delivery_attempts (
  delivery_id  text collate "C" not null,
  cycle        integer not null,
  n            integer not null,
  cause        text not null default 'event',
  started_at   bigint not null,
  duration_ms  integer not null,
  -- Milliseconds until the first byte of the answer; null where none came.
  answered_ms  integer,
  status       integer,
  error_class  text,
  body         text not null default '',
  primary key (delivery_id, cycle, n)
) partition by range (delivery_id);
create table delivery_attempts_other partition of delivery_attempts default;

-- When an endpoint was not sent to, by the numbers of its tenant's events: what it missed lies between them.
create table endpoint_absences (
  endpoint_id  text not null references webhook_endpoints on delete cascade,
  from_seq     bigint not null,
  -- Null: it is still disabled.
  until_seq    bigint,
  from_at      bigint not null,
  until_at     bigint,
  reason       text not null,
  primary key (endpoint_id, from_seq, from_at)
);
alter table webhook_endpoints add column disabled_at bigint;

-- How an endpoint did, by the hour: its statistics cost the same whatever was sent.
create table endpoint_hours (
  endpoint_id  text not null references webhook_endpoints on delete cascade,
  -- Unix milliseconds of the hour's begin.
  hour         bigint not null,
  succeeded    bigint not null default 0,
  failed       bigint not null default 0,
  timed_out    bigint not null default 0,
  -- Attempts that got an answer, by how long it took: bucket n holds those below 2^n milliseconds.
  answered     bigint[] not null default array_fill(0::bigint, array[16]),
  primary key (endpoint_id, hour)
);

-- A range of events that is sent to one endpoint again, at the tenant's pace.
create table recoveries (
  id           text primary key,
  endpoint_id  text not null references webhook_endpoints on delete cascade,
  tenant_id    text not null,
  environment  text not null,
  which        text not null check (which in ('failed', 'missed', 'all')),
  event_types  text[],
  since_at     bigint not null,
  until_at     bigint not null,
  status       text not null default 'running' check (status in ('running', 'completed', 'canceled')),
  -- Events up to this number have been looked at.
  cursor_seq   bigint not null,
  until_seq    bigint not null,
  matched      bigint not null default 0,
  created_at   bigint not null,
  finished_at  bigint,
  external_id  text,
  metadata     jsonb not null default '{}'
);
create index recoveries_by_endpoint on recoveries (endpoint_id, id);
create index recoveries_running on recoveries (id) where status = 'running';

-- What was there before. Its rows become the day this happens on; rows with ids of a later day go through the default.
do $$
declare
  at_ms bigint := (extract(epoch from now()) * 1000)::bigint;
  today date := (now() at time zone 'UTC')::date;
  ceiling text;
begin
  insert into event_outbox (event_id, tenant_id, environment, seq, everyone_but)
    select event_id, tenant_id, environment, seq, everyone_but from event_outbox_before order by seq;
  insert into open_deliveries (
    id, event_id, endpoint_id, tenant_id, environment, type, cycle, attempts, epoch, due_at,
    lease_until, lease_token, lease_owner, last_status, last_error, created_at
  )
    select d.id, d.event_id, d.endpoint_id, d.tenant_id, d.environment, e.type, d.cycle, d.attempts, d.epoch,
      coalesce(d.due_at, at_ms), d.lease_until, d.lease_token, d.lease_owner, d.last_status, d.last_error, e.created_at
    from deliveries_before d join events_before e on e.id = d.event_id
    where d.state in ('pending', 'held');
  insert into ended_deliveries (
    id, event_id, endpoint_id, tenant_id, environment, type, cause, lane, state, cycle, attempts, epoch,
    last_status, last_error, created_at, finished_at
  )
    select d.id, d.event_id, d.endpoint_id, d.tenant_id, d.environment, e.type, 'event', 0, d.state, d.cycle, d.attempts,
      d.epoch, d.last_status, d.last_error, e.created_at, coalesce(d.finished_at, at_ms)
    from deliveries_before d join events_before e on e.id = d.event_id
    where d.state in ('succeeded', 'failed');
  insert into delivery_attempts (delivery_id, cycle, n, started_at, duration_ms, status, error_class, body)
    select delivery_id, cycle, n, started_at, duration_ms, status, error_class, body from delivery_attempts_before;
  drop table event_outbox_before, delivery_attempts_before, deliveries_before;

  ceiling := id_floor('evt', day_start_ms(today + 1));
  drop index events_tenant_id_environment_seq_idx;
  drop index events_tenant_id_environment_resource_id_seq_idx;
  alter table events_before alter column id type text collate "C";
  execute format('with later as (delete from events_before where id >= %L returning *) insert into events select * from later', ceiling);
  execute format('alter table events_before rename to %I', 'events_' || to_char(today, 'YYYYMMDD'));
  execute format(
    'alter table events attach partition %I for values from (minvalue) to (%L)',
    'events_' || to_char(today, 'YYYYMMDD'), ceiling
  );
  perform make_days(at_ms, 7);

  -- Since when an endpoint is disabled was not written down: as far as anybody knows, since now.
  update webhook_endpoints set disabled_at = at_ms where status = 'disabled' and deleted_at is null;
  insert into endpoint_absences (endpoint_id, from_seq, from_at, reason)
    select e.id, coalesce(s.event_seq, 0) + 1, at_ms, coalesce(e.disabled_reason, 'retry_exhausted')
    from webhook_endpoints e
    left join tenant_sequences s on s.tenant_id = e.tenant_id and s.environment = e.environment
    where e.status = 'disabled' and e.deleted_at is null;
end
$$;

-- All of them, for whoever looks: support, explanations, tests.
create view deliveries as
  select o.id, o.event_id, o.endpoint_id, o.tenant_id, o.environment, o.type, o.cause, o.recovery_id, o.lane,
    case when e.status = 'enabled' then 'pending' else 'held' end as state,
    o.cycle, o.attempts, o.epoch, o.due_at, o.lease_token, o.lease_owner, o.last_status, o.last_error, o.created_at,
    null::bigint as finished_at
  from open_deliveries o join webhook_endpoints e on e.id = o.endpoint_id
  union all
  select id, event_id, endpoint_id, tenant_id, environment, type, cause, recovery_id, lane, state,
    cycle, attempts, epoch, null, null, null, last_status, last_error, created_at, finished_at
  from ended_deliveries;
