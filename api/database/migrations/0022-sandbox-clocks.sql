-- A tenant's sandbox clock reaches the engine with its programs: windows, holds and schedules go by it.

alter table programs add column clock_offset_ms bigint not null default 0 check (clock_offset_ms >= 0);

create function follow_sandbox_clock() returns trigger language plpgsql as $$
begin
  new.clock_offset_ms := clock_offset(new.tenant_id, new.environment);
  return new;
end $$;
create trigger follow_sandbox_clock before insert on programs
  for each row execute function follow_sandbox_clock();

create function move_programs() returns trigger language plpgsql as $$
begin
  update programs set clock_offset_ms = new.offset_ms
  where tenant_id = new.tenant_id and environment = 'sandbox';
  return null;
end $$;
create trigger move_programs after insert or update on sandbox_clocks
  for each row execute function move_programs();

-- Holds that end by the clock of a tenant: the engine's own timer knows its own time only.
create index on card_transactions (tenant_id, hold_expires_at)
  where environment = 'sandbox' and hold_expires_at > 0;
