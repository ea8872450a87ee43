// Gives an endpoint a second signing secret, and removes the first once every receiver knows the
// second. Spec 6.1: meanwhile both sign, the older first.
import type { SecretEndpoint, WebhookEndpoint } from '../../../shared/schemas/webhook-endpoint.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { type BreakerPort, breakerOf } from './read.ts'
import { insertSecret, newSigningSecret, revokeOlderSecret, saveExpiry } from './secret-store.ts'
import { lockEndpoint, rereadEndpoint } from './store.ts'
import { endpointView } from './view.ts'

const ADVICE =
  'The endpoint has the new secret; revoke the old one and rotate again if it was lost.'

export interface OldSecret {
  endpointId: string
  /** Seconds of tenant time until the older secret is revoked automatically. */
  expires_in?: number
}

/**
 * Chosen: a third secret is 409: the caller revokes the old one first. Only this answer ever shows
 * the new secret.
 */
export async function rotateSecret(
  context: Context,
  old: OldSecret,
  port: BreakerPort,
): Promise<SecretEndpoint> {
  const { principal, now } = context
  const { endpointId, expires_in: expiresIn } = old
  const { secret, kept } = newSigningSecret(context)
  const breaker = await breakerOf(context, endpointId, port)
  const change = async (sql: TxSql) => {
    const endpoint = await lockEndpoint(sql, principal, endpointId)
    if (endpoint === null) throw new Refusal('resource_missing')
    if (endpoint.secrets.length > 1) {
      throw new Refusal('invalid_state', {
        message: 'Two signing secrets are active. Revoke the old one first.',
      })
    }
    const slot = endpoint.secrets.length === 0 ? 0 : 1
    await insertSecret(sql, { endpointId, slot, secret: kept, now })
    if (slot === 1 && expiresIn !== undefined)
      await saveExpiry(sql, { endpointId, expiresAt: now + expiresIn * 1000 })
    return { ...endpointView(await rereadEndpoint(sql, principal, endpointId), breaker), secret }
  }
  return writeConfirmed(context, change, { advice: ADVICE })
}

/**
 * Revokes the older secret at once or at its end. Repeating the call changes nothing and waits for
 * the engine again: the only secret is never revoked.
 */
export async function revokeOldSecret(
  context: Context,
  old: OldSecret,
  port: BreakerPort,
): Promise<WebhookEndpoint> {
  const { principal, now } = context
  const { endpointId, expires_in: expiresIn } = old
  const breaker = await breakerOf(context, endpointId, port)
  const change = async (sql: TxSql) => {
    const endpoint = await lockEndpoint(sql, principal, endpointId)
    if (endpoint === null) throw new Refusal('resource_missing')
    if (endpoint.secrets.length < 2) return endpointView(endpoint, breaker)
    if (expiresIn === undefined) await revokeOlderSecret(sql, { endpointId, now })
    else await saveExpiry(sql, { endpointId, expiresAt: now + expiresIn * 1000 })
    return endpointView(await rereadEndpoint(sql, principal, endpointId), breaker)
  }
  return writeConfirmed(context, change, { safeToRepeat: true })
}
