// Writes a decision as the rows that journal-entry.ts reads: field by field in the order of its
// tables, because the journal has one such entry per message. A property test checks that both
// agree.
import type { Sums } from '../transaction-sums.ts'
import type {
  CardRecord,
  Decision,
  DecisionEntry,
  Effect,
  MessageRecord,
  Timings,
} from './decision-record.ts'
import { MsgpackWriter } from './msgpack-writer.ts'

/**
 * Parts that the entries of one card have in common, with their bytes. Neither may change
 * afterwards.
 */
export interface PackedParts {
  readonly card: CardRecord
  readonly cardBytes: Uint8Array
  readonly meters: Decision['meters']
  readonly metersBytes: Uint8Array
}

const partWriter = new MsgpackWriter()

/** The bytes of a card and of the windows that most of its messages count in. */
export function packParts(card: CardRecord, meters: Decision['meters']): PackedParts {
  partWriter.begin()
  writeCard(partWriter, card)
  // Memory of their own: a piece of the pool that buffers share would keep all of it as long as the
  // card is known.
  const cardBytes = new Uint8Array(partWriter.written())
  partWriter.begin()
  partWriter.values(meters)
  return { card, cardBytes, meters, metersBytes: new Uint8Array(partWriter.written()) }
}

/**
 * Writes head, message, card, decision, tenant, timings and effect. The bytes of a common part are
 * copied.
 */
export function writeDecision(
  writer: MsgpackWriter,
  entry: DecisionEntry,
  parts: PackedParts | null,
): void {
  const { decision } = entry
  writeHead(writer, entry)
  writeMessage(writer, entry.message)
  if (entry.card === null) writer.nothing()
  else if (parts !== null && parts.card === entry.card) writer.packed(parts.cardBytes)
  else writeCard(writer, entry.card)
  writeVerdict(writer, decision, parts)
  if (decision.tenant === null) writer.nothing()
  else writeTenant(writer, decision.tenant)
  writeTimings(writer, decision.timings)
  if (entry.effect === null) writer.nothing()
  else writeEffect(writer, entry.effect)
}

function writeHead(writer: MsgpackWriter, entry: DecisionEntry): void {
  writer.array(19)
  writer.binary(entry.messageKey)
  writer.binary(entry.contentHash)
  writer.textOrNothing(entry.transactionId)
  writer.text(entry.requestId)
  writer.text(entry.environment)
  writer.number(entry.receivedAtMs)
  writer.number(entry.budgetMs)
  writer.text(entry.cvc)
  writer.text(entry.expiry)
  writer.rows(entry.trace)
  writer.text(entry.build)
  writer.text(entry.pin)
  writer.text(entry.threeDs)
  writer.textOrNothing(entry.walletToken)
  writer.number(entry.cardAmountCents)
  writer.value(entry.fx)
  writer.number(entry.judgedSeq)
  writer.number(entry.judgedOrder)
  writer.number(entry.clockOffsetMs)
}

function writeMessage(writer: MsgpackWriter, message: MessageRecord): void {
  writer.array(32)
  writer.text(message.id)
  writer.text(message.kind)
  writer.text(message.network)
  writer.text(message.networkTransactionId)
  writer.number(message.transmittedAtMs)
  writer.number(message.amountCents)
  writer.text(message.currency)
  writer.text(message.merchantId)
  writer.text(message.merchantName)
  writer.text(message.mcc)
  writer.text(message.city)
  writer.text(message.country)
  writer.text(message.entryMethod)
  writer.flag(message.partialApprovalCapable)
  writer.text(message.originalNetworkTransactionId)
  writer.text(message.transactionType)
  writer.flag(message.final)
  writer.text(message.initiator)
  writer.flag(message.recurring)
  writer.flag(message.fallbackFromChip)
  writer.numberOrNothing(message.billingAmountCents)
  writer.textOrNothing(message.billingCurrency)
  writer.textOrNothing(message.billingRate)
  writer.number(message.cashbackCents)
  writer.number(message.feeCents)
  writer.value(message.advice)
  writer.textOrNothing(message.walletProvider)
  writer.textOrNothing(message.walletTokenId)
  writer.textOrNothing(message.threeDsId)
  writer.textOrNothing(message.threeDsClaim)
  writer.flag(message.isRepeat)
  writer.numberOrNothing(message.holdExpiresAtMs)
}

function writeCard(writer: MsgpackWriter, card: CardRecord): void {
  writer.array(14)
  writer.text(card.tenantId)
  writer.text(card.programId)
  writer.number(card.programVersion)
  writer.text(card.cardholderId)
  writer.number(card.cardholderVersion)
  writer.text(card.cardholderStatus)
  writer.text(card.cardId)
  writer.number(card.cardVersion)
  writer.text(card.cardStatus)
  writer.text(card.cardType)
  writer.text(card.last4)
  writer.text(card.currency)
  writer.values(card.controlVersions)
  writer.text(card.windowsId)
}

function writeVerdict(writer: MsgpackWriter, decision: Decision, parts: PackedParts | null): void {
  writer.array(19)
  writer.flag(decision.approved)
  writer.number(decision.approvedAmountCents)
  writer.text(decision.responseCode)
  writer.textOrNothing(decision.authorizationCode)
  writer.textOrNothing(decision.declineReason)
  writer.textOrNothing(decision.declineDetail)
  writer.text(decision.decidedBy)
  writer.flag(decision.standIn)
  writer.number(decision.decidedAtMs)
  if (parts !== null && parts.meters === decision.meters) writer.packed(parts.metersBytes)
  else writer.values(decision.meters)
  writer.number(decision.holdCents)
  writer.numberOrNothing(decision.availableCents)
  writer.textOrNothing(decision.standInCap)
  writer.value(decision.standInWould)
  writer.textOrNothing(decision.breaker)
  writer.values(decision.shadow)
  writer.values(decision.marks)
  writer.values(decision.wouldStop)
  writer.numberOrNothing(decision.standInPolicyVersion)
}

function writeTenant(writer: MsgpackWriter, tenant: NonNullable<Decision['tenant']>): void {
  writer.array(10)
  writer.text(tenant.outcome)
  writer.textOrNothing(tenant.endpointId)
  writer.numberOrNothing(tenant.httpStatus)
  writer.numberOrNothing(tenant.latencyMs)
  writer.number(tenant.attempts)
  writer.textOrNothing(tenant.errorHint)
  writer.textOrNothing(tenant.reason)
  writer.numberOrNothing(tenant.approvedAmountCents)
  writer.value(tenant.metadata)
  writer.values(tenant.dropped)
}

function writeTimings(writer: MsgpackWriter, timings: Timings): void {
  writer.array(10)
  writer.number(timings.parse)
  writer.number(timings.recall)
  writer.number(timings.state_read)
  writer.number(timings.controls)
  writer.number(timings.reserve)
  writer.number(timings.sign)
  writer.number(timings.connect)
  writer.number(timings.tenant_wait)
  writer.number(timings.finalize)
  writer.number(timings.total)
}

function writeEffect(writer: MsgpackWriter, effect: Effect): void {
  writer.array(2)
  writer.array(7)
  writer.binary(effect.link)
  writer.number(effect.sequence)
  writer.text(effect.event)
  writer.number(effect.amountCents)
  writer.number(effect.flags)
  writer.number(effect.holdExpiresAtMs)
  writer.value(effect.early)
  writeSums(writer, effect.sums)
}

function writeSums(writer: MsgpackWriter, sums: Sums): void {
  writer.array(10)
  writer.number(sums.authorized)
  writer.number(sums.incremented)
  writer.number(sums.adjusted)
  writer.number(sums.reversed)
  writer.number(sums.expired)
  writer.number(sums.released)
  writer.number(sums.captured)
  writer.number(sums.captureReversed)
  writer.number(sums.refunded)
  writer.number(sums.refundReversed)
}
