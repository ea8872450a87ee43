// Hundreds of thousands of approvals, written into a journal as an engine would write them.
import { mkdirSync } from 'node:fs'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { calendarDay } from '../../engine/state/calendar.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { noSums } from '../../shared/transaction-sums.ts'
import {
  type CardRecord,
  encodeEntry,
  type MeterKey,
  transactionLink,
} from '../../shared/wire/journal-entry.ts'
import { decisionEntry } from '../harness/entries.ts'

const SEGMENT_BYTES = 256 * 1024 * 1024
const WAITING_MAX = 4000
const LOOK_EVERY = 2000
const HOLD_MS = 7 * 86_400_000
const CENTS = 1250

export interface ApprovalPlace {
  /** Null: the card is unknown, therefore the entry drains as an unmatched message. */
  card: CardRecord | null
  /** The subjects in whose windows it counts. */
  subjects: readonly string[]
}

/** Writes `count` approvals of 12.50 at the present time, each with its own transaction. */
export async function writeApprovals(
  directory: string,
  count: number,
  placeOf: (index: number) => ApprovalPlace,
  segmentBytes = SEGMENT_BYTES,
): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const opened = await openSegmentLog({
    directory,
    segmentBytes,
    clock: systemClock,
    events: {
      onSynced: () => undefined,
      onFailed: (reason) => {
        throw new Error(reason)
      },
    },
  })
  if ('refused' in opened) throw new Error(opened.refused)
  const now = systemClock.nowMs()
  const day = calendarDay('UTC', now).label
  for (let index = 0; index < count; index++) {
    const { card, subjects } = placeOf(index)
    const meters = subjects.map((subject): MeterKey => [subject, 'UTC', 'USD', day])
    opened.log.append(approval(index, { card, meters, now }))
    if (index % LOOK_EVERY === LOOK_EVERY - 1)
      while (opened.log.waiting > WAITING_MAX || !opened.log.writable) await sleep(1)
  }
  await opened.log.close()
}

function approval(
  index: number,
  made: { card: CardRecord | null; meters: readonly MeterKey[]; now: number },
): Buffer {
  const transactionId = newId('txn', made.now)
  const id = newId('msg', made.now)
  const entry = decisionEntry({
    receivedAtMs: made.now,
    card: made.card,
    transactionId,
    messageKey: keyOf(index),
    effect: {
      // Link names spread like a network's ids: ids of one moment begin alike, and would all fall
      // into one table of the index.
      link: transactionLink('sandbox', 'simnet', made.card?.cardId ?? '', 'n' + id),
      sequence: 1,
      event: 'authorized',
      amountCents: CENTS,
      sums: { ...noSums(), authorized: CENTS },
      flags: 0,
      holdExpiresAtMs: made.now + HOLD_MS,
      early: null,
    },
  })
  entry.message = {
    ...entry.message,
    id,
    networkTransactionId: 'n' + id,
    originalNetworkTransactionId: 'n' + id,
  }
  entry.decision = { ...entry.decision, meters: made.meters }
  return encodeEntry(entry)
}

function keyOf(index: number): Buffer {
  const key = Buffer.alloc(16)
  key.writeUInt32BE(index, 0)
  key.writeUInt32BE(Math.imul(index, 0x9e3779b1) >>> 0, 4)
  return key
}
