// A purchase that is captured, for stories about its later life.
import { type Document, valueAt } from './api.ts'
import type { Stage } from './stage.ts'

export interface Purchase {
  transactionId: string
  /** The network's id of the capture. */
  captureId: string
  network: string
  /** The time of the capture, in Unix seconds. */
  capturedAt: number
  currency: string
}

/** Authorizes and captures; waits until both are recorded. Throws where they are not. */
export async function capturedPurchase(stage: Stage, amountCents: number): Promise<Purchase> {
  const card = stage.card('scenario_plain')
  const first = stage.message(card, { amount_cents: amountCents })
  const { answer } = await stage.send(first)
  const { network_transaction_id: original } = first
  const capture = stage.message(card, {
    kind: 'capture',
    amount_cents: amountCents,
    network_transaction_id: original,
  })
  await stage.send(capture)
  const transactionId = String(answer?.transaction_id)
  const isCaptured = (transaction: Document): boolean => transaction['status'] === 'captured'
  const transaction = await stage.api.transaction(transactionId, isCaptured)
  stage.check('purchase', { status: 'captured', disputes: [] }, transaction)
  const captures = valueAt(transaction, 'captures')
  const captured = Array.isArray(captures) ? captures[0] : null
  return {
    transactionId,
    captureId: capture.id,
    network: String(valueAt(transaction, 'message', 'network')),
    capturedAt: Number(valueAt(captured, 'created')),
    currency: card.currency,
  }
}
