// A fresh signing secret: what the tenant is shown once, and what is kept of it.
import { randomBytes } from 'node:crypto'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import type { Context } from '../../context.ts'
import type { NewSecret } from './secret-store.ts'

/** Standard Webhooks wants 24 to 64. */
const SECRET_BYTES = 32

export function newSigningSecret({ seal, newId }: Context): { secret: string; kept: NewSecret } {
  const secret = 'whsec_' + randomBytes(SECRET_BYTES).toString('base64')
  return { secret, kept: { id: newId('wsec'), sealed: seal(SEAL_CONTEXTS.webhookSecret, secret) } }
}
