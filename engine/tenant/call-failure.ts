// The reason a call brought no reply: an outcome and a short hint for people.
import type { TenantOutcome } from '../../shared/wire/journal-entry.ts'

export interface CallFailure {
  outcome: TenantOutcome
  hint: string | null
}

const HINT_CHARACTERS_MAX = 64

/** Failure while connecting. `duringHandshake`: TCP was connected and TLS was not yet. */
export function connectFailure(error: unknown, duringHandshake: boolean): CallFailure {
  const hint = hintOf(error)
  return {
    outcome: duringHandshake && !isSocketCode(hint) ? 'tls_error' : 'connection_error',
    hint,
  }
}

/** Failure while waiting for the reply or reading it. */
export function exchangeFailure(error: unknown): CallFailure {
  const hint = hintOf(error)
  if (hint === 'UND_ERR_HEADERS_OVERFLOW') return { outcome: 'oversized', hint }
  const tls = hint.startsWith('ERR_SSL') || hint.startsWith('ERR_TLS')
  return { outcome: tls ? 'tls_error' : 'connection_error', hint }
}

/** True if the other side closed the connection, politely or not. */
export function isReset(error: unknown): boolean {
  const code = hintOf(error)
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
}

function isSocketCode(code: string): boolean {
  // Errors of the operating system, such as ECONNRESET; TLS errors are ERR_SSL_… or names like
  // CERT_HAS_EXPIRED.
  return /^E[A-Z0-9]+$/.test(code) || code.startsWith('UND_ERR')
}

/**
 * Returns the code if there is one, never a message: messages can carry bytes from the other side.
 */
function hintOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code === 'string' && code !== '') return code.slice(0, HINT_CHARACTERS_MAX)
  return error instanceof Error ? error.name : 'unknown'
}
