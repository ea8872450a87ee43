// Completes the literal calls of the specification to the forms of the RFCs, which the library
// reads. Spec 5.2. Complete calls pass unchanged.
import { apiKeyHash } from '../../../shared/api-key.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { LibraryAnswer } from './exchange.ts'
import { findTokenOrigin } from './store.ts'

/** An authorization request: a code is the only answer, and S256 the only method. */
export function fillAuthorization(query: URLSearchParams): URLSearchParams {
  const filled = new URLSearchParams(query)
  // A pushed request has its own.
  if (filled.has('request_uri')) return filled
  if (!filled.has('response_type')) filled.set('response_type', 'code')
  if (filled.has('code_challenge') && !filled.has('code_challenge_method'))
    filled.set('code_challenge_method', 'S256')
  return filled
}

type Filled = { form: URLSearchParams } | { answer: LibraryAnswer }

/** A call of the token endpoint: client and redirect address are those of the code or token. */
export async function fillToken(
  sql: SqlTag,
  { form, isAuthenticated }: { form: URLSearchParams; isAuthenticated: boolean },
): Promise<Filled> {
  const filled = new URLSearchParams(form)
  if (!filled.has('grant_type')) {
    if (filled.has('code')) filled.set('grant_type', 'authorization_code')
    else if (filled.has('refresh_token')) filled.set('grant_type', 'refresh_token')
  }
  const field = filled.get('grant_type') === 'refresh_token' ? 'refresh_token' : 'code'
  const isKnown = isAuthenticated || filled.has('client_id')
  const isComplete = field === 'refresh_token' || filled.has('redirect_uri')
  const presented = filled.get(field)
  if (presented === null || (isKnown && isComplete)) return { form: filled }
  const origin = await findTokenOrigin(sql, apiKeyHash(presented))
  if (origin === null) return isKnown ? { form: filled } : { answer: unknownGrant(field) }
  if (!isKnown) filled.set('client_id', origin.clientId)
  if (!isComplete && origin.redirectUri !== null) filled.set('redirect_uri', origin.redirectUri)
  return { form: filled }
}

/** A call of the revocation endpoint: the client is that of the token. */
export async function fillRevocation(
  sql: SqlTag,
  { form, isAuthenticated }: { form: URLSearchParams; isAuthenticated: boolean },
): Promise<Filled> {
  const presented = form.get('token')
  if (isAuthenticated || form.has('client_id')) return { form }
  if (presented === null) return { answer: missingToken() }
  const origin = await findTokenOrigin(sql, apiKeyHash(presented))
  // RFC 7009 2.2: an unknown token is as good as revoked.
  if (origin === null) return { answer: { status: 200, headers: {}, body: '' } }
  const filled = new URLSearchParams(form)
  filled.set('client_id', origin.clientId)
  return { form: filled }
}

/** An error of RFC 6749 5.2. */
export function oauthError(status: number, error: string, description: string): LibraryAnswer {
  return {
    status,
    headers: { 'cache-control': 'no-store' },
    body: { error, error_description: description },
  }
}

function missingToken(): LibraryAnswer {
  return oauthError(400, 'invalid_request', "missing required parameter 'token'")
}

function unknownGrant(field: 'refresh_token' | 'code'): LibraryAnswer {
  const name = field === 'code' ? 'authorization code' : 'refresh token'
  return oauthError(400, 'invalid_grant', name + ' not found')
}
