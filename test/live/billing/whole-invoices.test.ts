// Random histories of a subscription through the real API and the jobs: changes of plan and of
// interval, usage in time and late, add-ons, corrections and credits. Every invoice, line by line,
// equals that of an oracle which shares no code with the service. SVC_TEST_SEED and SVC_FUZZ_RUNS
// ask for other histories.
import assert from 'node:assert/strict'
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { recordEvents } from '../../../api/webhooks/events/index.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import { newId } from '../../../shared/id.ts'
import type { Answer, TestApi } from '../../harness/api.ts'
import {
  BILLED,
  catchUp,
  changeBilling,
  closeMonths,
  countUsage,
  moveSandbox,
  readBilling,
} from '../../harness/billing.ts'
import {
  BillingOracle,
  type OracleInterval,
  type OracleInvoice,
  type OracleMeter,
  type OraclePlan,
} from '../../harness/billing-oracle.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { seedOperator } from '../../harness/operator.ts'
import { fc, SEED } from '../../harness/properties.ts'

const RUNS = Number(process.env['SVC_FUZZ_RUNS'] ?? 20)

/** Most events of one action, by meter: enough to pass allowances that are cut. */
const MOST: { readonly [meter in OracleMeter]: number } = {
  ...{ authorizations: 300, cards_issued: 250, identity_checks: 20, passes_issued: 400 },
  physical_cards: 5,
}
const TYPES: { readonly [meter in OracleMeter]: EventType } = {
  ...{ authorizations: 'card.transaction.authorized', cards_issued: 'card.created' },
  ...{ identity_checks: 'cardholder.kyc.completed', passes_issued: 'pass.created' },
  physical_cards: 'card.shipped',
}
const METERS = Object.keys(MOST) as OracleMeter[]

const meters = fc.constantFrom(...METERS)
const plans = fc.constantFrom<OraclePlan>('starter', 'growth')
/** A month three times of four. */
const intervals = fc.constantFrom<OracleInterval>('month', 'month', 'month', 'year')
const share = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })

const actions = fc.oneof(
  {
    ...{ weight: 4 },
    arbitrary: fc.record({
      is: fc.constant('use' as const),
      meter: meters,
      size: share,
      back: share,
    }),
  },
  {
    ...{ weight: 3 },
    arbitrary: fc.record({
      ...{ is: fc.constant('change' as const), plan: plans, interval: intervals },
      isNow: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('credit' as const),
      cents: fc.integer({ min: 1, max: 60_000 }),
    }),
  },
  {
    ...{ weight: 2 },
    arbitrary: fc.record({
      ...{ is: fc.constant('correct' as const), meter: meters, monthsBack: fc.nat(2) },
      ...{ isLess: fc.boolean(), size: share },
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('addon' as const), enabled: fc.boolean() }) },
)
type Action = typeof actions extends fc.Arbitrary<infer Value> ? Value : never

const histories = fc.record({
  /** Any millisecond of fourteen months, or a day that few months have. */
  anchor: fc.oneof(
    fc.integer({ min: Date.UTC(2027, 0, 1), max: Date.UTC(2028, 2, 1) }),
    fc.constantFrom(
      Date.UTC(2027, 0, 31, 10),
      Date.UTC(2028, 1, 29),
      Date.UTC(2027, 11, 31, 23, 59),
    ),
  ),
  ...{ plan: plans, interval: intervals },
  months: fc.array(fc.array(fc.tuple(share, actions), { maxLength: 4 }), {
    ...{ minLength: 1, maxLength: 4 },
  }),
  isCanceled: fc.boolean(),
})
type History = typeof histories extends fc.Arbitrary<infer Value> ? Value : never

/** A history with each kind of line, whatever the seed. */
const EVERY_KIND: History = {
  ...{ anchor: Date.UTC(2027, 0, 31, 10), plan: 'starter', interval: 'month', isCanceled: true },
  months: [
    [[0.4, { is: 'use', meter: 'cards_issued', size: 0.9, back: 0.5 }]],
    [
      [0.2, { is: 'correct', meter: 'cards_issued', monthsBack: 1, isLess: true, size: 0.3 }],
      [0.5, { is: 'change', plan: 'growth', interval: 'month', isNow: true }],
      [0.9, { is: 'use', meter: 'identity_checks', size: 0.5, back: 1 }],
    ],
    [[0.5, { is: 'credit', cents: 100 }]],
  ],
}

interface World {
  api: TestApi
  operator: string
  oracle: BillingOracle
}

/** Without the processor's portal a row stands in for the card that a person adds there. */
async function addMethod({ sql, tenant, clock }: TestApi): Promise<void> {
  const id = newId('bpm', clock.nowMs)
  await sql`
    insert into billing_payment_methods (id, tenant_id, environment, processor_id, status,
      is_default, brand, last4, exp_month, exp_year, created_at)
    values (${id}, ${tenant.tenantId}, 'sandbox', ${'pm_' + id}, 'attached', true, 'visa', '4242',
      12, 2034, ${clock.nowMs})`
}

async function play(api: TestApi, history: History): Promise<BillingOracle> {
  const { anchor, plan, interval } = history
  await moveSandbox(api, anchor)
  await addMethod(api)
  await expectStatus(changeBilling(api, 'POST subscription', { plan, interval, currency: 'USD' }))
  const oracle = new BillingOracle(anchor, plan, interval)
  const world = { api, operator: await seedOperator(api.sql), oracle }
  let moved = anchor
  for (const [number, month] of history.months.entries()) {
    const [from, until] = oracle.span
    for (const [at, action] of [...month].sort(([one], [other]) => one - other)) {
      const now = from + Math.floor(at * (until - from))
      if (now > moved) await moveSandbox(api, now)
      moved = now
      await act(world, action, { now, anchor })
    }
    if (history.isCanceled && number === history.months.length - 1) {
      await expectStatus(changeBilling(api, 'POST subscription/cancel'))
      oracle.cancel()
    }
    oracle.boundary()
    await moveSandbox(api, until)
    moved = until
    await closeMonths(api)
    await catchUp(api)
    await countUsage(api)
    await closeMonths(api)
  }
  return oracle
}

async function expectStatus(call: Promise<Answer>, refused?: number): Promise<void> {
  const { status, text } = await call
  if (refused === undefined ? status >= 300 : status !== refused) throw new Error(text)
}

async function act(
  { api, operator, oracle }: World,
  action: Action,
  { now, anchor }: { now: number; anchor: number },
): Promise<void> {
  const tenant = '/operator/v1/tenants/' + api.tenant.tenantId
  const by = { environment: 'sandbox', reason: 'History' }
  if (action.is === 'use') {
    // Before now, often in the month that runs, sometimes in one that is closed.
    const moment = now - Math.ceil(action.back ** 3 * (now - anchor))
    const count = 1 + Math.floor(action.size * MOST[action.meter])
    if (moment === now) return
    await record(api, { type: TYPES[action.meter], moment, count })
    oracle.use(action.meter, moment, count)
  } else if (action.is === 'change') {
    const { plan, interval, isNow } = action
    const effective = isNow ? 'now' : 'period_end'
    await expectStatus(changeBilling(api, 'PATCH subscription', { plan, interval, effective }))
    oracle.change(now, { plan, interval }, isNow)
  } else if (action.is === 'credit') {
    const body = { ...by, amount_cents: action.cents }
    await expectStatus(api.call('POST', tenant + '/billing_credits', { key: operator, body }))
    oracle.give(action.cents)
  } else if (action.is === 'correct') {
    await countUsage(api)
    const month = Math.max(0, oracle.month - action.monthsBack)
    const { meter, isLess, size } = action
    // Up to one unit less than nothing, which is refused.
    const less = -1 - Math.floor(size * (oracle.quantityOf(month, meter) + 1))
    const quantity = isLess ? less : 1 + Math.floor(size * 12_000)
    const body = { ...by, month, meter, quantity }
    const call = api.call('POST', tenant + '/usage_adjustments', { key: operator, body })
    await expectStatus(call, oracle.correct(month, meter, quantity) ? 201 : 400)
  } else {
    const { enabled } = action
    await expectStatus(changeBilling(api, 'PUT addons/identity_checks', { enabled }))
  }
}

/** Events as their causes record them, at a moment of the tenant's clock. */
async function record(
  { sql, tenant }: TestApi,
  { type, moment, count }: { type: EventType; moment: number; count: number },
): Promise<void> {
  const { tenantId, environment } = tenant
  const events = Array.from({ length: count }, (_, index) => ({
    ...{ resourceId: 'res_' + index, data: {} },
  }))
  await tx(sql, (inner) =>
    recordEvents(inner, { tenantId, environment, type, now: moment, lane: 1, events }),
  )
}

/** Ours in the order of their making: changes and boundaries each have numbers. */
function byNumber(one: { kind: string; ordinal: number }, other: typeof one): number {
  const [first, second] = [one, other].map(({ kind }) => (kind === 'change' ? 1 : 0))
  return (first as number) - (second as number) || one.ordinal - other.ordinal
}

function shownAs({ kind, ordinal, total, lines }: OracleInvoice): object {
  const seconds = (moment: number): number => Math.floor(moment / 1000)
  return {
    ...{ kind, ordinal, total },
    lines: lines.map(({ from, until, ...line }) => ({
      ...line,
      period: [seconds(from), seconds(until)],
    })),
  }
}

function oursAs({ kind, ordinal, total_cents: total, lines }: Answer['body']): object {
  return {
    ...{ kind, ordinal, total },
    lines: lines.map(
      ({ kind: is, plan, meter, quantity, amount_cents: amount, period }: Answer['body']) => ({
        ...{ kind: is, plan, meter, quantity, amount },
        period: [period.from, period.until],
      }),
    ),
  }
}

test('every invoice of a random history equals that of the oracle', async (t) => {
  let invoices = 0
  const kinds = new Set<string>()
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const api = await startIssuingApi(BILLED)
      const oracle = await play(api, history)
      const { data } = await readBilling(api, 'invoices?limit=100')
      const theirs = [...oracle.invoices].sort(byNumber)
      assert.deepEqual(data.sort(byNumber).map(oursAs), theirs.map(shownAs))
      const { credit_cents: credit } = await readBilling(api, 'subscription')
      assert.equal(credit, Number(oracle.credit))
      invoices += data.length
      for (const { kind } of theirs.flatMap(({ lines }) => lines)) kinds.add(kind)
      for (const { kind } of theirs) kinds.add(kind)
    }),
    { seed: SEED, numRuns: RUNS, endOnFailure: true, examples: [[EVERY_KIND]] },
  )
  t.comment(invoices + ' invoices of ' + RUNS + ' histories')
  const all = ['base', 'change', 'correction', 'credit', 'final', 'late', 'period', 'usage']
  t.same([...kinds].sort(), all, 'the histories have every kind')
})
