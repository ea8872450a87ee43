// Files a dispute of a captured amount. Spec 6.2, dispute.created.
import type { Dispute, DisputeReason } from '../../../shared/schemas/dispute.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import { requireState } from '../../write/move.ts'
import { requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { DISPUTABLE_IN } from './states.ts'
import { type Disputable, insertDispute, lockDisputable } from './store.ts'
import { disputeView } from './view.ts'

/** Chosen: a response is awaited this long after a dispute was filed. */
const RESPONSE_MS = 30 * 86_400_000

interface DisputeInput {
  transactionId: string
  /** Minor units of the card's currency; null for the whole rest. */
  amountCents: number | null
  reason: DisputeReason
  explanation: string | null
  externalId: string | null
  metadata: Metadata
}

/**
 * Chosen: all open and won disputes of a transaction together stay within the amount captured and
 * not refunded when the last of them was filed; the sums of the transaction remain those of the
 * network's messages.
 */
export async function createDispute(context: Context, input: DisputeInput): Promise<Dispute> {
  const { principal, now } = context
  const { transactionId, reason, explanation, externalId, metadata } = input
  return write(context, async (sql) => {
    const id = context.newId('dsp')
    await requireFreeExternalId(sql, principal, { table: 'disputes', externalId, id })
    const transaction = await lockDisputable(sql, principal, transactionId)
    if (transaction === null) throw new Refusal('resource_missing', { param: 'transaction_id' })
    const { cardId, cardholderId, currency } = transaction
    const dispute = disputeView(
      await insertDispute(sql, principal, {
        id,
        transactionId,
        cardId,
        cardholderId,
        amountCents: amountOf(transaction, input.amountCents),
        currency,
        reason,
        explanation,
        status: 'needs_response',
        evidenceDueBy: now + RESPONSE_MS,
        externalId,
        metadata,
        createdAt: now,
      }),
    )
    const { tenantId, environment } = principal
    const told = { type: 'dispute.created', data: { dispute }, resourceId: id, now } as const
    await recordEvent(sql, { tenantId, environment, ...told })
    return dispute
  })
}

function amountOf({ status, disputableCents }: Disputable, asked: number | null): number {
  requireState(status, DISPUTABLE_IN)
  const left = Math.max(0, disputableCents)
  const amount = asked ?? left
  if (amount > 0 && amount <= left) return amount
  throw new Refusal('amount_not_disputable', {
    param: 'amount_cents',
    extra: { disputable_cents: left },
  })
}
