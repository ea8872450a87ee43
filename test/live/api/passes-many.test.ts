// Lists and counts read one page of many passes, or none, however many there are.
import { test } from 'tap'
import { openPool } from '../../../api/database/pool.ts'
import { countPasses } from '../../../api/passes/passes/count-store.ts'
import { listPasses, type PassFilters } from '../../../api/passes/passes/store.ts'
import type { TestApi } from '../../harness/api.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { makeTemplate } from '../../harness/passes.ts'

const DAYS = 50
const A_DAY = 1000
const DAY_MS = 86_400_000

/**
 * Passes of two templates over fifty days: one in a thousand is revoked, all of these from the
 * first template.
 */
async function seedMany(api: TestApi): Promise<{ common: string; rare: string; firstMs: number }> {
  const { id: common } = await makeTemplate(api)
  const { id: rare } = await makeTemplate(api)
  const { tenantId, environment } = api.tenant
  const firstMs = api.clock.nowMs - DAYS * DAY_MS
  await api.sql`
    insert into passes (id, tenant_id, environment, template_id, template_version, status, payload, created_at, updated_at,
      changed_at, external_id)
    select id_floor('pass', born) || lpad(n::text, 16, '0'), ${tenantId}, ${environment},
      case when n % 500 = 1 then ${rare} else ${common} end, 1,
      case when n % 1000 = 0 then 'revoked' when n % 2 = 0 then 'installed' else 'active' end,
      'P1' || n, born, born, born, case when n % 100 = 0 then 'ext-' || n end
    from generate_series(1, ${DAYS * A_DAY}::integer) n
    cross join lateral (select ${firstMs}::bigint + n::bigint * ${DAY_MS / A_DAY}::bigint as born) moment`
  await api.sql`vacuum analyze passes`
  return { common, rare, firstMs }
}

/**
 * Rows and index entries of passes that a call read, by one connection that reports its counters at
 * once.
 */
async function readBy(
  api: TestApi,
  call: (sql: TestApi['sql']) => Promise<unknown>,
): Promise<number> {
  const { host, port, user, pass, database } = api.sql.options
  const url = 'postgres://' + user + ':' + pass + '@' + host[0] + ':' + port[0] + '/' + database
  const sql = openPool(url, { max: 1, applicationName: 'svc-test' })
  const read = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`
    const [row] = await sql<{ n: number }[]>`
      select (seq_tup_read + (
        select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes where relname = 'passes'
      ))::bigint as n
      from pg_stat_user_tables where relname = 'passes'`
    return row?.n ?? 0
  }
  try {
    const before = await read()
    await call(sql)
    return (await read()) - before
  } finally {
    await sql.end({ timeout: 1 })
  }
}

test('every filter of the list, and every count, reads about as many rows as it shows', async (t) => {
  const api = await startIssuingApi()
  const { common, rare, firstMs } = await seedMany(api)
  const { tenantId, environment } = api.tenant
  const principal = { tenantId, environment, clockOffsetMs: 0 } as Parameters<typeof listPasses>[1]
  const iso = (day: number): string => new Date(firstMs + day * DAY_MS).toISOString()
  const middle = { 'created[gte]': iso(20), 'created[lt]': iso(21) }
  const filters: [filters: PassFilters, count: number][] = [
    [{}, DAYS * A_DAY],
    [{ status: 'revoked' }, 50],
    [{ status: 'removed' }, 0],
    [{ template_id: rare }, 100],
    [{ template_id: rare, status: 'revoked' }, 0],
    [{ template_id: common, status: 'revoked' }, 50],
    [{ external_id: 'ext-4200' }, 1],
    [{ card_id: 'card_nobody' }, 0],
    [middle, A_DAY],
    [{ 'created[lt]': iso(1) }, A_DAY - 1],
    [{ 'created[gte]': iso(2), 'created[lt]': iso(40) }, 38 * A_DAY],
  ]
  for (const [filter, count] of filters) {
    const said = JSON.stringify(filter)
    t.equal(await countPasses(api.sql, principal, filter), count, said)
    const counted = await readBy(api, (sql) => countPasses(sql, principal, filter))
    // A range of moments begins and ends within a day.
    t.ok(counted <= 2 * A_DAY + 100, said + ' counts by reading ' + counted)
    for (const order of ['asc', 'desc'] as const) {
      const query = { ...filter, order, limit: 25 }
      const { rows } = await listPasses(api.sql, principal, query)
      t.equal(rows.length, Math.min(25, count), said + ' ' + order)
      const listed = await readBy(api, (sql) => listPasses(sql, principal, query))
      t.ok(
        listed >= rows.length && listed <= 600,
        said + ' ' + order + ' lists by reading ' + listed,
      )
    }
  }
})
