// One journal entry as one line for people. There is no PAN, expiry or CVC in an entry.
import { isoInstant } from '../../shared/clock.ts'
import {
  type DecisionEntry,
  decodeEntry,
  type LateReplyEntry,
} from '../../shared/wire/journal-entry.ts'

/** `12  2026-11-20T06:00:00.000Z  txn_…  approved 1250 EUR  tenant`. Throws on bytes this version cannot read. */
export function entryLine(seq: number, bytes: Buffer): string {
  const entry = decodeEntry(bytes)
  const words = entry.kind === 'decision' ? decisionWords(entry) : lateReplyWords(entry)
  return [String(seq), ...words].join('  ')
}

/** The same entry as JSON; keys and hashes as hex. */
export function entryJson(seq: number, bytes: Buffer): string {
  const entry = decodeEntry(bytes)
  const plain =
    entry.kind === 'decision'
      ? {
          ...entry,
          messageKey: entry.messageKey.toString('hex'),
          contentHash: entry.contentHash.toString('hex'),
        }
      : entry
  return JSON.stringify({ seq, ...plain })
}

function decisionWords(entry: DecisionEntry): string[] {
  const { message, decision } = entry
  const verdict = decision.approved
    ? 'approved ' + decision.approvedAmountCents
    : 'declined ' + message.amountCents
  return [
    isoInstant(decision.decidedAtMs),
    entry.transactionId ?? '(no card)',
    verdict + ' ' + message.currency,
    decision.declineReason ?? '',
    decision.decidedBy + (decision.standIn ? ', stand-in' : ''),
    message.id,
  ].filter((word) => word !== '')
}

function lateReplyWords(entry: LateReplyEntry): string[] {
  return [
    isoInstant(entry.repliedAtMs),
    entry.transactionId,
    entry.outcome + ' after ' + entry.latencyMs + ' ms',
    entry.disagrees ? 'disagrees' : 'agrees',
  ]
}
