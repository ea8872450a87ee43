-- Real-time authorization: the one endpoint that is asked, what stand-in would have answered, and certifications.

-- Per tenant and environment one endpoint is asked; every program's `endpoint_id` follows it.
alter table webhook_endpoints add column is_realtime boolean not null default false;
create unique index webhook_endpoints_one_realtime
  on webhook_endpoints (tenant_id, environment) where is_realtime;

-- Where programs of one tenant asked different endpoints, it is the one that most of them asked.
update webhook_endpoints set is_realtime = true where id in (
  select distinct on (tenant_id, environment) endpoint_id
  from programs
  where endpoint_id is not null
  group by tenant_id, environment, endpoint_id
  order by tenant_id, environment, count(*) filter (where realtime) desc, count(*) desc, endpoint_id
);
update programs p set endpoint_id = e.id
from webhook_endpoints e
where e.tenant_id = p.tenant_id and e.environment = p.environment and e.is_realtime
  and p.endpoint_id is distinct from e.id;

-- A new program asks it as well, once it opts in.
create function follow_realtime_endpoint() returns trigger language plpgsql as $$
begin
  if new.endpoint_id is null then
    new.endpoint_id := (
      select id from webhook_endpoints
      where tenant_id = new.tenant_id and environment = new.environment and is_realtime
    );
  end if;
  return new;
end $$;
create trigger follow_realtime_endpoint before insert on programs
  for each row execute function follow_realtime_endpoint();

-- Of a question that was to be asked: how that went, and what stand-in did or would have done. Null of everything else, and of
-- what was decided before stand-in was watched.
alter table card_transaction_messages
  add column tenant_outcome          text,
  add column stand_in                boolean,
  add column stand_in_would_approve  boolean;

-- A certification of an endpoint: what was sent to it, and what it got wrong.
create table certifications (
  id           text primary key,
  endpoint_id  text not null references webhook_endpoints,
  tenant_id    text not null references tenants,
  environment  text not null check (environment = 'sandbox'),
  url          text not null,
  status       text not null check (status in ('running', 'finished')),
  certified    boolean check ((certified is null) = (status = 'running')),
  -- In the order in which they were sent, as the API shows them.
  probes       jsonb not null default '[]',
  created_at   bigint not null,
  finished_at  bigint check ((finished_at is null) = (status = 'running'))
);
create index on certifications (endpoint_id, id);
-- One at a time.
create unique index certifications_one_running on certifications (endpoint_id) where status = 'running';
