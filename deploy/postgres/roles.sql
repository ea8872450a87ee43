-- Roles with the least rights. Run once as the owner of the database's cluster, before the first
-- migration, connected to the database of svc:
--
--   psql "$ADMIN_URL" -f deploy/postgres/roles.sql
--
-- then give each a password (\password svc_app). Repeatable.
--
--   svc_migrate     owns every table and function; npm run migrate and npm run restore
--   svc_app         every process, where one role is enough: rows only, no changed history
--   svc_api         the api: as svc_app, without the days of history
--   svc_link        the engine link of the api (SVC_LINK_DATABASE_URL): no sign-ins, no bills,
--                   writes no credential
--   svc_dispatcher  the dispatcher: no ledger, no clearing, no keys of networks
--   svc_settler     the settler: no sign-ins, no bills, no secrets of webhooks, writes no credential
--   svc_backup      npm run backup: reads only
--
-- Rights on rows follow with history.sql, after each migration.

do $$
declare
  name text;
begin
  foreach name in array array[
    'svc_migrate', 'svc_app', 'svc_api', 'svc_link', 'svc_dispatcher', 'svc_settler', 'svc_backup'
  ] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I login nosuperuser nocreatedb nocreaterole noinherit', name);
    end if;
  end loop;
  execute format('alter database %I owner to svc_migrate', current_database());
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to svc_migrate, svc_app, svc_api, svc_link, '
    'svc_dispatcher, svc_settler, svc_backup', current_database());
end
$$;

alter schema public owner to svc_migrate;
revoke all on schema public from public;
grant usage on schema public to svc_app, svc_api, svc_link, svc_dispatcher, svc_settler, svc_backup;

-- The api tells how far each standby is behind, which the server shows to this right alone. It reads
-- statistics and no row.
alter role svc_app inherit;
alter role svc_api inherit;
grant pg_read_all_stats to svc_app, svc_api;

-- Rights on tables that svc_migrate makes later, days of history among them.
alter default privileges for role svc_migrate in schema public
  grant select, insert, update, delete on tables
  to svc_app, svc_api, svc_link, svc_dispatcher, svc_settler;
alter default privileges for role svc_migrate in schema public
  grant usage, select on sequences to svc_app, svc_api, svc_link, svc_dispatcher, svc_settler;
alter default privileges for role svc_migrate in schema public grant select on tables to svc_backup;
alter default privileges for role svc_migrate in schema public grant select on sequences to svc_backup;
