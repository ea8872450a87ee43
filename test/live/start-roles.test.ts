// The embedded PostgreSQL of a start: each process has a role of its own, which changes no table
// and no history; a database from before the roles is handed over.
import { test } from 'tap'
import { migrate } from '../../api/database/migrate.ts'
import { openPool } from '../../api/database/pool.ts'
import { giveRights } from '../../scripts/migrate/main.ts'
import { makeRoles, sameForAll } from '../../scripts/start/roles.ts'
import { startTestPostgres } from '../harness/postgres.ts'

const DENIED = '42501'

async function outcome(url: string, statement: string): Promise<string> {
  const sql = openPool(url, { max: 1, applicationName: 'svc-test' })
  try {
    const [row] = await sql.unsafe<{ user: string }[]>(statement)
    return row?.user ?? 'done'
  } catch (error) {
    return String((error as { code?: string }).code ?? error)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

test('the processes of a start have the least rights on a database from before the roles', async (t) => {
  const server = await startTestPostgres(t)
  await migrate(server.url, () => undefined)
  const first = await makeRoles(server.url)
  await giveRights(first.migrate)
  const urls = await makeRoles(server.url)
  await migrate(urls.migrate, () => undefined)
  await giveRights(urls.migrate)
  const processes = {
    ...{ svc_api: urls.api, svc_link: urls.link ?? '', svc_dispatcher: urls.dispatcher },
    svc_settler: urls.settler,
  }
  for (const [role, url] of Object.entries(processes)) {
    t.equal(await outcome(url, 'select current_user as user'), role)
    t.equal(await outcome(url, 'select id as user from tenants limit 1'), 'done', role)
    for (const statement of [
      'drop table events',
      'delete from audit_log',
      'alter table cards add x int',
      'select rolname as user from pg_authid',
    ])
      t.equal(await outcome(url, statement), DENIED, role + ': ' + statement)
  }
  t.equal(await outcome(processes.svc_settler, 'insert into operators default values'), DENIED)
  t.not(await outcome(first.api, 'select current_user as user'), 'svc_api', 'an old password ends')
  const owners = await outcome(
    server.url,
    `select coalesce(string_agg(relname, ' '), '') as user from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
        and relowner <> 'svc_migrate'::regrole`,
  )
  t.equal(owners, '', 'every table has its owner')
})

test('a database of the operator keeps its one role, as DATABASE_URL says', (t) => {
  const url = 'postgres://svc_app@127.0.0.1/svc'
  t.same(sameForAll(url), {
    ...{ migrate: url, api: url, link: null },
    dispatcher: url,
    settler: url,
  })
  t.end()
})
