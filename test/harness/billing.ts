// Billing in tests: calls of a tenant and of operators, and the jobs that count and close.
import { billingJobs } from '../../api/billing/jobs.ts'
import type { Answer, TestApi } from './api.ts'
import { runJob } from './jobs.ts'
import { seedOperator } from './operator.ts'
import { callApproved } from './person.ts'

export const DAY_MS = 86_400_000
/** The sandbox has a processor, live has none. */
export const BILLED = { billed: { sandbox: true, live: false } }

/** Answer of a read below /v1/billing. */
export async function readBilling(api: TestApi, path: string): Promise<Answer['body']> {
  return (await api.call('GET', '/v1/billing/' + path, { key: api.tenant.keys.admin })).body
}

/** Makes a change below /v1/billing, which a person approves. */
export function changeBilling(api: TestApi, call: string, body?: object): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ')
  const sent = { key: api.tenant.keys.admin, ...(body === undefined ? {} : { body }) }
  return callApproved(api, method, '/v1/billing/' + path, sent)
}

/** Events about a resource, oldest first. */
export async function eventsAbout(api: TestApi, resourceId: string): Promise<Answer['body'][]> {
  const path = '/v1/events?order=asc&limit=100&resource_id=' + resourceId
  return (await api.call('GET', path, { key: api.tenant.keys.read })).body.data
}

/** Runs one of the jobs until it finds no work; returns the amount of work. */
export async function settleJob(api: TestApi, name: string): Promise<number> {
  const job = billingJobs.find((one) => one.name === name)
  if (job === undefined) throw new Error('no job ' + name)
  let done = 0
  for (let more = 1; more > 0; done += more)
    more = await runJob(job, { sql: api.sql, now: api.clock.nowMs })
  return done
}

/** Counts every event. */
export const countUsage = (api: TestApi): Promise<number> => settleJob(api, 'billing_meter')

/** Sets the tenant's sandbox clock to a moment. */
export async function moveSandbox(api: TestApi, to: string | number): Promise<void> {
  const { status, text } = await api.call('POST', '/v1/sandbox/clock', {
    key: api.tenant.keys.admin,
    body: { to: new Date(to).toISOString() },
  })
  if (status !== 200) throw new Error(text)
}

/** Passes due boundaries and closes what is counted. */
export const closeMonths = (api: TestApi): Promise<number> => settleJob(api, 'billing_close')

/** Notes that the journal is drained up to now, as the drain does without an engine's entries. */
export async function catchUp(api: TestApi): Promise<void> {
  await api.sql`
    insert into journal_cursor (journal_id, seq, caught_up_at) values ('test', 0, ${api.clock.nowMs})
    on conflict (one) do update set caught_up_at = excluded.caught_up_at`
}

/** Terms under a contract, with the prices of the plan starter. */
export const CONTRACT = {
  ...{ interval: 'month', currency: 'USD', base_cents: 4900, realtime: false, rate_factor: 1 },
  ...{ endpoints_max: 5, net_days: 30 },
  meters: {
    authorizations: { included: 10_000, per_thousand_cents: 900 },
    cards_issued: { included: 100, per_thousand_cents: 10_000 },
    passes_issued: { included: 1000, per_thousand_cents: 2000 },
    physical_cards: { included: 0, per_thousand_cents: 600_000 },
    identity_checks: { included: 0, per_thousand_cents: 150_000 },
  },
}

/** An operator puts a contract into force; returns the subscription. */
export async function provision(api: TestApi, terms: object = {}): Promise<Answer['body']> {
  const operator = await seedOperator(api.sql)
  const path = '/operator/v1/tenants/' + api.tenant.tenantId + '/enterprise_plan'
  const contract = { contract: 'C-1', terms: { ...CONTRACT, ...terms } }
  const body = { environment: 'sandbox', ...contract }
  const answer = await api.call('POST', path, { key: operator, body })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body
}

/** A subscription to a plan of the catalogue that began at this moment of the tenant's clock. */
export async function subscribedSince(
  api: TestApi,
  { plan, interval = 'month', since }: { plan: string; interval?: string; since: string },
): Promise<Answer['body']> {
  await moveSandbox(api, since)
  const base = { month: 4900, year: 49_000 }[interval]
  await provision(api, { interval, base_cents: base })
  const body = { plan, interval, effective: 'now' }
  const { status, body: changed, text } = await changeBilling(api, 'PATCH subscription', body)
  if (status !== 200) throw new Error(text)
  return changed
}
