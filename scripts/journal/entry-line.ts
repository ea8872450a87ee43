// One journal entry as one line for people. There is no PAN, expiry or CVC in an entry.
import { isoInstant } from '../../shared/clock.ts'
import {
  type DecisionEntry,
  decodeEntry,
  type JournalEntry,
  type LateReplyEntry,
} from '../../shared/wire/journal-entry.ts'

/**
 * `12 2026-11-20T06:00:00.000Z txn_… approved 1250 EUR tenant`. Throws on bytes this version cannot
 * read.
 */
export function entryLine(seq: number, bytes: Buffer): string {
  const entry = decodeEntry(bytes)
  return [String(seq), ...wordsOf(entry)].join('  ')
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
  const effect = 'effect' in entry && entry.effect !== null ? entry.effect : null
  if (effect !== null)
    Object.assign(plain, { effect: { ...effect, link: effect.link.toString('hex') } })
  return JSON.stringify({ seq, ...plain })
}

function wordsOf(entry: JournalEntry): string[] {
  switch (entry.kind) {
    case 'decision':
      return decisionWords(entry)
    case 'late_reply':
      return lateReplyWords(entry)
    case 'expiry':
      return [isoInstant(entry.expiredAtMs), entry.transactionId, 'hold expired']
    case 'card_suspension':
      return [isoInstant(entry.suspendedAtMs), entry.cardId, 'suspended by ' + entry.rule]
  }
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
    entry.requestId,
  ]
}
