// The currency of a card, for field 54: a balance is stated in it, in any currency the terminal
// asked.
import type { NetworkMessage } from '../../../shared/schemas/network-message.ts'
import type { Line } from '../../line/line.ts'

/** Null if the card or the network key is unknown. */
export function cardCurrency(
  { configCache, secrets }: Line,
  keyId: string,
  { token, pan }: NetworkMessage['card'],
): string | null {
  if (token !== undefined) return configCache.cardByToken(token)?.currency ?? null
  const key = secrets.networkKeys().find(({ id }) => id === keyId)
  const derivation = secrets.derivation()
  if (key === undefined || derivation === null || pan === undefined) return null
  return (
    configCache.cardByFingerprint(key.environment, derivation.fingerprint(pan))?.currency ?? null
  )
}
