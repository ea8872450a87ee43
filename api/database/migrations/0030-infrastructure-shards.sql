-- Several shards behind one database, and one identity per timeline.

-- The control file names the old timeline until the first checkpoint after a promotion, the WAL at
-- once. The call fails on a standby.
create or replace function database_identity() returns text language sql stable as $$
  select i.id || ':' || s.system_identifier || ':'
    || ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer || ':' || d.oid
  from installation i, pg_control_system() s, pg_database d
  where d.datname = current_database()
$$;

-- A row per shard. `one` stays true for the first shard: code of the release before names it.
alter table journal_cursor
  drop constraint journal_cursor_pkey,
  alter column one drop not null,
  add column shard text not null default 's1' check (shard ~ '^s[1-9][0-9]?$'),
  -- Cards of the shard at the last count.
  add column cards bigint not null default 0,
  -- Receipt of the oldest decision that the shard's journal keeps; null: not known yet.
  add column oldest_ms bigint;
alter table journal_cursor
  add primary key (shard),
  add unique (one);

-- The shard that decides for a placement group: a tenant in an environment, or one program of it
-- where an operator splits the tenant. A group without a row belongs to the first shard. While a
-- group moves its shard is `-`: no engine decides for it.
create table placements (
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  program_id   text references programs on delete cascade,
  shard        text not null check (shard ~ '^(s[1-9][0-9]?|-)$'),
  -- The shard before, while a group moves that had a row.
  moved_from   text check (moved_from ~ '^s[1-9][0-9]?$'),
  version      bigint not null default 1
);
create unique index on placements (tenant_id, environment) where program_id is null;
create unique index on placements (program_id) where program_id is not null;

create function placement_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
create trigger version before update on placements
  for each row execute function placement_version();

-- A new tenant goes to the shard with the fewest cards, and among equals to the one with the
-- fewest groups.
create function place_tenant() returns trigger language plpgsql as $$
begin
  if (select count(*) from journal_cursor) < 2 then
    return null;
  end if;
  insert into placements (tenant_id, environment, shard)
  select new.id, e.environment, s.shard
  from (values ('sandbox'), ('live')) as e (environment), (
    select c.shard from journal_cursor c
    order by c.cards, (select count(*) from placements p where p.shard = c.shard), c.shard
    limit 1
  ) s;
  return null;
end $$;
create trigger place after insert on tenants for each row execute function place_tenant();

-- A program's config record contains its shard; null: the first one.
alter table programs add column shard text;

create function follow_placement() returns trigger language plpgsql as $$
begin
  new.shard := (
    select shard from placements
    where tenant_id = new.tenant_id and environment = new.environment and program_id is null
  );
  return new;
end $$;
create trigger follow_placement before insert on programs
  for each row execute function follow_placement();

create function place_programs() returns trigger language plpgsql as $$
begin
  update programs p set shard = new.shard
  where p.tenant_id = new.tenant_id and p.environment = new.environment
    and case when new.program_id is null
      then not exists (select from placements o where o.program_id = p.id)
      else p.id = new.program_id
    end;
  return null;
end $$;
create trigger place_programs after insert or update on placements
  for each row execute function place_programs();
