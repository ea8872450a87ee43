// The engine's answer to a message about a payment, as a value: also where the engine is away.
import type { DecideAnswer } from '../../shared/wire/control.ts'
import { type DecisionEntry, decodeEntry } from '../../shared/wire/journal-entry.ts'
import { EngineError } from './engine-error.ts'

/**
 * `decided`: the entry is durable, and the drain brings the same one. `recalled`: an earlier call
 * was decided under this id, and the drain brings its entry or has brought it. `away`: the engine
 * is down, decides nothing or does not know the account yet; the message may have been decided all
 * the same, so the caller asks again under the same id.
 */
export type PaymentDecision =
  | { state: 'decided'; entry: DecisionEntry }
  | { state: 'recalled'; approved: boolean; declineReason: string | null }
  | { state: 'away' }

const MISTAKES: ReadonlySet<number> = new Set([400, 422])

/** Rejects only for a mistake of the caller. */
export async function paymentDecision(ask: () => Promise<DecideAnswer>): Promise<PaymentDecision> {
  try {
    return decisionOf(await ask())
  } catch (error) {
    if (error instanceof EngineError && !MISTAKES.has(error.status)) return { state: 'away' }
    throw error
  }
}

function decisionOf(answer: DecideAnswer): PaymentDecision {
  if (answer.state === 'recalled')
    return { state: 'recalled', approved: answer.approved, declineReason: answer.decline_reason }
  const entry = decodeEntry(answer.entry)
  if (entry.kind !== 'decision') throw new Error('the engine answered with another entry')
  return { state: 'decided', entry }
}
