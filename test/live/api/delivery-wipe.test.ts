// A sandbox wiped while its deliveries are under way: their results are dropped, and nothing waits
// for them.
import { test } from 'tap'
import { newId } from '../../../shared/id.ts'
import { SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import { MASTER_KEYS, startTestApi } from '../../harness/api.ts'
import { startDispatch } from '../../harness/dispatched.ts'
import { recordEvents } from '../../harness/dispatcher-process.ts'
import { callApproved } from '../../harness/person.ts'
import { until } from '../../harness/until.ts'

test('attempts that outlive their endpoint do not block the writing of others', async (t) => {
  const api = await startTestApi()
  const { sql, tenant, other } = api
  for (const { endpointId } of [tenant, other])
    await sql`
      insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
      values (${newId('wsec', 1)}, ${endpointId}, 0, ${seal(MASTER_KEYS, SEAL_CONTEXTS.webhookSecret, 'whsec_a')}, 0)`
  const answers = Promise.withResolvers<void>()
  const failing: string[] = []
  const dispatch = await startDispatch(sql, {
    // One delivery of each outcome in a kept sandbox, behind one of the other.
    delaysMs: [0, 3_600_000, 0, 0, 0],
    send: async ({ eventId }) => {
      await answers.promise
      return failing.includes(eventId) ? { status: 500, errorClass: 'http' } : {}
    },
  })
  for (const { tenantId } of [tenant, other]) {
    const [, failed = ''] = await recordEvents(sql, { tenantId, count: 2 })
    failing.push(failed)
  }
  await until(() => dispatch.inFlight === 4)
  const wiped = await callApproved(api, 'POST', '/v1/sandbox/wipe', {
    key: tenant.keys.admin,
    body: {},
  })
  t.match(wiped, { status: 200, body: { deleted: { webhook_endpoints: 1, open_deliveries: 2 } } })
  answers.resolve()
  await until(() => dispatch.inFlight === 0)

  const states = await sql<{ of: string; state: string }[]>`
    select tenant_id as of, state from deliveries order by state`
  t.same(
    states.map(({ of, state }) => [of, state]),
    [
      [other.tenantId, 'pending'],
      [other.tenantId, 'succeeded'],
    ],
  )
  t.equal((await sql`select from delivery_attempts`).length, 2)
  const hours = await sql`
    select endpoint_id, sum(succeeded)::integer as succeeded, sum(failed)::integer as failed
    from endpoint_hours group by endpoint_id`
  t.match([...hours], [{ endpoint_id: other.endpointId, succeeded: 1, failed: 1 }])
})
