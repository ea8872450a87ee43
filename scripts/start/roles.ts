// The roles of deploy/postgres on the embedded PostgreSQL: every process works with the least
// rights there too, and none as the role that may do everything.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { randomSecret } from '../../shared/id.ts'

/** The address of the database for each of its users. */
export interface DatabaseUrls {
  /** Owns the tables. */
  migrate: string
  api: string
  /** For the engine link of the api; null: as the setting says, or that of the api. */
  link: string | null
  dispatcher: string
  settler: string
}

const FOLDER = join(import.meta.dirname, '../../deploy/postgres')
const PASSWORD_BYTES = 24

/** Tables and functions of a database from before the roles. */
const HAND_OVER = `
  do $$ declare name text; begin
    for name in select c.oid::regclass::text from pg_class c
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
        and relowner <> 'svc_migrate'::regrole loop
      execute 'alter table ' || name || ' owner to svc_migrate';
    end loop;
    for name in select p.oid::regprocedure::text from pg_proc p
      where pronamespace = 'public'::regnamespace and proowner <> 'svc_migrate'::regrole loop
      execute 'alter function ' || name || ' owner to svc_migrate';
    end loop;
  end $$`

/** A database of the operator: its roles are the operator's, who names one in DATABASE_URL. */
export function sameForAll(url: string): DatabaseUrls {
  return { migrate: url, api: url, link: null, dispatcher: url, settler: url }
}

/**
 * Makes the roles, gives each a fresh password, and hands the tables over to the one that owns
 * them. Only addresses of this start work: an earlier one has ended.
 */
export async function makeRoles(adminUrl: string): Promise<DatabaseUrls> {
  return withPool(adminUrl, async (sql) => {
    await sql.unsafe(readFileSync(join(FOLDER, 'roles.sql'), 'utf8'))
    await sql.unsafe(HAND_OVER)
    const as = async (role: string): Promise<string> => {
      const url = new URL(adminUrl)
      url.username = role
      url.password = randomSecret(PASSWORD_BYTES)
      await sql.unsafe(`alter role ${role} password '${url.password}'`)
      return url.href
    }
    return {
      migrate: await as('svc_migrate'),
      api: await as('svc_api'),
      link: await as('svc_link'),
      dispatcher: await as('svc_dispatcher'),
      settler: await as('svc_settler'),
    }
  })
}

async function withPool<Value>(url: string, work: (sql: Sql) => Promise<Value>): Promise<Value> {
  const sql = openPool(url, { max: 1, applicationName: 'svc-start' })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
