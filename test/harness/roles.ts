// The roles of deploy/postgres on a server of a test.
import { openPool } from '../../api/database/pool.ts'
import { deployText } from './deploy-files.ts'

const PASSWORD = 'for-this-test'
export const OF_PROCESSES = [
  'svc_app',
  'svc_api',
  'svc_link',
  'svc_dispatcher',
  'svc_settler',
] as const
const NAMES = ['svc_migrate', ...OF_PROCESSES, 'svc_backup']

/** The address of the database as this role. */
export function as(url: string, role: string): string {
  const address = new URL(url)
  address.username = role
  address.password = PASSWORD
  return address.href
}

/** Makes the roles, each with a password. */
export async function makeRoles(url: string): Promise<void> {
  const admin = openPool(url, { max: 1, applicationName: 'svc-test' })
  await admin.unsafe(deployText('postgres/roles.sql'))
  for (const role of NAMES)
    await admin.unsafe('alter role ' + role + " password '" + PASSWORD + "'")
  await admin.end({ timeout: 1 })
}

/** Makes the roles and hands every table over, as an installation from before the roles does. */
export async function giveRoles(url: string): Promise<void> {
  await makeRoles(url)
  const admin = openPool(url, { max: 1, applicationName: 'svc-test' })
  await admin.unsafe(`
    do $$ declare name text; begin
      for name in select c.oid::regclass::text from pg_class c
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') loop
        execute 'alter table ' || name || ' owner to svc_migrate';
      end loop;
      for name in select p.oid::regprocedure::text from pg_proc p
        where pronamespace = 'public'::regnamespace loop
        execute 'alter function ' || name || ' owner to svc_migrate';
      end loop;
    end $$;
    grant select on all tables in schema public to svc_backup;
    grant select on all sequences in schema public to svc_backup`)
  await admin.unsafe(deployText('postgres/history.sql'))
  await admin.end({ timeout: 1 })
}
