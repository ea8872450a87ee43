// A refund that comes before its original: the original joins a refund that names it; a refund
// without a name stays alone.

import { test } from 'tap'
import { flagNames, openHold, type Sums, transactionStatus } from '../../shared/transaction-sums.ts'
import { controlsConfig, limitConfig } from '../harness/judged.ts'
import { LineRig, type RigOptions, type Sent } from '../harness/line-rig.ts'
import { fc } from '../harness/properties.ts'
import { Ledger } from '../simulation/ledger.ts'

/** The rig's messages belong to `n-1`; a refund has an id of its own. */
const NAMED = { network_transaction_id: 'r-1', original_network_transaction_id: 'n-1' } as const
const ASKS = { configCache: { program: { realtime: true, endpoint_id: 'we_1' } } } as const

const MESSAGES = {
  authorization: (rig: LineRig) => rig.send('authorization', { amount_cents: 1000 }),
  advice: (rig: LineRig) => rig.send('advice', { amount_cents: 1000 }),
  capture: (rig: LineRig) => rig.send('capture', { amount_cents: 700 }),
  part: (rig: LineRig) => rig.send('capture', { amount_cents: 600, final: false }),
  other: (rig: LineRig) => rig.send('capture', { amount_cents: 300, final: false }),
  refund: (rig: LineRig) => rig.send('refund', { ...NAMED, amount_cents: 200 }),
  capture_reversal: (rig: LineRig) => rig.send('capture_reversal', { amount_cents: 700 }),
  part_reversal: (rig: LineRig) => rig.send('capture_reversal', { amount_cents: 400 }),
  refund_reversal: (rig: LineRig) => rig.send('refund_reversal', { ...NAMED, amount_cents: 50 }),
} satisfies { [name: string]: (rig: LineRig) => Sent }
type Name = keyof typeof MESSAGES

/** The end of these messages, in this order; all of them form one transaction. */
function endOf(order: readonly Name[], restarts = false) {
  const rig = new LineRig()
  const ids = new Set<string | null>()
  for (const name of order) {
    ids.add(MESSAGES[name](rig).answer.transaction_id)
    if (restarts) rig.restart('snapshot')
  }
  if (ids.size !== 1) throw new Error(order.join() + ' are ' + ids.size + ' transactions')
  return told(rig)
}

function told(rig: LineRig, networkTransactionId?: string) {
  const { sums, flags, sequence } = rig.transaction(networkTransactionId)
  const moved = Object.entries(sums).filter(([, sum]) => sum !== 0)
  return {
    status: transactionStatus(sums, flags),
    hold: openHold(sums),
    sums: Object.fromEntries(moved) as Partial<Sums>,
    // Only the flag of an early capture depends on the order.
    flags: flagNames(flags).filter((name) => name !== 'captured_before_authorization'),
    sequence,
    used: rig.used(4),
  }
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, at) =>
    permutations(items.filter((_, other) => other !== at)).map((rest) => [item, ...rest]),
  )
}

const SETS: readonly (readonly Name[])[] = [
  ['authorization', 'refund'],
  ['authorization', 'capture', 'refund'],
  ['authorization', 'part', 'refund'],
  ['advice', 'refund'],
  ['capture', 'refund'],
  ['authorization', 'capture', 'refund', 'refund_reversal'],
  ['authorization', 'capture', 'capture_reversal'],
  ['authorization', 'part', 'other', 'part_reversal'],
  ['advice', 'capture', 'capture_reversal'],
  ['capture', 'capture_reversal', 'refund'],
]

for (const messages of SETS) {
  test('every order ends alike for ' + messages.join(', '), (t) => {
    const usual = endOf(messages)
    t.notOk(usual.flags.includes('unlinked'))
    for (const order of permutations(messages)) {
      t.same(endOf(order), usual, order.join())
      t.same(endOf(order, true), usual, order.join() + ', restarted in between')
    }
    t.end()
  })
}

test('a refund is unlinked and awaits its original until it comes', (t) => {
  const rig = new LineRig()
  rig.send('refund', { ...NAMED, amount_cents: 200 })
  t.match(told(rig), { status: 'refunded', hold: 0, flags: ['unlinked', 'awaits_original'] })
  const more = { ...NAMED, network_transaction_id: 'r-2', amount_cents: 300 }
  rig.send('refund', more)
  rig.send('authorization', { amount_cents: 400 })
  rig.send('capture', { amount_cents: 400 })
  t.match(told(rig), { status: 'refunded', flags: ['over_refunded', 'final'], sequence: 4 })
  t.end()
})

test('refunds of several purchases join them in any order of messages', (t) => {
  const names = ['authorization', 'capture', 'refund'] as const
  const sent = names.flatMap((name) => [1, 2, 3].map((about) => ({ name, about })))
  const play = (order: typeof sent) => {
    const rig = new LineRig({ controls: [controlsConfig({ limits: [limitConfig({})] })] })
    for (const { name, about } of order) {
      const id = 'n-' + about
      const named = name === 'refund' && {
        network_transaction_id: 'r-' + about,
        original_network_transaction_id: id,
      }
      rig.send(name, { network_transaction_id: id, amount_cents: 100 * about, ...named })
    }
    const ledger = new Ledger()
    for (const entry of rig.entries()) ledger.apply(entry)
    t.same(ledger.violations, [])
    t.equal(ledger.difference(rig.state), null)
    rig.restart('snapshot')
    return [1, 2, 3].map((about) => told(rig, 'n-' + about))
  }
  const usual = play(sent)
  fc.assert(
    fc.property(fc.shuffledSubarray(sent, { minLength: sent.length }), (order) => {
      t.same(play(order), usual)
    }),
    { numRuns: 60 },
  )
  t.end()
})

test('a refund that names no original stays a credit of its own, whatever comes with its id', (t) => {
  for (const kind of ['authorization', 'advice', 'capture', 'capture_reversal'] as const) {
    const rig = new LineRig()
    const credit = rig.send('refund', { amount_cents: 200 }).answer.transaction_id
    t.equal(rig.send('refund', { amount_cents: 50 }).answer.transaction_id, credit)
    const other = rig.send(kind, { amount_cents: 700 }).answer.transaction_id
    t.not(other, credit, kind)
    t.match(told(rig), { sequence: 1, flags: kind === 'capture' ? ['force_post', 'final'] : [] })
    rig.restart('snapshot')
    const later = kind === 'capture_reversal' ? 'capture' : 'reversal'
    t.equal(rig.send(later, { amount_cents: 700 }).answer.transaction_id, other, later)
    const back = rig.send('refund_reversal', { amount_cents: 250 }).answer.transaction_id
    t.equal(back, credit, 'taken back, it is found behind the other')
    const { sums, flags } = rig.lastDecision().effect ?? { sums: null, flags: 0 }
    t.match(sums, { refunded: 250, refundReversed: 250 })
    t.same(flagNames(flags), ['unlinked'])
    rig.restart('journal')
  }
  t.end()
})

test('a refund reversal applies to a later purchase under a credit’s id, not to the credit', (t) => {
  const rig = new LineRig()
  rig.send('refund', { amount_cents: 200 })
  const bought = rig.send('capture', { amount_cents: 700 }).answer.transaction_id
  t.equal(rig.send('refund', { amount_cents: 1 }).answer.transaction_id, bought)
  t.equal(rig.send('refund_reversal', { amount_cents: 1 }).answer.transaction_id, bought)
  t.match(told(rig), { status: 'captured', sums: { refunded: 1, refundReversed: 1 } })
  const alone = new LineRig()
  alone.send('authorization')
  const early = alone.send('refund_reversal', { amount_cents: 30 }).answer.transaction_id
  t.equal(early, alone.send('capture').answer.transaction_id, 'where no credit is, it is early')
  t.end()
})

test('a reversal never applies to a credit: the authorization it reverses is declined', (t) => {
  for (const named of [{}, NAMED]) {
    const rig = new LineRig()
    rig.send('refund', { ...named, amount_cents: 200 })
    const reversed = rig.send('reversal').answer.transaction_id
    rig.restart('snapshot')
    const late = rig.send('authorization').answer
    t.match(late, { decline_reason: 'original_reversed', transaction_id: reversed })
    t.match(told(rig), { hold: 0, flags: ['reversed_before_authorization'], used: { amount: 0 } })
  }
  t.end()
})

test('an unconvertible reversal before its authorization still declines it', (t) => {
  const rig = new LineRig()
  rig.send('refund', { ...NAMED, amount_cents: 200 })
  rig.send('reversal', { currency: 'EUR' })
  t.match(rig.send('authorization').answer, { decline_reason: 'original_reversed' })
  t.end()
})

test('a later payment of a series does not join a refund that named an earlier one', (t) => {
  const rig = new LineRig()
  const refunded = rig.send('refund', { ...NAMED, amount_cents: 200 }).answer.transaction_id
  const payment = rig.send('authorization', {
    network_transaction_id: 'n-5',
    original_network_transaction_id: 'n-1',
    initiator: 'merchant',
  }).answer
  t.match(payment, { approved: true })
  t.not(payment.transaction_id, refunded)
  t.match(told(rig), { status: 'authorized', sequence: 1, flags: [] })
  t.end()
})

test('an increment of a link with refunds only finds nothing to raise', (t) => {
  for (const named of [{}, NAMED]) {
    const rig = new LineRig()
    const refunded = rig.send('refund', { ...named, amount_cents: 200 }).answer.transaction_id
    const raised = rig.send('incremental', { amount_cents: 50 }).answer
    t.match(raised, { approved: false, decline_reason: 'original_not_found' })
    t.not(raised.transaction_id, refunded)
    rig.restart('snapshot')
    const { transaction_id } = rig.send('authorization').answer
    t.equal(transaction_id === refunded, named === NAMED)
  }
  t.end()
})

test('the original that a refund named is judged and counted as if nothing had come before', (t) => {
  const limits = [limitConfig({ amount_cents: 1000 as never, count: 1 })]
  const options: RigOptions = { ...ASKS, controls: [controlsConfig({ limits })] }
  for (const early of [false, true]) {
    const rig = new LineRig(options)
    if (early) rig.send('refund', { ...NAMED, amount_cents: 200 })
    const asked = rig.send('authorization', { amount_cents: 1000 })
    t.match(rig.used(), { reserved: 1000 })
    rig.asked.shift()?.({ approve: true })
    t.match(asked.answer, { approved: true, approved_amount_cents: 1000 })
    t.same(rig.used(), { amount: 1000, count: 1, reserved: 0 })
    const second = rig.send('authorization', { network_transaction_id: 'n-2', amount_cents: 1 })
    t.match(second.answer, { approved: false })
  }
  const rig = new LineRig({ controls: options.controls ?? [] })
  rig.send('refund', { ...NAMED, amount_cents: 200 })
  const { answer } = rig.send('authorization', { amount_cents: 1001 })
  t.match(answer, { approved: false, decline_reason: 'limit_daily' })
  t.match(told(rig), { status: 'refunded', flags: [], sequence: 2, used: { amount: 0, count: 0 } })
  t.end()
})

test('a refund during the tenant’s decision is linked once the authorization is decided', (t) => {
  for (const approve of [true, false]) {
    const rig = new LineRig(ASKS)
    const asked = rig.send('authorization')
    const refund = rig.send('refund', { amount_cents: 200 }).answer
    rig.asked.shift()?.({ approve })
    t.equal(asked.answer.transaction_id, refund.transaction_id)
    t.match(told(rig), { status: 'refunded', flags: [], sequence: 2 })
  }
  t.end()
})

test('every message during the tenant’s decision joins its transaction', (t) => {
  const rig = new LineRig(ASKS)
  rig.send('authorization', { amount_cents: 700 })
  const credit = rig.send('refund', { amount_cents: 50 }).answer.transaction_id
  const captured = rig.send('capture', { amount_cents: 700 }).answer.transaction_id
  t.equal(captured, credit)
  rig.asked.shift()?.({ approve: true })
  t.equal(rig.lastDecision().transactionId, captured)
  t.match(told(rig), { sequence: 3, used: { amount: 700, count: 1 } })
  rig.restart('journal')
  t.end()
})
