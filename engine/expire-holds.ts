// Ends expired holds: a timer finds them and ends each with an entry of its own, a few at a time,
// so that no answer waits. After a restart it ends the holds that expired meanwhile.
import type { Timer } from '../shared/clock.ts'
import { decodeId, encodeId } from '../shared/id.ts'
import { JOURNAL_QUEUE_MAX } from '../shared/limits.ts'
import { openHold } from '../shared/transaction-sums.ts'
import type { HoldToEnd } from '../shared/wire/control.ts'
import { encodeEntry } from '../shared/wire/journal-entry.ts'
import { effectOf } from './lifecycle/change.ts'
import { expire } from './lifecycle/expire.ts'
import type { Line } from './line/line.ts'
import { step } from './state/decision-state.ts'

const LOOK_MS = 1000
/** Milliseconds until the next few, while more are due. */
const MORE_MS = 20
const EXPIRED_PER_LOOK_MAX = 100
/** Chosen: expiries fill at most half of the queue in which answers wait. */
const WAITING_MAX = JOURNAL_QUEUE_MAX / 2

/**
 * Ends holds until it is stopped. No hold ends while the engine is not ready or the journal has no
 * room.
 */
export function startHoldExpiry(line: Line): { stop(): void } {
  let timer: Timer
  const look = (): void => {
    const ended = expireHolds(line)
    timer = line.clock.after(ended === EXPIRED_PER_LOOK_MAX ? MORE_MS : LOOK_MS, look)
  }
  timer = line.clock.after(LOOK_MS, look)
  return { stop: () => timer.cancel() }
}

/** Ends at most EXPIRED_PER_LOOK_MAX expired holds; returns their count. */
export function expireHolds({ clock, journal, state, unready }: Line): number {
  const { transactions } = state
  const nowMs = clock.nowMs()
  if (unready() !== null) return 0
  for (let ended = 0; ended < EXPIRED_PER_LOOK_MAX; ended++) {
    if (!journal.writable || journal.waiting >= WAITING_MAX) return 0
    const row = transactions.expired(nowMs)
    if (row === -1) return ended
    endHold({ state, journal }, row, nowMs)
  }
  return EXPIRED_PER_LOOK_MAX
}

/**
 * Ends holds that are over by the clock of their tenant, which may be ahead of ours; returns their
 * count. It skips a hold that is not open, not over or unknown, so the same order may come again.
 */
export function endHolds({ journal, state, unready }: Line, holds: readonly HoldToEnd[]): number {
  const { transactions } = state
  if (unready() !== null) return 0
  let ended = 0
  for (const { transaction_id, link, now_ms } of holds) {
    if (!journal.writable || journal.waiting >= WAITING_MAX) return ended
    const row = transactions.find(Buffer.from(link), decodeId(transaction_id.slice(4)))
    if (row === -1) continue
    const { sums, holdExpiresAtMs } = transactions.read(row)
    if (openHold(sums) === 0 || holdExpiresAtMs > now_ms) continue
    endHold({ state, journal }, row, now_ms)
    ended += 1
  }
  return ended
}

function endHold({ state, journal }: Pick<Line, 'state' | 'journal'>, row: number, nowMs: number) {
  const { transactions } = state
  const transaction = transactions.read(row)
  const entry = {
    kind: 'expiry' as const,
    transactionId: 'txn_' + encodeId(transactions.idOf(row)),
    expiredAtMs: nowMs,
    effect: effectOf(transactions.linkOf(row), transaction, expire(transaction)),
  }
  step(state, { type: 'entry', seq: journal.append(encodeEntry(entry)), entry })
}
