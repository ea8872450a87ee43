// Maps an answer of Google's to an outcome: done, later, or refused.
import type { OutsideAnswer } from '../../../http/outside-caller.ts'
import { type PushOutcome, retryAfterMs } from '../pushes.ts'

/** The reason is Google's own error word, if any: of the wallet API or of the token endpoint. */
export function outcomeOf({ status, headers, body }: OutsideAnswer): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'taken' }
  const reason = reasonIn(body) ?? 'http_' + status
  if (status === 429 || status >= 500)
    return { kind: 'later', reason, afterMs: retryAfterMs(headers['retry-after']) }
  return { kind: 'refused', reason }
}

/**
 * Both forms: `{error: "invalid_grant"}` and `{error: {status, errors: [{reason}]}}`. The reason is
 * only a word, never a sentence.
 */
function reasonIn(body: unknown): string | null {
  const error = member(body, 'error')
  const errors = member(error, 'errors')
  const first = Array.isArray(errors) ? member(errors[0], 'reason') : undefined
  return [first, member(error, 'status'), error].find(isWord) ?? null
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^\w{1,64}$/.test(value)
}
