// Error of a request → the word in the attempt log.
import errors from 'undici/lib/core/errors.js'
import { ConnectRefusal, HandshakeFailure } from '../../http/vetted-connector.ts'
import type { ErrorClass } from './delivery.ts'

/** The attempt took longer than allowed. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent'
}

const ERROR_CLASSES: readonly [RegExp, ErrorClass][] = [
  [/^(UND_ERR_(HEADERS|BODY)_TIMEOUT|UND_ERR_ABORTED|ABORT_ERR)$/, 'timeout'],
  [/^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED)$/, 'reset'],
  [/^(ERR_TLS_|ERR_SSL_)/, 'tls'],
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'connect'],
  [/^UND_ERR_/, 'invalid_response'],
]

/** `connect` when nothing better is known. */
export function errorClassOf(error: unknown): ErrorClass {
  if (error instanceof BudgetSpent) return 'timeout'
  if (error instanceof HandshakeFailure) return 'tls'
  if (error instanceof ConnectRefusal)
    return error.problem === 'blocked_address' ? 'blocked_address' : 'dns'
  if (error instanceof errors.HTTPParserError) return 'invalid_response'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ERROR_CLASSES.find(([pattern]) => pattern.test(code))?.[1] ?? 'connect'
}
