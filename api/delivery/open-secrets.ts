// Sealed secrets of a leased delivery → plain ones, old first. They are never logged.
import { SEAL_CONTEXTS, type Unseal } from '../../shared/keyring.ts'
import type { Result } from '../../shared/result.ts'
import type { LeasedDelivery } from './claim.ts'
import type { ClaimedDelivery } from './delivery.ts'
import { createRecent } from './recent.ts'

/** Endpoints that are sent to at the same time have fewer secrets. */
const OPENED_MAX = 4096

/** Opens each sealed text once as long as it is among the latest; one that does not open is tried again. */
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

/** A delivery ready to be sent, or why it cannot be signed: our fault, so its attempt is given back. */
export function openSecrets(
  unseal: Unseal,
  leased: Omit<LeasedDelivery, 'body'> & { body: Buffer },
): Result<ClaimedDelivery, string> {
  const { sealedSecrets, ...delivery } = leased
  const secrets: string[] = []
  for (const sealed of sealedSecrets ?? []) {
    const opened = unseal(SEAL_CONTEXTS.webhookSecret, sealed)
    if (!opened.ok) return opened
    secrets.push(opened.value.toString('utf8'))
  }
  if (secrets.length === 0) return { ok: false, error: 'the endpoint has no active secret' }
  return { ok: true, value: { ...delivery, secrets } }
}
