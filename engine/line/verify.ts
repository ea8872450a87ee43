// The issuer's own checks of a message: CVC, expiry, PIN, 3DS result, wallet token. A config record
// of our own always overrides the message's claim. Part of gather: synchronous, nothing throws.
import { authenticationId, type CardConfig } from '../../shared/wire/config-records.ts'
import type {
  ThreeDsResult,
  Verification,
  WalletTokenStatus,
} from '../../shared/wire/journal-entry.ts'
import type { Line, Message } from './line.ts'

/** Checks a sent CVC against the card's verifier. */
export function verifyCvc(line: Line, message: Message, card: CardConfig): Verification {
  if (message.cvc === null) return 'not_provided'
  const derivation = line.secrets.derivation()
  if (derivation === null) return 'not_checked'
  return derivation.cvcVerifier(card.fingerprint, message.cvc) === card.cvc_verifier
    ? 'match'
    : 'mismatch'
}

/** Checks a sent expiry against the card's. */
export function verifyExpiry(message: Message, card: CardConfig): Verification {
  if (message.expMonth === 0 || message.expYear === 0) return 'not_provided'
  return message.expMonth === card.exp_month && message.expYear === card.exp_year
    ? 'match'
    : 'mismatch'
}

/** Checks a sent PIN against the card's verifier; a card without one checks nothing. */
export function verifyPin(line: Line, message: Message, card: CardConfig): Verification {
  if (message.pin === null) return 'not_provided'
  const derivation = line.secrets.derivation()
  if (derivation === null || card.pin_verifier === null) return 'not_checked'
  return derivation.pinVerifier(card.fingerprint, message.pin) === card.pin_verifier
    ? 'match'
    : 'mismatch'
}

/**
 * Returns the result recorded by our own access control server, if the message names an unexpired
 * authentication of this card; else the network's claim, marked as a claim. A result of another
 * card does not count. The network alone may claim an exemption.
 */
export function threeDsResult(
  line: Line,
  message: Message,
  card: CardConfig,
  nowMs: number,
): ThreeDsResult {
  const { threeDsId, threeDsClaim } = message.record
  if (threeDsId !== null) {
    const known = line.configCache.authentication(authenticationId(card.id, threeDsId))
    if (known !== null && known.card_id === card.id && nowMs < known.expires_at_ms)
      return known.result
  }
  switch (threeDsClaim) {
    case null:
      return 'none'
    case 'authenticated':
      return 'claimed_authenticated'
    case 'attempted':
      return 'claimed_attempted'
    case 'failed':
      return 'claimed_failed'
    case 'exempt':
      return 'exempt'
  }
}

/** Null if no wallet token was used; `unknown` if the token does not belong to this card. */
export function walletTokenStatus(
  line: Line,
  message: Message,
  card: CardConfig,
): WalletTokenStatus | null {
  const { walletTokenId } = message.record
  if (walletTokenId === null) return null
  const token = line.configCache.walletToken(walletTokenId)
  return token === null || token.card_id !== card.id ? 'unknown' : token.status
}
