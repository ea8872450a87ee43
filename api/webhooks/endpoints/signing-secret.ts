// A fresh signing secret: the form shown to the tenant once, and the stored form.
import { randomBytes } from 'node:crypto'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import type { Context } from '../../context.ts'
import type { NewSecret } from './secret-store.ts'

/** Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32

export function newSigningSecret({ seal, newId }: Context): { secret: string; kept: NewSecret } {
  const secret = 'whsec_' + randomBytes(SECRET_BYTES).toString('base64')
  return { secret, kept: { id: newId('wsec'), sealed: seal(SEAL_CONTEXTS.webhookSecret, secret) } }
}
