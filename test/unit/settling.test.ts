import { test } from 'tap'
import { chainIdOf, type Hex, hexOfBytes, refundIdOf } from '../../api/payments/chain/hex.ts'
import { chooseItems } from '../../api/payments/settlement-batches/close.ts'
import type { WaitingItem } from '../../api/payments/settlement-batches/store.ts'
import { dueTrigger } from '../../api/payments/settler/close.ts'
import { matchOutcome } from '../../api/payments/settler/land.ts'
import type { ChainItem } from '../../api/payments/settler/store.ts'
import { unitsOfCents } from '../../shared/token-units.ts'

const capture = (
  id: string,
  cents: number,
  { bytes = 300, opens = null }: { bytes?: number; opens?: string | null } = {},
): WaitingItem => ({ kind: 'capture', id, cents, bytes, opens })
const refund = (id: string, cents: number): WaitingItem => ({
  ...{ kind: 'refund', id, cents, bytes: 0, opens: null },
})

test('a batch takes refunds as far as its captures and the allowance pay them', (t) => {
  const waiting = [refund('r1', 60), capture('c1', 100), refund('r2', 50), refund('r3', 39)]
  const none = chooseItems(waiting, { feeBps: 100, drawableCents: 0 })
  t.same(
    none.taken.map(({ id }) => id),
    ['r1', 'c1', 'r3'],
    'a fee of 1 leaves 99',
  )
  t.same(
    none.short.map(({ id }) => id),
    ['r2'],
  )
  t.equal(none.grossCents, 100)
  const more = chooseItems(waiting, { feeBps: 100, drawableCents: 50 })
  t.same(more.short, [])
  t.same(chooseItems([refund('r1', 1)], { feeBps: 0, drawableCents: 0 }).taken, [])
  t.end()
})

test('a batch stays below the bytes that a node takes', (t) => {
  const large = Array.from({ length: 100 }, (_, at) => capture('c' + at, 1, { bytes: 2000 }))
  const { taken } = chooseItems(large, { feeBps: 0, drawableCents: 0 })
  t.equal(taken.length, 41)
  const huge = chooseItems([capture('c', 1, { bytes: 1_000_000 })], { feeBps: 0, drawableCents: 0 })
  t.equal(huge.taken.length, 1, 'one item always goes alone')
  t.end()
})

test('a batch stays below 13 million gas, whichever captures deploy an account', (t) => {
  const count = (of: (at: number) => string | null): number => {
    const all = Array.from({ length: 100 }, (_, at) => capture('c' + at, 1, { opens: of(at) }))
    return chooseItems(all, { feeBps: 0, drawableCents: 0 }).taken.length
  }
  t.equal(
    count((at) => 'pacc_' + at),
    96,
    'each deploys its own',
  )
  t.equal(
    count(() => 'pacc_1'),
    100,
    'one is deployed once',
  )
  t.equal(
    count(() => null),
    100,
  )
  t.end()
})

test('an account is due by its interval, its size or its hour', (t) => {
  const now = Date.UTC(2026, 10, 20, 12)
  const continuous = {
    schedule: { interval: 'continuous' },
    oldestAt: now - 999,
    ...{ endsAt: now + 1, retried: false },
  } as const
  const pace = { intervalMs: 1000 }
  t.equal(dueTrigger({ ...continuous, waiting: 1 }, now, pace), null)
  t.equal(dueTrigger({ ...continuous, waiting: 1 }, now + 1, pace), 'interval')
  t.equal(dueTrigger({ ...continuous, waiting: 100 }, now, pace), 'size')
  const daily = {
    schedule: { interval: 'daily', hour: 12 },
    waiting: 500,
    ...{ endsAt: now + 12 * 3_600_000, retried: false },
  } as const
  t.equal(dueTrigger({ ...daily, oldestAt: now - 1 }, now, pace), 'interval')
  t.equal(dueTrigger({ ...daily, oldestAt: now }, now, pace), null, 'after the cut-off')
  t.equal(dueTrigger({ ...daily, oldestAt: now - 1 }, now - 1, pace), null, 'before it')
  const ending = { ...daily, oldestAt: now, endsAt: daily.endsAt - 1 }
  t.equal(dueTrigger(ending, now, pace), 'interval', 'its approval would end before the hour')
  t.equal(dueTrigger({ ...ending, endsAt: null }, now, pace), null, 'a refund has no such end')
  const retried = { ...daily, oldestAt: now, retried: true }
  t.equal(dueTrigger(retried, now, pace), 'retry', 'a retry waits for no cut-off')
  t.end()
})

test('the logs must tell of every item, once and with its amount', (t) => {
  const hash = Buffer.alloc(32, 7)
  const approval = hexOfBytes(hash)
  const base = { approvalHash: hash, cents: 5 } as ChainItem
  const items: ChainItem[] = [
    { ...base, kind: 'capture', id: 'cap_1', bit: 0 },
    { ...base, kind: 'capture', id: 'cap_2', bit: 1 },
    { ...base, kind: 'refund', id: 'ref_1', bit: 0 },
  ]
  const units = unitsOfCents(5)
  const outcome = {
    captured: [{ approval, index: 0, units }],
    failed: [{ approval, index: 1, reason: 'expired' as const }],
    refunded: [{ id: refundIdOf('ref_1', 0), units }],
    refundFailed: [],
    ...{ gross: units, refunds: units, fee: 0n },
  }
  const told = matchOutcome(items, outcome)
  t.same([...(told?.landed ?? [])], ['cap_1', 'ref_1'])
  t.same(told?.failures.get('cap_2'), { stage: 'capture', code: 'expired', detail: null })
  const other: Hex = `0x${'09'.repeat(32)}`
  const wrong = [
    { ...outcome, failed: [] },
    { ...outcome, captured: [{ approval, index: 0, units: units + 1n }] },
    { ...outcome, captured: [{ approval: other, index: 0, units }] },
    { ...outcome, captured: [...outcome.captured, ...outcome.captured] },
    { ...outcome, refunded: [{ id: refundIdOf('ref_2', 0), units }] },
    { ...outcome, refunded: [...outcome.refunded, ...outcome.refunded] },
    { ...outcome, failed: [...outcome.failed, { approval, index: 0, reason: 'expired' as const }] },
  ]
  for (const each of wrong) t.equal(matchOutcome(items, each), null)
  // The database may have lost or changed the bit that the call was written with.
  for (const id of [refundIdOf('ref_1', 1), chainIdOf('ref_1')]) {
    const landed = matchOutcome(items, { ...outcome, refunded: [{ id, units }] })?.landed
    t.same([...(landed ?? [])], ['cap_1', 'ref_1'])
  }
  const moved = refundIdOf('ref_1', 1)
  const kept = matchOutcome(items, { ...outcome, refunded: [{ id: moved, units }] })?.bits
  t.same([...(kept ?? [])], [['ref_1', 1]])
  const refused = { id: moved, reason: 'already_landed' as const }
  const failed = matchOutcome(items, { ...outcome, refunded: [], refundFailed: [refused] })
  t.match(failed?.failures.get('ref_1'), { code: 'already_landed' })
  t.same([...(failed?.bits ?? [])], [], 'the bit of a refused refund may be another one’s')
  t.end()
})
