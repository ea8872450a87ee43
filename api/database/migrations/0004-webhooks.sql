-- Endpoints, events, deliveries. Events, ended deliveries and attempts are partitioned by day, so
-- that retention drops tables and deletes no rows; open deliveries stand apart, in a table as small
-- as the backlog.

create table webhook_endpoints (
  id               text primary key,
  tenant_id        text not null references tenants,
  environment      text not null check (environment in ('sandbox', 'live')),
  url              text not null,
  description      text not null default '',
  event_types      text[],
  status           text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason  text,
  enabled_epoch    integer not null default 1,
  created_at       bigint not null,
  version          bigint not null default 1,
  is_realtime      boolean not null default false,
  external_id      text,
  metadata         jsonb not null default '{}',
  deleted_at       bigint,
  disabled_at      bigint
);
create index on webhook_endpoints (tenant_id, environment, id);
create unique index webhook_endpoints_one_realtime
  on webhook_endpoints (tenant_id, environment) where is_realtime;
create unique index on webhook_endpoints (tenant_id, environment, external_id) where external_id is not null;
create trigger version before insert or update on webhook_endpoints
  for each row execute function config_version('endpoint', 'id');
create trigger changed after insert or update or delete on webhook_endpoints
  for each row execute function config_changed('endpoint', 'id');

-- Slot 0 holds the older secret and signs first, slot 1 signs second (Spec 2.9).
create table webhook_secrets (
  id           text primary key,
  endpoint_id  text not null references webhook_endpoints,
  slot         smallint not null check (slot in (0, 1)),
  sealed       text not null,
  created_at   bigint not null,
  revoked_at   bigint,
  expires_at   bigint
);
create unique index on webhook_secrets (endpoint_id, slot) where revoked_at is null;
create index webhook_secrets_expiring on webhook_secrets (expires_at)
  where revoked_at is null and expires_at is not null;

-- An endpoint's config record contains its secrets: a changed secret versions the endpoint.
create function touch_endpoint() returns trigger language plpgsql as $$
begin
  update webhook_endpoints set url = url where id = coalesce(new.endpoint_id, old.endpoint_id);
  return null;
end $$;
create trigger touch after insert or update or delete on webhook_secrets for each row execute function touch_endpoint();

-- Periods in which an endpoint got nothing, by event numbers: the events between them are missed.
create table endpoint_absences (
  endpoint_id  text not null references webhook_endpoints on delete cascade,
  from_seq     bigint not null,
  -- Null while the endpoint is disabled.
  until_seq    bigint,
  from_at      bigint not null,
  until_at     bigint,
  reason       text not null,
  primary key (endpoint_id, from_seq, from_at)
);
create index endpoint_absences_by_end on endpoint_absences (until_at) where until_at is not null;

-- Hourly statistics of an endpoint; reading them costs the same whatever the traffic.
create table endpoint_hours (
  endpoint_id  text not null references webhook_endpoints on delete cascade,
  -- Start of the hour.
  hour         bigint not null,
  succeeded    bigint not null default 0,
  failed       bigint not null default 0,
  timed_out    bigint not null default 0,
  -- Answered attempts by duration: bucket n counts those below 2^n milliseconds.
  answered     bigint[] not null default array_fill(0::bigint, array[16]),
  primary key (endpoint_id, hour)
);
-- Retention deletes by age: these indexes find old rows without reading the others.
create index endpoint_hours_by_hour on endpoint_hours (hour);

-- Endpoints deleted or enabled with more open deliveries than one call touches; a job does the rest
-- in batches.
create table endpoint_sweeps (
  endpoint_id  text primary key references webhook_endpoints on delete cascade,
  work         text not null check (work in ('cancel', 'resume')),
  -- Deletion or enabling, by the installation's clock.
  since_at     bigint not null
);

-- Certifications of endpoints, with their probes.
create table certifications (
  id           text primary key,
  endpoint_id  text not null references webhook_endpoints,
  tenant_id    text not null references tenants,
  environment  text not null check (environment = 'sandbox'),
  url          text not null,
  status       text not null check (status in ('running', 'finished')),
  certified    boolean check ((certified is null) = (status = 'running')),
  -- In sending order, as the API shows them.
  probes       jsonb not null default '[]',
  created_at   bigint not null,
  finished_at  bigint check ((finished_at is null) = (status = 'running'))
);
create index on certifications (endpoint_id, id);
-- An endpoint has one running certification.
create unique index certifications_one_running on certifications (endpoint_id) where status = 'running';

-- Events. Ids compare as bytes, whatever the collation of the database: byte order is creation
-- order.
create table events (
  id           text collate "C" primary key,
  tenant_id    text not null,
  environment  text not null,
  -- Gap-free per tenant and environment: the counter of tenant_sequences moves in the same
  -- transaction.
  seq          bigint not null,
  type         text not null,
  api_version  text not null,
  resource_id  text not null,
  created_at   bigint not null,
  -- The exact bytes that every delivery sends and signs. Bodies of card transactions are deflated
  -- (first byte 1).
  body         bytea not null
) partition by range (id);
create index events_by_seq on events (tenant_id, environment, seq);
create index events_by_resource on events (resource_id, seq);

-- Events to fan out, and events to send to one endpoint again.
create table event_outbox (
  entry          bigint generated always as identity primary key,
  event_id       text collate "C" not null,
  tenant_id      text not null,
  environment    text not null,
  -- 0: cards and security, which go first; 1: bulk.
  lane           smallint not null default 0 check (lane in (0, 1)),
  seq            bigint not null,
  -- Endpoint that gets nothing: the disabled notice goes to every other enabled endpoint, whatever
  -- its filter.
  everyone_but   text,
  -- Endpoint of a recovery: the event goes to it alone.
  only_endpoint  text,
  recovery_id    text
) with (
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_threshold = -1
);
create index event_outbox_in_line on event_outbox (tenant_id, environment, lane, seq, entry);
create index event_outbox_of_recovery on event_outbox (recovery_id) where recovery_id is not null;

-- Open deliveries. A disabled endpoint holds them, and they begin a fresh cycle in its next epoch:
-- neither disabling nor enabling touches these rows.
create table open_deliveries (
  id           text collate "C" primary key,
  event_id     text collate "C" not null,
  endpoint_id  text not null,
  tenant_id    text not null,
  environment  text not null,
  type         text not null,
  -- Cause: the event itself, or a request to send it again.
  cause        text not null default 'event' check (cause in ('event', 'replay', 'recovery', 'test')),
  recovery_id  text,
  lane         smallint not null default 0 check (lane in (0, 1)),
  cycle        integer not null default 1,
  -- Attempts of this cycle, counted at the claim (Spec 6.1).
  attempts     integer not null default 0 check (attempts between 0 and 5),
  epoch        integer not null,
  due_at       bigint not null,
  lease_until  bigint not null default 0,
  lease_token  uuid,
  lease_owner  text,
  last_status  integer,
  last_error   text,
  created_at   bigint not null,
  -- Body of a test, which has no event.
  body         bytea
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index open_deliveries_leased on open_deliveries (lease_owner) where lease_token is not null;
create index open_deliveries_by_event on open_deliveries (event_id, endpoint_id);
-- Lists of a tenant go by id under every filter; rare values have partial indexes. Lists name the
-- byte order by another collation than the primary key, so that the planner never walks the rows of
-- all tenants to find those of one.
create index open_deliveries_by_endpoint on open_deliveries (endpoint_id, id collate "POSIX");
create index open_deliveries_asked_for on open_deliveries (endpoint_id, cause, id collate "POSIX")
  where cause <> 'event';
-- Leased rows leave the index, so that a claim reads only free rows. An endpoint's retries and
-- first attempts are separate ranges: neither hides the head of the other.
create index open_deliveries_due on open_deliveries (endpoint_id, lane, (attempts > 0), due_at)
  where lease_token is null;

-- Ended deliveries.
create table ended_deliveries (
  id           text collate "C" primary key,
  event_id     text collate "C" not null,
  endpoint_id  text not null,
  tenant_id    text not null,
  environment  text not null,
  type         text not null,
  cause        text not null,
  recovery_id  text,
  lane         smallint not null,
  state        text not null check (state in ('succeeded', 'failed', 'canceled')),
  cycle        integer not null,
  attempts     integer not null,
  epoch        integer not null,
  last_status  integer,
  last_error   text,
  created_at   bigint not null,
  finished_at  bigint not null
) partition by range (id);
create index ended_deliveries_by_event on ended_deliveries (event_id, endpoint_id);
create index ended_deliveries_by_endpoint on ended_deliveries (endpoint_id, id collate "POSIX");
create index ended_deliveries_by_tenant on ended_deliveries (tenant_id, environment, id collate "POSIX");
create index ended_deliveries_by_type on ended_deliveries (tenant_id, environment, type, id collate "POSIX");
create index ended_deliveries_in_vain on ended_deliveries (tenant_id, environment, state, id collate "POSIX")
  where state <> 'succeeded';
create index ended_deliveries_asked_for on ended_deliveries (tenant_id, environment, cause, id collate "POSIX")
  where cause <> 'event';

create table delivery_attempts (
  delivery_id   text collate "C" not null,
  cycle         integer not null,
  n             integer not null,
  cause         text not null default 'event',
  started_at    bigint not null,
  duration_ms   integer not null,
  -- Milliseconds until the first byte of the answer; null without an answer.
  answered_ms   integer,
  status        integer,
  error_class   text,
  body          text not null default '',
  connected_ms  integer,
  primary key (delivery_id, cycle, n)
) partition by range (delivery_id);

-- Recoveries: ranges of events sent to one endpoint again, at the tenant's pace.
create table recoveries (
  id             text primary key,
  endpoint_id    text not null references webhook_endpoints on delete cascade,
  tenant_id      text not null,
  environment    text not null,
  which          text not null check (which in ('failed', 'missed', 'all')),
  event_types    text[],
  since_at       bigint not null,
  until_at       bigint not null,
  status         text not null default 'running' check (status in ('running', 'completed', 'canceled')),
  -- Events up to this number are done.
  cursor_seq     bigint not null,
  until_seq      bigint not null,
  matched        bigint not null default 0,
  created_at     bigint not null,
  finished_at    bigint,
  external_id    text,
  metadata       jsonb not null default '{}',
  cancel_reason  text,
  epoch          integer not null default 1
);
create index recoveries_by_endpoint on recoveries (endpoint_id, id);
create index recoveries_running on recoveries (id) where status = 'running';
create unique index recoveries_one_running on recoveries (endpoint_id) where status = 'running';
create unique index recoveries_external_id on recoveries (tenant_id, environment, external_id)
  where external_id is not null;
create index recoveries_by_end on recoveries (finished_at) where finished_at is not null;

-- Pace of sends per tenant, exact over restarts and several dispatchers.
create table fan_out_pace (
  tenant_id     text not null,
  environment   text not null,
  moments       bigint[] not null default '{}',
  fan_out_step  bigint not null default 0,
  fanned_out    integer not null default 0,
  primary key (tenant_id, environment)
);

-- Dispatchers. A dispatcher that stops renewing its row is dead, and its leases are free.
create table dispatchers (
  id           text primary key,
  alive_until  bigint not null
);
create index on dispatchers (alive_until);

-- Smallest id of a moment: behind the prefix, ids begin with their millisecond in ten characters.
create function id_floor(prefix text, at_ms bigint) returns text language sql immutable strict as $$
  select prefix || '_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', ((at_ms >> (45 - 5 * n)) & 31)::integer + 1, 1), '' order by n
  )
  from generate_series(0, 9) n
$$;

create function day_start_ms(day date) returns bigint language sql immutable strict as $$
  select (extract(epoch from day::timestamp) * 1000)::bigint
$$;

-- Tables partitioned by day (UTC), with the partition column and the prefix of its ids.
create function day_tables() returns table (kept text, key text, prefix text) language sql immutable as $$
  values ('events', 'id', 'evt'), ('ended_deliveries', 'id', 'dlv'), ('delivery_attempts', 'delivery_id', 'dlv')
$$;

-- Vacuum settings of a day: retention drops it long before its rows have to be frozen.
create function set_upkeep_of_day(name text) returns void language plpgsql as $$
begin
  execute format(
    'alter table %I set (autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 1,'
    ' autovacuum_vacuum_cost_delay = 20)', name
  );
end
$$;

-- Makes one day of one table, and moves its rows out of the default partition.
create function make_day(kept text, key text, prefix text, day date) returns void language plpgsql as $$
declare
  name text := kept || '_' || to_char(day, 'YYYYMMDD');
  floor text := id_floor(prefix, day_start_ms(day));
  ceiling text := id_floor(prefix, day_start_ms(day + 1));
begin
  if to_regclass(name) is not null then return; end if;
  execute format('create table %I (like %I including all)', name, kept);
  perform set_upkeep_of_day(name);
  if kept = 'events' then execute format('alter table %I set (toast_tuple_target = 8160)', name); end if;
  execute format(
    'with moved as (delete from %I where %I >= %L and %I < %L returning *) insert into %I select * from moved',
    kept || '_other', key, floor, key, ceiling, name
  );
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', kept, name, floor, ceiling);
end
$$;

-- Makes the partitions of today and of `ahead` days after it; several callers may run at once.
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
    -- Attaching a partition takes this lock anyway. A caller that waited for it sees the days made
    -- meanwhile; behind an advisory lock it would not.
    lock table events in share update exclusive mode;
    perform make_day(wanted.kept, wanted.key, wanted.prefix, wanted.day);
    made := made + 1;
  end loop;
  return made;
end
$$;

-- Default partitions, for ids outside every day.
create table events_other partition of events default;
create table ended_deliveries_other partition of ended_deliveries default;
create table delivery_attempts_other partition of delivery_attempts default;
select set_upkeep_of_day(kept || '_other') from day_tables();
select make_days((extract(epoch from now()) * 1000)::bigint, 7);

comment on column events.body is
  'The exact bytes every delivery sends and signs, or, where the first byte is 1, these deflated against a dictionary of the release';

-- Open and ended deliveries together, for support and explanations.
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
