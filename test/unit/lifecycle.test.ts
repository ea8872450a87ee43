import { test } from 'tap'
import { authorized, incremented, refused } from '../../engine/lifecycle/authorization.ts'
import type { Change, TransactionState } from '../../engine/lifecycle/change.ts'
import { changed, effectOf, hasOnlyRefunds, ONLY_REFUNDS } from '../../engine/lifecycle/change.ts'
import { expire } from '../../engine/lifecycle/expire.ts'
import { holdEnd } from '../../engine/lifecycle/hold-expiry.ts'
import { notificationChange } from '../../engine/lifecycle/notification.ts'
import { unconverted } from '../../engine/lifecycle/unconverted.ts'
import type { NotificationKind } from '../../shared/schemas/network-message.ts'
import {
  countedAmount,
  flagNames,
  noSums,
  openHold,
  SUM_NAMES,
  type Sums,
  TRANSACTION_FLAGS,
  type TransactionFlag,
  type TransactionStatus,
  transactionStatus,
} from '../../shared/transaction-sums.ts'
import type { HoldExpiry, ProgramConfig } from '../../shared/wire/config-records.ts'
import type { MessageRecord } from '../../shared/wire/journal-entry.ts'
import { judgedConfig } from '../harness/judged.ts'
import { fc } from '../harness/properties.ts'

const LINK = Buffer.alloc(16, 1)
const END_MS = Date.UTC(2026, 10, 27)

type Step =
  | { kind: 'authorize' | 'increment'; cents: number; hold?: number }
  | { kind: 'refuse' | 'expire' }
  | { kind: NotificationKind; cents: number; final?: boolean; approved?: boolean; named?: boolean }

function changeBy(transaction: TransactionState | null, step: Step): Change | null {
  switch (step.kind) {
    case 'authorize': {
      const { cents: approvedCents, hold: holdCents = approvedCents } = step
      return authorized(transaction, { approvedCents, holdCents, holdExpiresAtMs: END_MS })
    }
    case 'increment': {
      if (transaction === null || openHold(transaction.sums) === 0) return null
      const { cents: approvedCents, hold: holdCents = approvedCents } = step
      return incremented(transaction, { approvedCents, holdCents, holdExpiresAtMs: END_MS })
    }
    case 'refuse':
      return refused(transaction)
    case 'expire':
      return transaction === null || openHold(transaction.sums) === 0 ? null : expire(transaction)
    default:
      return notificationChange(step.kind, transaction, {
        message: messageOf(step),
        amountCents: step.cents,
        holdExpiresAtMs: END_MS,
      })
  }
}

function messageOf(step: Extract<Step, { kind: NotificationKind }>): MessageRecord {
  const { kind, final = true, approved = true, named = false } = step
  const advice = { approved, decidedBy: 'network' as const, code: approved ? '00' : '05' }
  const original = named ? { originalNetworkTransactionId: 'the original' } : {}
  return judgedConfig({ message: { kind, final, advice, ...original } }).message
}

function play(steps: readonly Step[]): { transaction: TransactionState | null; changes: Change[] } {
  let transaction: TransactionState | null = null
  const changes: Change[] = []
  for (const step of steps) {
    const change = changeBy(transaction, step)
    if (change === null) continue
    changes.push(change)
    transaction = effectOf(LINK, transaction, change)
  }
  return { transaction, changes }
}

/** Flags that follow from the sums. */
const EXCESSES = TRANSACTION_FLAGS.over_captured | TRANSACTION_FLAGS.over_refunded

const A: Step = { kind: 'authorize', cents: 100 }
const NAMED: Step = { kind: 'refund', cents: 30, named: true }

interface Row {
  name: string
  steps: readonly Step[]
  status: TransactionStatus
  hold: number
  counted: number
  event: Change['event']
  /** The amount that the last message moved. */
  moved: number
  flags?: readonly TransactionFlag[]
}

// biome-ignore format: the table of states reads better in rows.
const TABLE: readonly Row[] = [
  { name: 'approved', steps: [A], status: 'authorized', hold: 100, counted: 100, event: 'authorized', moved: 100 },
  { name: 'approved with a preset', steps: [{ kind: 'authorize', cents: 1, hold: 100 }], status: 'authorized', hold: 100, counted: 100, event: 'authorized', moved: 1 },
  { name: 'declined', steps: [{ kind: 'refuse' }], status: 'declined', hold: 0, counted: 0, event: 'declined', moved: 0, flags: ['declined'] },
  { name: 'an advice that approved', steps: [{ kind: 'advice', cents: 70 }], status: 'authorized', hold: 70, counted: 70, event: 'authorized', moved: 70 },
  { name: 'an advice that declined', steps: [{ kind: 'advice', cents: 70, approved: false }], status: 'declined', hold: 0, counted: 0, event: 'declined', moved: 0, flags: ['declined'] },
  { name: 'an approved increment', steps: [A, { kind: 'increment', cents: 30 }], status: 'authorized', hold: 130, counted: 130, event: 'authorized', moved: 30 },
  { name: 'a declined increment', steps: [A, { kind: 'refuse' }], status: 'authorized', hold: 100, counted: 100, event: 'declined', moved: 0 },
  { name: 'an advice with the final amount', steps: [{ kind: 'authorize', cents: 1, hold: 100 }, { kind: 'advice', cents: 62 }], status: 'authorized', hold: 62, counted: 62, event: 'authorized', moved: 62, flags: ['amount_advised'] },
  { name: 'an advice with a larger final amount', steps: [A, { kind: 'advice', cents: 162 }], status: 'authorized', hold: 162, counted: 162, event: 'authorized', moved: 162, flags: ['amount_advised'] },
  { name: 'an advice of a decline while a hold is open', steps: [A, { kind: 'advice', cents: 100, approved: false }], status: 'authorized', hold: 100, counted: 100, event: 'declined', moved: 0 },
  { name: 'an advice after our decline', steps: [{ kind: 'refuse' }, { kind: 'advice', cents: 90 }], status: 'authorized', hold: 90, counted: 90, event: 'authorized', moved: 90 },
  { name: 'an advice after the hold ran out', steps: [A, { kind: 'expire' }, { kind: 'advice', cents: 90 }], status: 'authorized', hold: 90, counted: 90, event: 'authorized', moved: 90, flags: ['amount_advised'] },
  { name: 'an advice after the reversal', steps: [A, { kind: 'reversal', cents: 100 }, { kind: 'advice', cents: 90 }], status: 'reversed', hold: 0, counted: 0, event: 'authorized', moved: 0 },
  { name: 'an advice after the last capture', steps: [A, { kind: 'capture', cents: 80 }, { kind: 'advice', cents: 90 }], status: 'captured', hold: 0, counted: 80, event: 'authorized', moved: 0, flags: ['final'] },
  { name: 'an advice whose reversal came first', steps: [{ kind: 'reversal', cents: 90 }, { kind: 'advice', cents: 90 }], status: 'reversed', hold: 0, counted: 0, event: 'authorized', moved: 90, flags: ['reversed_before_authorization'] },
  { name: 'an advice whose capture came first', steps: [{ kind: 'capture', cents: 90 }, { kind: 'advice', cents: 90 }], status: 'captured', hold: 0, counted: 90, event: 'authorized', moved: 90, flags: ['captured_before_authorization', 'final'] },
  { name: 'a partial reversal', steps: [A, { kind: 'reversal', cents: 40 }], status: 'authorized', hold: 60, counted: 60, event: 'reversed', moved: 40 },
  { name: 'a full reversal', steps: [A, { kind: 'reversal', cents: 100 }], status: 'reversed', hold: 0, counted: 0, event: 'reversed', moved: 100 },
  { name: 'a full reversal of what a preset raised', steps: [{ kind: 'authorize', cents: 100, hold: 120 }, { kind: 'reversal', cents: 40 }, { kind: 'reversal', cents: 60 }], status: 'reversed', hold: 0, counted: 0, event: 'reversed', moved: 80 },
  { name: 'a reversal of more than is held', steps: [A, { kind: 'reversal', cents: 101 }], status: 'reversed', hold: 0, counted: 0, event: 'reversed', moved: 100, flags: ['over_reversed'] },
  { name: 'a capture of all that was approved and incremented', steps: [A, { kind: 'increment', cents: 30 }, { kind: 'capture', cents: 130 }], status: 'captured', hold: 0, counted: 130, event: 'captured', moved: 130, flags: ['final'] },
  { name: 'a capture of more than the smallest amount', steps: [{ kind: 'authorize', cents: 1 }, { kind: 'capture', cents: 2 }], status: 'captured', hold: 0, counted: 2, event: 'captured', moved: 2, flags: ['over_captured', 'final'] },
  { name: 'a reversal of less than was approved and incremented, with a preset', steps: [{ kind: 'authorize', cents: 100, hold: 120 }, { kind: 'increment', cents: 30 }, { kind: 'reversal', cents: 100 }], status: 'authorized', hold: 50, counted: 50, event: 'reversed', moved: 100 },
  { name: 'a reversal of more than the smallest amount', steps: [{ kind: 'authorize', cents: 1 }, { kind: 'reversal', cents: 2 }], status: 'reversed', hold: 0, counted: 0, event: 'reversed', moved: 1, flags: ['over_reversed'] },
  { name: 'a reversal of the one unit a preset raised', steps: [{ kind: 'authorize', cents: 1, hold: 100 }, { kind: 'reversal', cents: 1 }], status: 'reversed', hold: 0, counted: 0, event: 'reversed', moved: 100 },
  { name: 'a reversal of nothing while only what a preset raised is held', steps: [{ kind: 'authorize', cents: 100, hold: 120 }, { kind: 'capture', cents: 100, final: false }, { kind: 'reversal', cents: 0 }], status: 'partially_captured', hold: 20, counted: 120, event: 'reversed', moved: 0 },
  { name: 'a reversal of what was declined', steps: [{ kind: 'refuse' }, { kind: 'reversal', cents: 100 }], status: 'declined', hold: 0, counted: 0, event: 'reversed', moved: 0, flags: ['declined'] },
  { name: 'a reversal before its authorization', steps: [{ kind: 'reversal', cents: 100 }], status: 'reversed', hold: 0, counted: 0, event: 'reversed', moved: 0, flags: ['reversed_before_authorization'] },
  { name: 'the declined authorization after its reversal', steps: [{ kind: 'reversal', cents: 100 }, { kind: 'refuse' }], status: 'reversed', hold: 0, counted: 0, event: 'declined', moved: 0, flags: ['reversed_before_authorization'] },
  { name: 'a hold that ran out', steps: [A, { kind: 'expire' }], status: 'expired', hold: 0, counted: 0, event: 'reversed', moved: 100 },
  { name: 'a partial capture', steps: [A, { kind: 'capture', cents: 40, final: false }], status: 'partially_captured', hold: 60, counted: 100, event: 'captured', moved: 40 },
  { name: 'a last capture of less', steps: [A, { kind: 'capture', cents: 40 }], status: 'captured', hold: 0, counted: 40, event: 'captured', moved: 40, flags: ['final'] },
  { name: 'three shipments', steps: [A, { kind: 'capture', cents: 40, final: false }, { kind: 'capture', cents: 30, final: false }, { kind: 'capture', cents: 20 }], status: 'captured', hold: 0, counted: 90, event: 'captured', moved: 20, flags: ['final'] },
  { name: 'a capture of all that is held', steps: [A, { kind: 'capture', cents: 100, final: false }], status: 'captured', hold: 0, counted: 100, event: 'captured', moved: 100 },
  { name: 'a capture of more', steps: [A, { kind: 'capture', cents: 120 }], status: 'captured', hold: 0, counted: 120, event: 'captured', moved: 120, flags: ['over_captured', 'final'] },
  { name: 'a capture within what a preset held', steps: [{ kind: 'authorize', cents: 100, hold: 120 }, { kind: 'capture', cents: 118 }], status: 'captured', hold: 0, counted: 118, event: 'captured', moved: 118, flags: ['final'] },
  { name: 'a capture after expiry', steps: [A, { kind: 'expire' }, { kind: 'capture', cents: 100 }], status: 'captured', hold: 0, counted: 100, event: 'captured', moved: 100, flags: ['captured_after_expiry', 'final'] },
  { name: 'a capture of too much of a hold made anew after expiry', steps: [A, { kind: 'expire' }, { kind: 'advice', cents: 50 }, { kind: 'capture', cents: 160 }], status: 'captured', hold: 0, counted: 160, event: 'captured', moved: 160, flags: ['amount_advised', 'over_captured', 'final'] },
  { name: 'a capture of what expired after a part of it', steps: [A, { kind: 'capture', cents: 40, final: false }, { kind: 'expire' }, { kind: 'capture', cents: 60 }], status: 'captured', hold: 0, counted: 100, event: 'captured', moved: 60, flags: ['captured_after_expiry', 'final'] },
  { name: 'a second capture after a partial reversal took the rest', steps: [A, { kind: 'reversal', cents: 10 }, { kind: 'capture', cents: 90, final: false }, { kind: 'capture', cents: 5, final: false }], status: 'captured', hold: 0, counted: 95, event: 'captured', moved: 5 },
  { name: 'a capture of an authorization of nothing', steps: [{ kind: 'authorize', cents: 0 }, { kind: 'capture', cents: 5 }], status: 'captured', hold: 0, counted: 5, event: 'captured', moved: 5, flags: ['force_post', 'final'] },
  { name: 'a capture after reversal', steps: [A, { kind: 'reversal', cents: 100 }, { kind: 'capture', cents: 100 }], status: 'captured', hold: 0, counted: 100, event: 'captured', moved: 100, flags: ['captured_after_reversal', 'final'] },
  { name: 'a capture after an early reversal', steps: [{ kind: 'reversal', cents: 100 }, { kind: 'capture', cents: 100 }], status: 'captured', hold: 0, counted: 100, event: 'captured', moved: 100, flags: ['captured_after_reversal', 'reversed_before_authorization', 'final'] },
  { name: 'a capture after decline', steps: [{ kind: 'refuse' }, { kind: 'capture', cents: 100 }], status: 'captured', hold: 0, counted: 100, event: 'captured', moved: 100, flags: ['captured_after_decline', 'final'] },
  { name: 'a capture without authorization', steps: [{ kind: 'capture', cents: 100 }], status: 'captured', hold: 0, counted: 100, event: 'captured', moved: 100, flags: ['force_post', 'final'] },
  { name: 'its authorization after the last capture', steps: [{ kind: 'capture', cents: 80 }, A], status: 'captured', hold: 0, counted: 80, event: 'authorized', moved: 100, flags: ['captured_before_authorization', 'final'] },
  { name: 'its authorization after a capture of a part', steps: [{ kind: 'capture', cents: 80, final: false }, A], status: 'partially_captured', hold: 20, counted: 100, event: 'authorized', moved: 100, flags: ['captured_before_authorization'] },
  { name: 'a refund of a part', steps: [A, { kind: 'capture', cents: 100 }, { kind: 'refund', cents: 30 }], status: 'partially_refunded', hold: 0, counted: 100, event: 'refunded', moved: 30, flags: ['final'] },
  { name: 'a refund of all', steps: [A, { kind: 'capture', cents: 100 }, { kind: 'refund', cents: 100 }], status: 'refunded', hold: 0, counted: 100, event: 'refunded', moved: 100, flags: ['final'] },
  { name: 'a refund of more', steps: [A, { kind: 'capture', cents: 100 }, { kind: 'refund', cents: 101 }], status: 'refunded', hold: 0, counted: 100, event: 'refunded', moved: 101, flags: ['over_refunded', 'final'] },
  { name: 'a refund that belongs to nothing', steps: [{ kind: 'refund', cents: 30 }], status: 'refunded', hold: 0, counted: 0, event: 'refunded', moved: 30, flags: ['unlinked'] },
  { name: 'a capture reversal', steps: [A, { kind: 'capture', cents: 100 }, { kind: 'capture_reversal', cents: 100 }], status: 'reversed', hold: 0, counted: 0, event: 'reversed', moved: 100, flags: ['final'] },
  { name: 'a capture reversal of a part', steps: [A, { kind: 'capture', cents: 100 }, { kind: 'capture_reversal', cents: 30 }], status: 'captured', hold: 0, counted: 70, event: 'reversed', moved: 30, flags: ['final'] },
  { name: 'a capture reversal of more waits for a capture that covers it', steps: [A, { kind: 'capture', cents: 100 }, { kind: 'capture_reversal', cents: 130 }], status: 'captured', hold: 0, counted: 100, event: 'reversed', moved: 130, flags: ['final', 'reversal_before_original'] },
  { name: 'a capture that covers what waits, and one before it that does not', steps: [A, { kind: 'capture_reversal', cents: 60 }, { kind: 'capture', cents: 40, final: false }, { kind: 'capture', cents: 60, final: false }], status: 'captured', hold: 0, counted: 40, event: 'captured', moved: 60 },
  { name: 'captures that never cover what waits', steps: [{ kind: 'capture_reversal', cents: 5998 }, { kind: 'capture', cents: 1000, final: false }, { kind: 'capture', cents: 33 }], status: 'captured', hold: 0, counted: 1033, event: 'captured', moved: 33, flags: ['force_post', 'final', 'reversal_before_original'] },
  { name: 'a reversal of the authorization whose capture reversal came first', steps: [{ kind: 'capture_reversal', cents: 100 }, { kind: 'reversal', cents: 100 }], status: 'reversed', hold: 0, counted: 0, event: 'reversed', moved: 0, flags: ['reversed_before_authorization', 'reversal_before_original'] },
  { name: 'a capture reversal before its capture', steps: [{ kind: 'capture_reversal', cents: 100 }], status: 'reversed', hold: 0, counted: 0, event: 'reversed', moved: 100, flags: ['reversal_before_original'] },
  { name: 'a refund reversal', steps: [A, { kind: 'capture', cents: 100 }, { kind: 'refund', cents: 100 }, { kind: 'refund_reversal', cents: 100 }], status: 'captured', hold: 0, counted: 100, event: 'refunded', moved: 100, flags: ['final'] },
  { name: 'an authorization of the least more than its last capture, which came first', steps: [{ kind: 'capture', cents: 40 }, { kind: 'authorize', cents: 41 }], status: 'captured', hold: 0, counted: 40, event: 'authorized', moved: 41, flags: ['captured_before_authorization', 'final'] },
  { name: 'a capture of all but the least', steps: [A, { kind: 'capture', cents: 99, final: false }], status: 'partially_captured', hold: 1, counted: 100, event: 'captured', moved: 99 },
  { name: 'a capture reversal of the least before its capture', steps: [{ kind: 'capture_reversal', cents: 1 }], status: 'reversed', hold: 0, counted: 0, event: 'reversed', moved: 1, flags: ['reversal_before_original'] },
  { name: 'the least held again after expiry', steps: [A, { kind: 'expire' }, { kind: 'advice', cents: 1 }], status: 'authorized', hold: 1, counted: 1, event: 'authorized', moved: 1, flags: ['amount_advised'] },
  { name: 'the least that ran out', steps: [{ kind: 'authorize', cents: 1 }, { kind: 'expire' }], status: 'expired', hold: 0, counted: 0, event: 'reversed', moved: 1 },
  { name: 'the least that was reversed', steps: [{ kind: 'authorize', cents: 1 }, { kind: 'reversal', cents: 1 }], status: 'reversed', hold: 0, counted: 0, event: 'reversed', moved: 1 },
  { name: 'a refund reversal of the least before its refund', steps: [{ kind: 'refund_reversal', cents: 1 }], status: 'reversed', hold: 0, counted: 0, event: 'refunded', moved: 1, flags: ['unlinked', 'reversal_before_original'] },
  { name: 'a reversal of the rest of what a preset raised, after a part was captured', steps: [{ kind: 'authorize', cents: 100, hold: 120 }, { kind: 'capture', cents: 60, final: false }, { kind: 'reversal', cents: 40 }], status: 'captured', hold: 0, counted: 60, event: 'reversed', moved: 60 },
  { name: 'a refund of less than was taken back before, and a part of it taken back', steps: [{ kind: 'refund_reversal', cents: 30 }, { kind: 'refund', cents: 20 }, { kind: 'refund_reversal', cents: 5 }], status: 'refunded', hold: 0, counted: 0, event: 'refunded', moved: 5, flags: ['unlinked', 'reversal_before_original'] },
  { name: 'an advice after a partial reversal', steps: [A, { kind: 'reversal', cents: 40 }, { kind: 'advice', cents: 60 }], status: 'authorized', hold: 60, counted: 60, event: 'authorized', moved: 60, flags: ['amount_advised'] },
  { name: 'an advice after a reversal and a capture all the same', steps: [A, { kind: 'reversal', cents: 100 }, { kind: 'capture', cents: 50, final: false }, { kind: 'advice', cents: 90 }], status: 'partially_captured', hold: 40, counted: 90, event: 'authorized', moved: 90, flags: ['captured_after_reversal', 'amount_advised'] },
  { name: 'an advice of less than was captured', steps: [A, { kind: 'capture', cents: 40, final: false }, { kind: 'advice', cents: 30 }], status: 'captured', hold: 0, counted: 40, event: 'authorized', moved: 30, flags: ['amount_advised'] },
  { name: 'an advice of nothing', steps: [A, { kind: 'advice', cents: 0 }], status: 'authorized', hold: 0, counted: 0, event: 'authorized', moved: 0, flags: ['amount_advised'] },
  { name: 'an advice that comes again after its reversal came first', steps: [{ kind: 'reversal', cents: 1 }, { kind: 'advice', cents: 1 }, { kind: 'advice', cents: 1 }], status: 'reversed', hold: 0, counted: 0, event: 'authorized', moved: 0, flags: ['reversed_before_authorization'] },
  { name: 'a capture of the least that expired', steps: [{ kind: 'authorize', cents: 1 }, { kind: 'expire' }, { kind: 'capture', cents: 1 }], status: 'captured', hold: 0, counted: 1, event: 'captured', moved: 1, flags: ['captured_after_expiry', 'final'] },
  { name: 'a capture of the least that was reversed', steps: [{ kind: 'authorize', cents: 1 }, { kind: 'reversal', cents: 1 }, { kind: 'capture', cents: 1 }], status: 'captured', hold: 0, counted: 1, event: 'captured', moved: 1, flags: ['captured_after_reversal', 'final'] },
  { name: 'a capture of the least that is held again after expiry', steps: [A, { kind: 'expire' }, { kind: 'advice', cents: 1 }, { kind: 'capture', cents: 1 }], status: 'captured', hold: 0, counted: 1, event: 'captured', moved: 1, flags: ['amount_advised', 'final'] },
  { name: 'a refund of more than the least captured', steps: [{ kind: 'authorize', cents: 1 }, { kind: 'capture', cents: 1 }, { kind: 'refund', cents: 2 }], status: 'refunded', hold: 0, counted: 1, event: 'refunded', moved: 2, flags: ['over_refunded', 'final'] },
  { name: 'a refund of the least after its capture was given back', steps: [A, { kind: 'capture', cents: 100 }, { kind: 'capture_reversal', cents: 100 }, { kind: 'refund', cents: 1 }], status: 'refunded', hold: 0, counted: 0, event: 'refunded', moved: 1, flags: ['over_refunded', 'final'] },
  { name: 'a capture of less than was given back before, and a part of it given back', steps: [{ kind: 'capture_reversal', cents: 30 }, { kind: 'capture', cents: 20 }, { kind: 'capture_reversal', cents: 5 }], status: 'captured', hold: 0, counted: 15, event: 'reversed', moved: 5, flags: ['force_post', 'final', 'reversal_before_original'] },
  { name: 'a refund reversal of more waits for a refund that covers it', steps: [{ kind: 'refund', cents: 10 }, { kind: 'refund_reversal', cents: 30 }], status: 'refunded', hold: 0, counted: 0, event: 'refunded', moved: 30, flags: ['unlinked', 'reversal_before_original'] },
  { name: 'a refund that names what has not come', steps: [NAMED], status: 'refunded', hold: 0, counted: 0, event: 'refunded', moved: 30, flags: ['unlinked', 'awaits_original'] },
  { name: 'a refund that names something, after one that did not', steps: [{ kind: 'refund', cents: 5 }, NAMED], status: 'refunded', hold: 0, counted: 0, event: 'refunded', moved: 30, flags: ['unlinked', 'awaits_original'] },
  { name: 'a refund that names something, after a capture taken back', steps: [{ kind: 'capture_reversal', cents: 5 }, NAMED], status: 'refunded', hold: 0, counted: 0, event: 'refunded', moved: 30, flags: ['reversal_before_original'] },
  { name: 'the authorization that a refund named', steps: [NAMED, A], status: 'refunded', hold: 100, counted: 100, event: 'authorized', moved: 100 },
  { name: 'the declined authorization that a refund named', steps: [NAMED, { kind: 'refuse' }], status: 'refunded', hold: 0, counted: 0, event: 'declined', moved: 0 },
  { name: 'the advice that a refund named', steps: [NAMED, { kind: 'advice', cents: 90 }], status: 'refunded', hold: 90, counted: 90, event: 'authorized', moved: 90 },
  { name: 'the declined advice that a refund named', steps: [NAMED, { kind: 'advice', cents: 90, approved: false }], status: 'refunded', hold: 0, counted: 0, event: 'declined', moved: 0 },
  { name: 'the capture that a refund named', steps: [NAMED, { kind: 'capture', cents: 100 }], status: 'partially_refunded', hold: 0, counted: 100, event: 'captured', moved: 100, flags: ['force_post', 'final'] },
  { name: 'authorization and capture of less than was refunded before', steps: [NAMED, A, { kind: 'capture', cents: 20 }], status: 'refunded', hold: 0, counted: 20, event: 'captured', moved: 20, flags: ['over_refunded', 'final'] },
  { name: 'a refund reversal that names what has not come', steps: [{ kind: 'refund_reversal', cents: 30, named: true }], status: 'reversed', hold: 0, counted: 0, event: 'refunded', moved: 30, flags: ['unlinked', 'awaits_original', 'reversal_before_original'] },
  { name: 'a reversal of what a refund named', steps: [NAMED, { kind: 'reversal', cents: 100 }], status: 'refunded', hold: 0, counted: 0, event: 'reversed', moved: 0, flags: ['unlinked', 'awaits_original', 'reversed_before_authorization'] },
  { name: 'the advice of what was refunded and reversed before', steps: [NAMED, { kind: 'reversal', cents: 100 }, { kind: 'advice', cents: 90 }], status: 'refunded', hold: 0, counted: 0, event: 'authorized', moved: 90, flags: ['reversed_before_authorization'] },
  { name: 'a refund reversal before its refund', steps: [{ kind: 'refund_reversal', cents: 30 }], status: 'reversed', hold: 0, counted: 0, event: 'refunded', moved: 30, flags: ['unlinked', 'reversal_before_original'] },
]

for (const row of TABLE) {
  test(row.name, (t) => {
    const { transaction, changes } = play(row.steps)
    const last = changes.at(-1)
    if (transaction === null || last === undefined) throw new Error('nothing happened')
    t.equal(transactionStatus(transaction.sums, transaction.flags), row.status)
    t.equal(openHold(transaction.sums), row.hold)
    t.equal(countedAmount(transaction.sums), row.counted)
    t.equal(last.event, row.event)
    t.equal(last.amountCents, row.moved)
    t.same(flagNames(transaction.flags).sort(), [...(row.flags ?? [])].sort())
    t.equal(transaction.holdExpiresAtMs, row.hold > 0 ? END_MS : 0, 'a hold ends, no hold does not')
    t.end()
  })
}

/** Sums that are not 0. */
function sumsAfter(...steps: readonly Step[]): Partial<Sums> {
  const { transaction } = play(steps)
  const sums = Object.entries(transaction?.sums ?? {})
  return Object.fromEntries(sums.filter(([, sum]) => sum !== 0))
}

test('a message moves its own sum and its consequences, nothing else', (t) => {
  const final: Step = { kind: 'capture', cents: 40 }
  const part: Step = { kind: 'capture', cents: 40, final: false }
  const given: Step = { kind: 'refund', cents: 15 }
  t.same(sumsAfter(A), { authorized: 100 })
  t.same(sumsAfter({ kind: 'authorize', cents: 5, hold: 9 }), { authorized: 5, adjusted: 4 })
  t.same(sumsAfter(A, { kind: 'increment', cents: 7, hold: 9 }), {
    authorized: 100,
    incremented: 7,
    adjusted: 2,
  })
  t.same(sumsAfter(A, part), { authorized: 100, captured: 40 })
  t.same(sumsAfter(A, final), { authorized: 100, captured: 40, released: 60 })
  t.same(sumsAfter(A, part, final), { authorized: 100, captured: 80, released: 20 })
  t.same(sumsAfter(final), { captured: 40 })
  t.same(sumsAfter({ kind: 'refuse' }, final), { captured: 40 })
  t.same(sumsAfter(final, A), { authorized: 100, captured: 40, released: 60 })
  t.same(sumsAfter(part, A), { authorized: 100, captured: 40 })
  t.same(sumsAfter(A, { kind: 'reversal', cents: 30 }), { authorized: 100, reversed: 30 })
  t.same(sumsAfter({ kind: 'reversal', cents: 30 }), {})
  t.same(sumsAfter(A, part, { kind: 'expire' }), { authorized: 100, captured: 40, expired: 60 })
  t.same(sumsAfter(final, { kind: 'capture_reversal', cents: 30 }), {
    captured: 40,
    captureReversed: 30,
  })
  t.same(sumsAfter(given, { kind: 'refund_reversal', cents: 5 }), {
    refunded: 15,
    refundReversed: 5,
  })
  t.same(sumsAfter(A, { kind: 'advice', cents: 60 }), { authorized: 100, adjusted: -40 })
  t.same(sumsAfter(A, part, { kind: 'advice', cents: 60 }), {
    authorized: 100,
    captured: 40,
    adjusted: -40,
  })
  t.same(sumsAfter({ kind: 'reversal', cents: 9 }, { kind: 'advice', cents: 9 }), {
    authorized: 9,
    reversed: 9,
  })
  t.end()
})

test('reversals add up as far as their originals cover them', (t) => {
  const back = (cents: number): Step => ({ kind: 'capture_reversal', cents })
  t.same(sumsAfter({ kind: 'capture', cents: 40 }, back(30), back(30)), {
    captured: 40,
    captureReversed: 30,
  })
  t.same(sumsAfter(back(30), back(30)), {})
  t.same(sumsAfter(back(30), back(30), { kind: 'capture', cents: 60 }), {
    captured: 60,
    captureReversed: 60,
  })
  t.same(sumsAfter(back(30), { kind: 'capture', cents: 20 }, back(5)), {
    captured: 20,
    captureReversed: 5,
  })
  const taken = (cents: number): Step => ({ kind: 'refund_reversal', cents })
  t.same(
    sumsAfter({ kind: 'refund', cents: 10 }, { kind: 'refund', cents: 5 }, taken(9), taken(9)),
    {
      refunded: 15,
      refundReversed: 9,
    },
  )
  t.same(sumsAfter(taken(9), taken(9)), {})
  t.same(sumsAfter(taken(9), { kind: 'refund', cents: 5 }, { kind: 'refund', cents: 4 }), {
    refunded: 9,
    refundReversed: 9,
  })
  t.end()
})

test('an incomplete advice approves, and a hold without an end ends at once', (t) => {
  const silent = judgedConfig({ message: { kind: 'advice', advice: null } }).message
  const notification = { message: silent, amountCents: 70, holdExpiresAtMs: END_MS }
  t.equal(notificationChange('advice', null, notification).event, 'authorized')
  const open = {
    event: 'authorized' as const,
    amountCents: 1,
    sums: { ...noSums(), authorized: 1 },
  }
  t.equal(changed(null, open).holdExpiresAtMs, 0)
  t.end()
})

const cents = fc.integer({ min: 0, max: 200 })
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('authorize' as const, 'increment' as const), cents }),
  fc.record({ kind: fc.constantFrom('refuse' as const, 'expire' as const) }),
  fc.record({
    kind: fc.constantFrom<NotificationKind>(
      'advice',
      'reversal',
      'capture',
      'refund',
      'capture_reversal',
      'refund_reversal',
    ),
    cents,
    final: fc.boolean(),
    approved: fc.boolean(),
  }),
)

test('no order of messages gives a negative sum, and a decline uses nothing', (t) => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
      let transaction: TransactionState | null = null
      let givenBack = 0
      for (const step of steps) {
        const change = changeBy(transaction, step)
        if (change === null) continue
        const next = effectOf(LINK, transaction, change)
        const negative = SUM_NAMES.filter((name) => name !== 'adjusted' && next.sums[name] < 0)
        if (negative.length > 0 || openHold(next.sums) < 0 || change.amountCents < 0) return false
        if (openHold(next.sums) > 0 !== next.holdExpiresAtMs > 0) return false
        if (next.sequence !== (transaction?.sequence ?? 0) + 1) return false
        const before: number = transaction === null ? 0 : countedAmount(transaction.sums)
        if (step.kind === 'capture_reversal') givenBack += step.cents
        const { captured, captureReversed, refunded, refundReversed } = next.sums
        if (captureReversed > captured || refundReversed > refunded) return false
        const left = openHold(next.sums) + Math.max(0, captured - givenBack)
        if (countedAmount(next.sums) < left) return false
        if (change.event === 'declined' && countedAmount(next.sums) !== before) return false
        if (change.event === 'reversed' && countedAmount(next.sums) > before) return false
        if (change.event === 'refunded' && countedAmount(next.sums) !== before) return false
        transaction = next
      }
      return true
    }),
    { numRuns: 2000 },
  )
  t.end()
})

test('a transaction has only refunds until a capture reversal waits in it', (t) => {
  const { unlinked: flags } = TRANSACTION_FLAGS
  t.equal(hasOnlyRefunds({ flags, early: null }), true)
  t.equal(hasOnlyRefunds({ flags: 0, early: null }), false)
  t.equal(hasOnlyRefunds({ flags, early: { capture: 1, refund: 0 } }), false)
  t.equal(hasOnlyRefunds({ flags, early: { capture: 0, refund: 1 } }), true)
  t.end()
})
/** Messages of one transaction, and the earlier messages that each needs. */
interface History {
  steps: Step[]
  after: number[]
}

const histories: fc.Arbitrary<History> = fc
  .record({
    captures: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 4 }),
    reversals: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 }),
    increments: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 }),
    refunds: fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 3 }),
    back: fc.boolean(),
  })
  .map(({ captures, reversals, increments, refunds, back }) => {
    // The authorized amount exceeds all captures and reversals, so that messages in any order meet
    // the same hold.
    const steps: Step[] = [{ kind: 'authorize', cents: 1000 }]
    const after: number[] = [-1]
    const add = (step: Step, needs: number): number => {
      after.push(needs)
      return steps.push(step) - 1
    }
    for (const cents of increments) add({ kind: 'increment', cents }, 0)
    for (const cents of reversals) add({ kind: 'reversal', cents }, 0)
    for (const cents of captures) {
      add({ kind: 'capture', cents, final: false }, -1)
      if (back) add({ kind: 'capture_reversal', cents: backOf(cents) }, -1)
    }
    for (const cents of refunds) {
      add({ kind: 'refund', cents, named: true }, -1)
      if (back) add({ kind: 'refund_reversal', cents, named: true }, -1)
    }
    return { steps, after }
  })

/** Some captures are reversed whole, others in part. */
function backOf(cents: number): number {
  return cents % 2 === 0 ? cents : Math.ceil(cents / 2)
}

/**
 * The messages in an order in which each follows those it needs; `dice` chooses among the allowed
 * ones.
 */
function reordered({ steps, after }: History, dice: readonly number[]): Step[] {
  const done = new Set<number>([-1])
  const order: Step[] = []
  for (let index = 0; order.length < steps.length; index++) {
    const free = steps.flatMap((_, at) => (!done.has(at) && done.has(after[at] ?? -1) ? [at] : []))
    const at = free[(dice[index % dice.length] ?? 0) % free.length] as number
    done.add(at)
    order.push(steps[at] as Step)
  }
  return order
}

/** The result: the sums, the status, and whether refunds stand alone. */
function endOf(order: readonly Step[]) {
  const { transaction } = play(order)
  if (transaction === null) throw new Error('nothing happened')
  const { sums, flags } = transaction
  return { sums, status: transactionStatus(sums, flags), alone: flags & ONLY_REFUNDS }
}

test('every order that causality allows ends in the same sums and status', (t) => {
  const diceRolls = fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(histories, diceRolls, (history, dice) => {
      const end = endOf(history.steps)
      t.equal(end.alone, 0)
      t.same(endOf(reordered(history, dice)), end)
    }),
    { numRuns: 1000 },
  )
  t.end()
})

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 10, 20, 12, 30)

function days(message: Partial<MessageRecord>, program: Partial<ProgramConfig> = {}): number {
  const judged = judgedConfig({ message, program })
  const end = holdEnd(judged.message, judged.program, NOW_MS)
  if (end % HOUR_MS !== 0) throw new Error('a hold ends on the full hour')
  return Math.floor((end - NOW_MS) / HOUR_MS) / 24
}

test('the length of a hold depends on business, network, initiator and presence', (t) => {
  t.equal(days({ entryMethod: 'chip' }), 5)
  t.equal(days({ entryMethod: 'online' }), 7)
  t.equal(days({ entryMethod: 'stored_credential', initiator: 'merchant' }), 5)
  t.equal(days({ mcc: '5542' }), 2)
  for (const mcc of ['7011', '3501', '3999', '4411', '7512', '7519', '3351', '3441'])
    t.equal(days({ mcc }), 30, mcc)
  t.equal(days({ network: 'mastercard', final: true }), 7)
  t.equal(days({ network: 'mastercard', final: false }), 30)
  t.end()
})

test('rows of the program come first, the first match counts, within 1 and 35 days', (t) => {
  const row = (change: Partial<HoldExpiry>): HoldExpiry => ({
    mccs: null,
    card_present: null,
    initiator: null,
    hours: 100,
    ...change,
  })
  const hold_expiry = [
    row({ mccs: ['5812'], hours: 48 }),
    row({ card_present: false, initiator: 'merchant', hours: 1 }),
    row({ card_present: false, hours: 9999 }),
  ]
  t.equal(days({ mcc: '5812', entryMethod: 'online' }, { hold_expiry }), 2)
  t.equal(days({ entryMethod: 'online', initiator: 'merchant' }, { hold_expiry }), 1)
  t.equal(days({ entryMethod: 'online' }, { hold_expiry }), 35)
  t.equal(days({ entryMethod: 'chip' }, { hold_expiry }), 5, 'no row is meant')
  t.end()
})

test('an unconverted capture clears the decline, an original the refund flags, others no flag', (t) => {
  const transaction = effectOf(LINK, null, refused(null))
  for (const flags of [transaction.flags, 0xffff]) {
    const left = (kind: NotificationKind): number =>
      unconverted(kind, { ...transaction, flags }, false).flags & flags & ~EXCESSES
    for (const kind of ['reversal', 'refund', 'refund_reversal', 'capture_reversal'] as const)
      t.equal(left(kind), flags & ~EXCESSES)
    t.equal(left('advice'), flags & ~EXCESSES & ~ONLY_REFUNDS)
    t.equal(left('capture'), flags & ~EXCESSES & ~ONLY_REFUNDS & ~TRANSACTION_FLAGS.declined)
  }
  for (const kind of ['refund', 'refund_reversal'] as const)
    t.same(flagNames(unconverted(kind, null, true).flags).sort(), [
      'awaits_original',
      'unconverted',
      'unlinked',
    ])
  t.notOk(flagNames(unconverted('capture', transaction, false).flags).includes('declined'))
  t.end()
})
