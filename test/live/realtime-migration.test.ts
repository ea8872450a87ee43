// A database of the first release: which of its endpoints becomes the one that is asked.
import { test } from 'tap'
import { migrate, readMigrations } from '../../api/database/migrate.ts'
import { openUnmigratedDatabase } from '../harness/postgres.ts'

/** The first that knows which endpoint is asked. */
const REALTIME = 6

test('the endpoint that most programs asked is the one that is asked, and all programs follow', async (t) => {
  const { sql, url } = await openUnmigratedDatabase(t)
  const all = readMigrations()
  const before = all.filter(({ number }) => number < REALTIME)
  await migrate(url, () => {}, { migrations: before })
  const made = { tenant_id: 'ten_1', environment: 'sandbox', created_at: 0 }
  for (const tenant of ['ten_1', 'ten_2'])
    await sql`insert into tenants ${sql({ id: tenant, name: 'T', api_version: 'v', created_at: 0 })}`
  for (const id of ['we_a', 'we_b', 'we_c'])
    await sql`insert into webhook_endpoints ${sql({ ...made, id, url: 'https://a.test' })}`
  const other = { ...made, tenant_id: 'ten_2' }
  await sql`insert into webhook_endpoints ${sql({ ...other, id: 'we_d', url: 'https://a.test' })}`
  const programs: [id: string, realtime: boolean, endpoint: string | null][] = [
    ['prog_1', false, 'we_a'],
    ['prog_2', false, 'we_a'],
    ['prog_3', true, 'we_b'],
    ['prog_4', false, null],
  ]
  for (const [id, realtime, endpoint_id] of programs) {
    const program = { ...made, id, realtime, endpoint_id, name: 'P', status: 'active' }
    await sql`insert into programs ${sql(program)}`
  }
  await migrate(url, () => {}, { migrations: all })
  t.same(
    [...(await sql`select id from webhook_endpoints where is_realtime`)],
    [{ id: 'we_b' }],
    'opted-in programs count first; a tenant that asks nobody has none',
  )
  t.same(
    (await sql`select distinct endpoint_id from programs`).map((row) => row['endpoint_id']),
    ['we_b'],
  )
})
