// Measures the devices a second that one dispatcher notifies of changed passes, over HTTP/2 and TLS
// with a push service in a process of its own.
import { sleep } from '../../shared/clock.ts'
import { column, rounded } from '../figures.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import type { PassTenant, Scene } from './testbed.ts'

/** Devices of one pass each; they are at most a tenth of a tenant's passes. */
const PUSHES = { full: { warm: 1500, counted: 8000 }, quick: { warm: 500, counted: 3000 } }
const POLL_MS = 10
const SECONDS_MAX = 120

export async function measurePushes(
  { stand, many }: Scene,
  options: BenchOptions,
): Promise<Findings> {
  const { warm, counted } = options.quick ? PUSHES.quick : PUSHES.full
  options.log('Telling ' + counted + ' devices.')
  const { sql } = stand
  await install(sql, many, warm + counted)
  await sql`truncate event_outbox, open_deliveries, pass_pushes`
  const dispatcher = await stand.startDispatcher()
  try {
    await due(sql, many, { count: warm, skipped: 0 })
    await untilTold(sql)
    const before = { cpuUs: dispatcher.cpuUs(), at: performance.now() }
    await due(sql, many, { count: counted, skipped: warm })
    await untilTold(sql)
    const seconds = (performance.now() - before.at) / 1000
    const cpuUs = rounded((dispatcher.cpuUs() - before.cpuUs) / counted)
    const [late] = await sql<{ count: number }[]>`
      select count(*) from pass_installations where platform = 'apple'`
    const perSecond = Math.round(counted / seconds)
    return {
      lines: [
        '',
        ['', 'pushes/s', 'dispatcher µs'].map(column).join(''),
        ['devices told', perSecond, cpuUs].map(column).join(''),
        '',
      ],
      figures: { pushes_per_second: perSecond, dispatcher_cpu_us: cpuUs },
      targets: [],
      // A device whose push failed is deleted, or gets its push later.
      flaws: late?.count === warm + counted ? [] : ['devices were lost while they were told'],
    }
  } finally {
    await dispatcher.stop()
  }
}

type Sql = Scene['stand']['sql']

/**
 * One device for each of so many installed passes; no token is one of the push service's stories.
 */
async function install(sql: Sql, { tenantId }: PassTenant, count: number): Promise<void> {
  await sql`
    insert into pass_installations (pass_id, platform, device_id, push_token, installed_at)
    select id, 'apple', 'device-' || id, 'ff' || md5(id) || left(md5(id || 'more'), 30), 0
    from (
      select id from passes where tenant_id = ${tenantId} and environment = 'sandbox' and status = 'installed'
      order by id limit ${count}
    ) as chosen`
  const [row] = await sql<{ count: number }[]>`
    select count(*) from pass_installations where platform = 'apple'`
  if (row?.count !== count) throw new Error('there are not so many installed passes')
}

async function due(
  sql: Sql,
  { tenantId }: PassTenant,
  { count, skipped }: { count: number; skipped: number },
): Promise<void> {
  await sql`
    insert into pass_pushes (pass_id, platform, version, due_at)
    select id, 'apple', version, ${Date.now()}::bigint from (
      select p.id, p.version from passes p join pass_installations i on i.pass_id = p.id
      where p.tenant_id = ${tenantId} order by p.id limit ${count} offset ${skipped}
    ) as chosen`
}

async function untilTold(sql: Sql): Promise<void> {
  const startedAt = performance.now()
  for (;;) {
    const [row] = await sql<{ waits: boolean }[]>`select exists (select from pass_pushes) as waits`
    if (row?.waits !== true) return
    if (performance.now() - startedAt > SECONDS_MAX * 1000)
      throw new Error('devices are not told within ' + SECONDS_MAX + ' s')
    await sleep(POLL_MS)
  }
}
