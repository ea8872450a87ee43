// Installs and removals of passes by day: counted once, by the tenant's clock, and unknown for days
// from before the counts.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { recordInstalled, recordRemoved } from '../../../api/passes/passes/index.ts'
import type { PassStatistics } from '../../../shared/schemas/pass-statistics.ts'
import { PUBLIC_URL, type TestApi } from '../../harness/api.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { caller, issuePass, makeTemplate } from '../../harness/passes.ts'

const DAY_MS = 86_400_000

async function read(api: TestApi, query = '', key = api.tenant.keys.read): Promise<PassStatistics> {
  const answer = await api.call('GET', '/v1/passes/statistics' + query, { key })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body
}

/** Counts that began at this moment of the installation, when the tenant was there. */
async function countsSince({ sql, tenant }: TestApi, at: number): Promise<void> {
  await sql`update pass_days_begun set at = ${at}`
  await sql`update tenants set created_at = ${at - 1} where id = ${tenant.tenantId}`
}

/** The first wallet of a pass, and its last one. */
function walletOf(api: TestApi, passId: string) {
  const phone = () => ({
    ...{ passId, platform: 'apple' as const, deviceId: 'phone', pushToken: 'push' },
    ...{ now: api.clock.nowMs, publicUrl: PUBLIC_URL },
  })
  return {
    install: () => tx(api.sql, (sql) => recordInstalled(sql, phone())),
    remove: () => tx(api.sql, (sql) => recordRemoved(sql, phone())),
  }
}

test('installs and removals are counted by their day', async (t) => {
  const api = await startIssuingApi()
  const { clock } = api
  const begunAt = clock.nowMs - 2 * DAY_MS
  await countsSince(api, begunAt)
  const template = await makeTemplate(api)
  const first = await issuePass(api, { template_id: template.id })
  const second = await issuePass(api)
  await walletOf(api, first.id).install()
  await walletOf(api, first.id).install()
  await walletOf(api, second.id).install()
  clock.nowMs += DAY_MS
  await walletOf(api, first.id).remove()
  const { total, days } = await read(api, '?days=6')
  t.same(total, { installed: 2, removed: 1 })
  const unknown = { installed: null, removed: null }
  const none = { installed: 0, removed: 0 }
  t.match(days, [
    unknown,
    unknown,
    unknown,
    none,
    { ...none, installed: 2 },
    { ...none, removed: 1 },
  ])
  const today = Math.floor(clock.nowMs / DAY_MS)
  t.same(
    days.map(({ at }) => at),
    [5, 4, 3, 2, 1, 0].map((ago) => ((today - ago) * DAY_MS) / 1000),
  )
  t.same((await read(api, '?template_id=' + template.id)).total, { installed: 1, removed: 1 })
  t.equal((await read(api)).days.length, 30)
  t.same((await read(api, '', api.other.keys.read)).total, none)
  const { post } = caller(api)
  await post('passes/' + second.id + '/revoke')
  t.same((await read(api)).total, { installed: 2, removed: 1 }, 'a revocation is neither')
  const many = await api.call('GET', '/v1/passes/statistics?days=401', {
    key: api.tenant.keys.read,
  })
  t.equal(many.status, 400)
})

test('days from before the counts are unknown by the tenant’s clock, and none of a younger tenant', async (t) => {
  const api = await startIssuingApi()
  const { clock } = api
  await countsSince(api, clock.nowMs)
  await walletOf(api, (await issuePass(api)).id).install()
  const known = async (): Promise<number[]> => {
    const { days, total } = await read(api, '?days=3')
    const installed = days.map((day) => day.installed ?? -1)
    t.equal(total.installed, installed.filter((count) => count > 0).length)
    return installed
  }
  t.same(await known(), [-1, -1, -1], 'the day of the begin is a part')
  await api.sql`
    insert into sandbox_clocks (tenant_id, offset_ms)
    values (${api.tenant.tenantId}, ${10 * DAY_MS})`
  t.same(await known(), [-1, -1, -1], 'its days run ahead of the installation')
  clock.nowMs += DAY_MS
  t.same(await known(), [-1, -1, 0])
  await api.sql`delete from sandbox_clocks`
  await api.sql`update tenants set created_at = ${clock.nowMs} where id = ${api.tenant.tenantId}`
  t.same(await known(), [0, 1, 0])
})
