// Messages of the network of payments: they go through the authorization line as those of every
// network, and the answer carries the journal entry.
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import type { DecideAnswer, PaymentMessage } from '../../shared/wire/control.ts'
import { encodeEntry } from '../../shared/wire/journal-entry.ts'
import type { AuthorizationLine } from '../authorize.ts'
import type { Line } from '../line/line.ts'

/** The reason for a missing decision, with the status of the refusal. */
export interface Undecided {
  status: 400 | 422 | 503
  error: string
}

/**
 * Resolves when the entry of the message is synced; a message that was decided before is recalled.
 * Never rejects: a refusal of the line is a value, and nothing is stored then.
 */
export function decide(
  line: Line,
  authorization: AuthorizationLine,
  payment: PaymentMessage,
): Promise<DecideAnswer | Undecided> {
  return new Promise((resolve) => {
    let entry: Uint8Array | null = null
    const receivedAtMs = line.clock.nowMs()
    authorization.authorize({
      environment: payment.environment,
      wire: wireOf(payment, receivedAtMs),
      holdExpiresAtMs: payment.hold_expires_at_ms,
      receivedAtMs,
      receivedNs: line.clock.monotonicNs(),
      reply: {
        decided(decision) {
          entry = encodeEntry(decision)
        },
        send(status, body) {
          resolve(entry === null ? withoutEntry(status, body) : { state: 'decided', entry })
        },
      },
    })
  })
}

/** Never stale: a repeat may come long after the first try. */
function wireOf(payment: PaymentMessage, receivedAtMs: number): NetworkMessage {
  return {
    id: payment.id,
    kind: payment.kind,
    transmitted_at: new Date(receivedAtMs).toISOString(),
    network_transaction_id: payment.payment_id,
    card: { token: payment.payment_account_id },
    amount_cents: payment.amount_cents,
    currency: 'USD',
    merchant: { ...payment.merchant, city: '' },
    entry_method: 'stored_credential',
    final: payment.final,
  }
}

function withoutEntry(status: number, body: string): DecideAnswer | Undecided {
  const answer = JSON.parse(body) as { [field: string]: unknown }
  if (status !== 200) {
    const error = String((answer['error'] as { message?: unknown } | undefined)?.message ?? body)
    return { status: status === 400 ? 400 : 503, error }
  }
  const reason = answer['decline_reason']
  if (reason === 'duplicate_mismatch') return { status: 422, error: 'another message has this id' }
  return {
    state: 'recalled',
    approved: answer['approved'] === true,
    decline_reason: typeof reason === 'string' ? reason : null,
  }
}
