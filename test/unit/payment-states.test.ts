import { test } from 'tap'
import {
  capturableCents,
  PAYMENT_MOVES,
  type PaymentFacts,
  type PaymentMoveName,
  RELEASE_MOVES,
  refundableCents,
  statusOf,
} from '../../api/payments/payments/states.ts'
import { EVENT_TYPES } from '../../shared/event-catalog.ts'
import { PAYMENT_STATUSES, VOID_CAUSES } from '../../shared/schemas/payment.ts'
import { fc } from '../harness/properties.ts'

const DECIDING: PaymentFacts = {
  decision: 'deciding',
  covered: false,
  confirmed: false,
  amountCents: 100,
  capturedCents: 0,
  capturePendingCents: 0,
  captureFailedCents: 0,
  refundedCents: 0,
  refundPendingCents: 0,
  voidedCents: 0,
}
const APPROVED: PaymentFacts = { ...DECIDING, decision: 'approved' }
const CONFIRMED: PaymentFacts = { ...APPROVED, confirmed: true }

test('the status of a payment follows from its sums', (t) => {
  const table: [Partial<PaymentFacts>, string][] = [
    [{ decision: 'deciding' }, 'deciding'],
    [{ decision: 'declined' }, 'risk_declined'],
    [{}, 'needs_confirmation'],
    [{ covered: true }, 'authorized'],
    [{ confirmed: true }, 'confirmed'],
    [{ confirmed: true, capturePendingCents: 40 }, 'capture_pending'],
    [{ confirmed: true, capturePendingCents: 40, capturedCents: 60 }, 'capture_pending'],
    [{ confirmed: true, capturePendingCents: 40, captureFailedCents: 60 }, 'capture_pending'],
    [{ confirmed: true, capturedCents: 40 }, 'partially_captured'],
    [{ confirmed: true, capturedCents: 40, voidedCents: 60 }, 'captured'],
    [{ confirmed: true, capturedCents: 100 }, 'captured'],
    [{ confirmed: true, captureFailedCents: 100 }, 'failed'],
    [{ confirmed: true, capturedCents: 40, captureFailedCents: 60 }, 'failed'],
    [{ confirmed: true, capturedCents: 100, refundedCents: 1 }, 'partially_refunded'],
    [{ confirmed: true, capturedCents: 40, refundedCents: 40 }, 'partially_refunded'],
    [{ confirmed: true, capturedCents: 40, refundedCents: 40, voidedCents: 60 }, 'refunded'],
    [{ confirmed: true, capturedCents: 100, refundedCents: 100 }, 'refunded'],
    [{ voidedCents: 100 }, 'voided'],
    [{ confirmed: true, voidedCents: 100 }, 'voided'],
  ]
  for (const [facts, status] of table)
    t.equal(statusOf({ ...APPROVED, ...facts }), status, JSON.stringify(facts))
  t.same(new Set(table.map(([, status]) => status)), new Set(['deciding', ...PAYMENT_STATUSES]))
  t.end()
})

test('every move names its states and its events', (t) => {
  const table: [PaymentMoveName, string, string, string[]][] = [
    ['approve_covered', 'deciding', 'authorized', ['payment.authorized']],
    [
      'approve',
      'deciding',
      'needs_confirmation',
      ['payment.authorized', 'payment.needs_confirmation'],
    ],
    ['decline', 'deciding', 'risk_declined', ['payment.risk_declined']],
    ['confirm', 'needs_confirmation', 'confirmed', ['payment.confirmed']],
    ['deny', 'needs_confirmation', 'voided', ['payment.voided']],
    ['void', 'authorized', 'voided', ['payment.voided']],
    ['void', 'partially_captured', 'captured', ['payment.voided']],
    ['expire', 'confirmed', 'voided', ['payment.voided']],
    ['expire', 'capture_pending', 'capture_pending', ['payment.voided']],
    ['expire', 'failed', 'failed', ['payment.voided']],
    ['capture', 'confirmed', 'capture_pending', []],
    ['record_capture', 'failed', 'capture_pending', []],
    ['land', 'capture_pending', 'captured', ['payment.captured']],
    ['land', 'capture_pending', 'partially_captured', ['payment.captured']],
    ['fail', 'capture_pending', 'failed', ['payment.failed']],
    ['retry', 'failed', 'capture_pending', ['payment.settlement_retry_requested']],
    ['abandon', 'failed', 'voided', ['payment.voided']],
    ['abandon', 'failed', 'captured', ['payment.voided']],
    ['land_refund', 'captured', 'refunded', ['payment.refunded']],
    ['land_refund', 'captured', 'partially_refunded', ['payment.refunded']],
  ]
  for (const [name, from, to, events] of table) {
    const move = PAYMENT_MOVES[name]
    t.ok((move.from as readonly string[]).includes(from), name + ' from ' + from)
    t.ok((move.to as readonly string[]).includes(to), name + ' to ' + to)
    t.same(move.events, events, name)
  }
  t.same(Object.keys(RELEASE_MOVES).sort(), [...VOID_CAUSES].sort())
  const recorded = new Set(Object.values(PAYMENT_MOVES).flatMap(({ events }) => [...events]))
  const ofPayments = Object.entries(EVENT_TYPES).filter(
    ([, { resource }]) => resource === 'payment',
  )
  t.same(recorded, new Set(ofPayments.map(([type]) => type)), 'each event of a payment has a move')
  const refused: [PaymentMoveName, string][] = [
    ['capture', 'needs_confirmation'],
    ['capture', 'failed'],
    ['capture', 'voided'],
    ['void', 'capture_pending'],
    ['confirm', 'confirmed'],
    ['confirm', 'voided'],
    ['retry', 'captured'],
  ]
  for (const [name, from] of refused)
    t.notOk((PAYMENT_MOVES[name].from as readonly string[]).includes(from), name + ' from ' + from)
  t.end()
})

/** The effect of each move on the facts; `part` chooses the amount among the possible ones. */
const EFFECTS: {
  [Name in PaymentMoveName]: (facts: PaymentFacts, part: number) => PaymentFacts | null
} = {
  approve_covered: (facts) => ({ ...facts, decision: 'approved', covered: true }),
  approve: (facts) => ({ ...facts, decision: 'approved' }),
  decline: (facts) => ({ ...facts, decision: 'declined' }),
  confirm: (facts) => ({ ...facts, confirmed: true }),
  deny: releaseRest,
  void: releaseRest,
  expire: releaseRest,
  capture: (facts, part) =>
    moveCents(facts, { to: 'capturePendingCents', most: capturableCents(facts), part }),
  record_capture: (facts, part) =>
    moveCents(facts, { to: 'capturePendingCents', most: capturableCents(facts), part }),
  land: (facts, part) =>
    moveCents(facts, {
      from: 'capturePendingCents',
      to: 'capturedCents',
      most: facts.capturePendingCents,
      part,
    }),
  fail: (facts, part) =>
    moveCents(facts, {
      from: 'capturePendingCents',
      to: 'captureFailedCents',
      most: facts.capturePendingCents,
      part,
    }),
  retry: (facts) => ({
    ...facts,
    captureFailedCents: 0,
    capturePendingCents: facts.capturePendingCents + facts.captureFailedCents,
  }),
  abandon: (facts) => ({
    ...facts,
    captureFailedCents: 0,
    voidedCents: facts.voidedCents + facts.captureFailedCents + capturableCents(facts),
  }),
  refund: (facts, part) =>
    moveCents(facts, { to: 'refundPendingCents', most: refundableCents(facts), part }),
  land_refund: (facts, part) =>
    moveCents(facts, {
      from: 'refundPendingCents',
      to: 'refundedCents',
      most: facts.refundPendingCents,
      part,
    }),
}

function releaseRest(facts: PaymentFacts): PaymentFacts | null {
  const rest = capturableCents(facts)
  return rest === 0 ? null : { ...facts, voidedCents: facts.voidedCents + rest }
}

type Sum = Exclude<keyof PaymentFacts, 'decision' | 'covered' | 'confirmed' | 'amountCents'>

function moveCents(
  facts: PaymentFacts,
  { from, to, most, part }: { from?: Sum; to: Sum; most: number; part: number },
): PaymentFacts | null {
  if (most <= 0) return null
  const cents = 1 + (part % most)
  const less = from === undefined ? {} : { [from]: facts[from] - cents }
  return { ...facts, ...less, [to]: facts[to] + cents }
}

function isFrom(name: PaymentMoveName, status: string): boolean {
  return (PAYMENT_MOVES[name].from as readonly string[]).includes(status)
}

test('no sequence of moves leaves the table or loses a cent', (t) => {
  const names = Object.keys(PAYMENT_MOVES) as PaymentMoveName[]
  const seen = new Set<string>()
  const step = fc.record({ pick: fc.nat(1000), part: fc.nat(200) })
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
      let facts = DECIDING
      for (const { pick, part } of steps) {
        const before = statusOf(facts)
        const possible = names.filter((name) => isFrom(name, before))
        const name = possible[pick % possible.length]
        if (name === undefined) return
        const move = PAYMENT_MOVES[name]
        const after = EFFECTS[name](facts, part)
        if (after === null) continue
        facts = after
        seen.add(name)
        const status = statusOf(facts)
        if (!(move.to as readonly string[]).includes(status))
          throw new Error(name + ' led from ' + before + ' to ' + status)
        if (capturableCents(facts) < 0 || refundableCents(facts) < 0)
          throw new Error(name + ' overdrew ' + JSON.stringify(facts))
        if (status === 'voided' && facts.capturedCents > 0) throw new Error('voided after capture')
      }
    }),
    { numRuns: 3000, seed: 28 },
  )
  t.same([...seen].sort(), [...names].sort(), 'every move was made')
  t.equal(statusOf(CONFIRMED), 'confirmed')
  t.end()
})
