// Stored fields of a leased delivery → fields to send: the whole body, and plain secrets, oldest
// first. Secrets are never logged.
import { SEAL_CONTEXTS, type Unseal } from '../../../shared/keyring.ts'
import type { Result } from '../../../shared/result.ts'
import { sentBody } from '../events/event-body.ts'
import type { LeasedDelivery } from './claim.ts'
import type { ClaimedDelivery } from './delivery.ts'
import { createRecent } from './recent.ts'

/** More secrets than concurrently served endpoints have. */
const OPENED_MAX = 4096

/**
 * Opens each sealed text once while it is among the latest; a text that fails to open is tried
 * again.
 */
export function rememberingUnseal(unseal: Unseal): Unseal {
  const opened = createRecent<ReturnType<Unseal>>(OPENED_MAX)
  return (context, sealed) => {
    const name = context + ' ' + sealed
    const known = opened.get(name)
    if (known !== undefined) return known
    const result = unseal(context, sealed)
    if (result.ok) opened.keep(name, result)
    return result
  }
}

/**
 * Returns a delivery ready to send, or the reason it is not: the fault is ours, so the attempt is
 * given back.
 */
export function openLeased(
  unseal: Unseal,
  leased: Omit<LeasedDelivery, 'body'> & { body: Buffer },
): Result<ClaimedDelivery, string> {
  const { sealedSecrets, body, ...delivery } = leased
  const secrets: string[] = []
  for (const sealed of sealedSecrets ?? []) {
    const opened = unseal(SEAL_CONTEXTS.webhookSecret, sealed)
    if (!opened.ok) return opened
    secrets.push(opened.value.toString('utf8'))
  }
  if (secrets.length === 0) return { ok: false, error: 'the endpoint has no active secret' }
  try {
    return { ok: true, value: { ...delivery, body: sentBody(body), secrets } }
  } catch (error) {
    return { ok: false, error: 'the body cannot be read: ' + String(error) }
  }
}
