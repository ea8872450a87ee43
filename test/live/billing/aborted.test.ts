// A connection to PostgreSQL is killed at each step of a change: before it writes to a table that
// the change touches. All of it happens, once, or nothing.
import { type Test, test } from 'tap'
import type { Answer, TestApi } from '../../harness/api.ts'
import {
  BILLED,
  CONTRACT,
  eventsAbout,
  moveSandbox,
  readBilling,
  subscribedSince,
} from '../../harness/billing.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { killAt } from '../../harness/kill-at.ts'
import { seedOperator } from '../../harness/operator.ts'
import { callApproved } from '../../harness/person.ts'

const TABLES = [
  ...(['billing_segments', 'billing_invoices', 'billing_invoice_lines'] as const),
  ...(['billing_subscriptions', 'entitlements', 'events', 'audit_log'] as const),
]

const SINCE_MS = Date.UTC(2027, 10, 1)
const SINCE = { since: new Date(SINCE_MS).toISOString() }

interface Step {
  api: TestApi
  subscriptionId: string
  call(key: string): Promise<Answer>
  /** Type of the event of each call. */
  event: string
}

async function playKills(t: Test, { api, subscriptionId, call, event }: Step): Promise<void> {
  const told = async (): Promise<number> =>
    (await eventsAbout(api, subscriptionId)).filter(({ type }) => type === event).length
  const changes = async (): Promise<number> =>
    (await readBilling(api, 'invoices?limit=100')).data.filter(
      ({ kind }: Answer['body']) => kind === 'change',
    ).length
  const stretches = async (): Promise<number> =>
    (await api.sql`select from billing_segments where subscription_id = ${subscriptionId}`).length
  let at = SINCE_MS
  for (const table of TABLES) {
    at += 60_000
    await moveSandbox(api, at)
    const before = [await told(), await changes(), await stretches()]
    const first = await killAt(api.sql, table, () => call('kill-' + table))
    const again = await call('kill-' + table)
    t.ok([200, 503].includes(first.status), table + ': ' + first.status)
    t.equal(again.status, 200, again.text)
    const after = [await told(), await changes(), await stretches()]
    t.same(
      after.map((count, index) => count - (before[index] as number)),
      [1, 1, 1],
      'once, killed at ' + table,
    )
  }
}

test('a change of plan that is killed at any step is made once', async (t) => {
  const api = await startIssuingApi(BILLED)
  const { id } = await subscribedSince(api, { plan: 'starter', ...SINCE })
  let calls = 0
  const plans = new Map<string, string>()
  const call = (key: string): Promise<Answer> => {
    const plan = plans.get(key) ?? ['growth', 'starter'][calls++ % 2] ?? ''
    plans.set(key, plan)
    return callApproved(api, 'PATCH', '/v1/billing/subscription', {
      ...{ key: api.tenant.keys.admin, headers: { 'idempotency-key': key } },
      body: { plan, effective: 'now' },
    })
  }
  await playKills(t, { api, subscriptionId: id, call, event: 'billing.plan_changed' })
})

test('a provisioning that is killed at any step is made once', async (t) => {
  const api = await startIssuingApi(BILLED)
  const { id } = await subscribedSince(api, { plan: 'starter', ...SINCE })
  const operator = await seedOperator(api.sql)
  const path = '/operator/v1/tenants/' + api.tenant.tenantId + '/enterprise_plan'
  const terms = new Map<string, number>()
  const call = (key: string): Promise<Answer> => {
    const base_cents = terms.get(key) ?? 5000 + 1000 * terms.size
    terms.set(key, base_cents)
    const body = { environment: 'sandbox', contract: 'C-2', terms: { ...CONTRACT, base_cents } }
    return api.call('POST', path, { key: operator, body, headers: { 'idempotency-key': key } })
  }
  const event = 'billing.enterprise_quote_provisioned'
  await playKills(t, { api, subscriptionId: id, call, event })
})
