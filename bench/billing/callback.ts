// From a person's payment on the processor's page until the engine approves: tenants that are
// suspended for a debt pay it one after the other, over the processor's callback, the dispatcher,
// the API and the config records of the engine.
import { openProcessors } from '../../api/billing/processor/index.ts'
import { beginPaid } from '../../api/billing/subscriptions/apply-roll.ts'
import { renewEntitlements } from '../../api/billing/subscriptions/index.ts'
import { insertSubscription } from '../../api/billing/subscriptions/store.ts'
import { enterpriseTerms } from '../../api/billing/wire-terms.ts'
import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { newMessage } from '../../scripts/simulate/message.ts'
import { type Network, openNetwork } from '../../scripts/simulate/network.ts'
import { startStripePeer } from '../../scripts/stripe-peer/peer.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { createLog } from '../../shared/log.ts'
import type { AgreedTerms } from '../../shared/schemas/billing-terms.ts'
import { rounded } from '../figures.ts'
import { openLatency, percentilesOf } from '../latency.ts'
import { CURRENCY, tokenOf } from '../line/seed.ts'
import { type LineTestbed, openLineTestbed } from '../line/testbed.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { startPart } from '../our-process.ts'
import { freePort } from '../server-process.ts'

const TENANTS = { full: 100, quick: 20 }
const P99_MS_MAX = 1000
const DAY_MS = 86_400_000
/** Due a day later, and hence overdue beyond the 28 days of a suspension. */
const SINCE_MS = 29.5 * DAY_MS
const SETTLED_MS_MAX = 120_000
const LOOK_MS = 100
/** Between two authorizations while the engine still declines. */
const POLL_MS = 5
/** Payments whose steps are shown. */
const SLOWEST = 3
const ACCOUNT = { key: 'sk_test_bench0123456789', secret: 'whsec_bench0123456789' }
const METER = { included: 1000, per_thousand_cents: 900 }
const TERMS: AgreedTerms = {
  ...{ interval: 'month', currency: 'USD', base_cents: 4900, realtime: false, rate_factor: 1 },
  ...{ endpoints_max: 5, net_days: 1 },
  meters: {
    ...{ authorizations: METER, cards_issued: METER, passes_issued: METER },
    ...{ physical_cards: METER, identity_checks: METER },
  },
}

export async function measureCallback(options: BenchOptions): Promise<Findings> {
  const count = options.quick ? TENANTS.quick : TENANTS.full
  const apiPort = await freePort()
  const callbackUrl = 'http://127.0.0.1:' + apiPort + '/partners/stripe/callbacks/sandbox'
  const log = createLog({ name: 'bench', level: 'silent' })
  const peer = await startStripePeer({
    ...{ port: 0, key: ACCOUNT.key, secrets: [ACCOUNT.secret], callbackUrl, statePath: null },
    ...{ clock: systemClock, log },
  })
  const called = {
    ...{ SVC_STRIPE_KEY_SANDBOX: ACCOUNT.key, SVC_STRIPE_URL: peer.url, SVC_STRIPE_RATE: '1000' },
  }
  const stops: (() => unknown)[] = [() => peer.close()]
  try {
    options.log('Suspending ' + count + ' tenants that owe an invoice.')
    const stand = await openLineTestbed({
      cards: count,
      tenants: Array.from({ length: count }, () => ({ url: null })),
      apiEnvironment: {
        ...called,
        ...{ SVC_API_PORT: String(apiPort) },
        SVC_STRIPE_WEBHOOK_SECRET_SANDBOX: ACCOUNT.secret,
      },
    })
    stops.push(() => stand.close())
    const dispatcher = await startPart('dispatcher', 0, {
      ...called,
      ...{ SVC_DATA_DIR: stand.directory, DATABASE_URL: stand.databaseUrl, SVC_LOG_LEVEL: 'warn' },
    })
    stops.push(() => dispatcher.stop())
    const debtors = await suspendAll(stand, count)
    await addCards(stand.sql, peer.url)
    const url = 'http://127.0.0.1:' + stand.port
    const { credentials } = stand.messages(1)
    const network = openNetwork({ engine_url: url, network: credentials }, systemClock, 1)
    stops.push(() => network.close())
    for (const { token } of debtors) await until(async () => !(await approves(network, token)))
    options.log('Paying, one tenant after the other.')
    const latency = openLatency()
    const payments: Payment[] = []
    for (const debtor of debtors) payments.push(await payAndWait(network, debtor))
    for (const { ms } of payments) latency.record(ms * 1000)
    const { p50, p99 } = percentilesOf([latency.encoded()])
    return {
      lines: [
        'a payment until the engine approves, ms: p50 ' + p50 + ', p99 ' + p99,
        await slowestOf(stand.sql, payments),
      ],
      figures: { payments: count, approve_ms: { p50, p99 } },
      targets: [
        {
          sentence: 'p99 of a payment until the engine approves : ' + P99_MS_MAX + ' ms',
          ratio: rounded(p99 / P99_MS_MAX),
          atMost: 1,
        },
      ],
      flaws: [],
    }
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

interface Debtor {
  token: string
  /** The processor's page on which its invoice is paid. */
  page: string
}

/** Each tenant owes an invoice since long: the product sends it and suspends the tenant. */
async function suspendAll({ sql }: LineTestbed, count: number): Promise<Debtor[]> {
  const now = systemClock.nowMs()
  const rows = await sql<{ tenantId: string; token: string }[]>`
    select tenant_id as "tenantId", token from cards
    where token = any(${Array.from({ length: count }, (_, at) => tokenOf(at))}::text[])`
  for (const { tenantId } of rows) await subscribe(sql, tenantId, now)
  const pages = async (): Promise<Map<string, string>> => {
    const sent = await sql<{ tenantId: string; page: string }[]>`
      select invoice.tenant_id as "tenantId", hosted_url as page
      from billing_invoices invoice join billing_subscriptions held on held.id = subscription_id
      where hosted_url is not null and held.overdue_since is not null`
    return new Map(sent.map(({ tenantId, page }) => [tenantId, page] as const))
  }
  await until(async () => (await pages()).size === rows.length)
  const known = await pages()
  return rows.map(({ tenantId, token }) => ({ token, page: known.get(tenantId) ?? '' }))
}

/** A person pays on the processor's page with the card of its customer. */
async function addCards(sql: Sql, url: string): Promise<void> {
  const config = { keys: { sandbox: ACCOUNT.key, live: null }, url, ratePerS: 1000 }
  const processors = openProcessors(config, { clock: systemClock, callMsMax: 10_000 })
  const customers = await sql<{ customer: string }[]>`
    select processor_id as customer from billing_customers`
  for (const { customer } of customers) {
    const token = 'pm_card_visa'
    const added = await processors.sandbox?.attachCard({
      token,
      customer,
      key: 'bench-' + customer,
    })
    if (added?.ok !== true) throw new Error('the processor took no card')
  }
  await processors.close()
}

async function subscribe(sql: Sql, tenantId: string, now: number): Promise<void> {
  const owner = { tenantId, environment: 'sandbox' } as const
  const since = now - SINCE_MS
  const { interval, currency, net_days: netDays } = TERMS
  await tx(sql, async (inner) => {
    const made = await insertSubscription(inner, owner, {
      ...{ id: newId('sub', now), terms: enterpriseTerms(TERMS, 'bench'), interval, currency },
      ...{ netDays, trialStartedAt: null, trialEndsAt: null, activeFrom: since, rollsAt: null },
      createdAt: since,
    })
    const moment = {
      ...{ now: since, installationNow: now },
      newId: (prefix: string) => newId(prefix, now),
    }
    await beginPaid(inner, made, { change: {}, moment })
    await renewEntitlements(inner, owner, now)
  })
}

async function approves(network: Network, token: string): Promise<boolean> {
  const context = { now: systemClock.nowMs(), currency: CURRENCY }
  const { answer, exchange } = await network.send(newMessage({ token }, context))
  if (answer === null) throw new Error('no decision: ' + exchange.kind)
  return answer.approved
}

interface Payment {
  page: string
  /** Installation time. */
  at: number
  /** Milliseconds from the payment to the first approval. */
  ms: number
}

/** The steps of the slowest payment: each moment is one that the product saved. */
async function slowestOf(sql: Sql, payments: readonly Payment[]): Promise<string> {
  const seen = await sql<{ at: number }[]>`
    select seen_at as at from billing_processor_events where type = 'invoice.paid' order by seen_at`
  const steps = await Promise.all(
    payments.map(async ({ page, at, ms }, place) => {
      const [row] = await sql<{ paidAt: number }[]>`
        select paid_at as "paidAt" from billing_invoices where hosted_url = ${page}`
      return { ms, callback: (seen[place]?.at ?? at) - at, run: (row?.paidAt ?? at) - at }
    }),
  )
  const slowest = steps.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST)
  const told = slowest.map(
    ({ ms, callback, run }) =>
      'callback ' + callback + ', run of the job ' + run + ', approved ' + rounded(ms),
  )
  return 'the slowest, ms after the payment: ' + told.join('; ')
}

/** Resolves with the first approval. */
async function payAndWait(network: Network, { token, page }: Debtor): Promise<Payment> {
  if (await approves(network, token)) throw new Error('a debtor is not suspended')
  const at = systemClock.nowMs()
  const startedAt = performance.now()
  const paid = await fetch(page, { method: 'POST' })
  if (!/>paid</.test(await paid.text())) throw new Error('the page took no payment')
  await until(() => approves(network, token), POLL_MS)
  return { page, at, ms: performance.now() - startedAt }
}

async function until(condition: () => Promise<boolean>, everyMs = LOOK_MS): Promise<void> {
  const startedAt = performance.now()
  while (!(await condition())) {
    if (performance.now() - startedAt > SETTLED_MS_MAX) throw new Error('tenants do not settle')
    await sleep(everyMs)
  }
}
