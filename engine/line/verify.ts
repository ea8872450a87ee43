// What the issuer itself knows about what a message shows: CVC, expiry, PIN, 3DS result, wallet token. None of it is taken
// from the message's word where a fact of our own says otherwise. Part of gather: synchronous, nothing throws.
import { authenticationId, type CardFact } from '../../shared/wire/facts.ts'
import type {
  ThreeDsResult,
  Verification,
  WalletTokenStatus,
} from '../../shared/wire/journal-entry.ts'
import type { Line, Message } from './line.ts'

/** A CVC that was sent against the card's verifier. */
export function verifyCvc(line: Line, message: Message, card: CardFact): Verification {
  if (message.cvc === null) return 'not_provided'
  const derivation = line.secrets.derivation()
  if (derivation === null) return 'not_checked'
  return derivation.cvcVerifier(card.fingerprint, message.cvc) === card.cvc_verifier
    ? 'match'
    : 'mismatch'
}

/** An expiry that was sent against the card's. */
export function verifyExpiry(message: Message, card: CardFact): Verification {
  if (message.expMonth === 0 || message.expYear === 0) return 'not_provided'
  return message.expMonth === card.exp_month && message.expYear === card.exp_year
    ? 'match'
    : 'mismatch'
}

/** A PIN that was sent against the card's verifier; a card without one checks nothing. */
export function verifyPin(line: Line, message: Message, card: CardFact): Verification {
  if (message.pin === null) return 'not_provided'
  const derivation = line.secrets.derivation()
  if (derivation === null || card.pin_verifier === null) return 'not_checked'
  return derivation.pinVerifier(card.fingerprint, message.pin) === card.pin_verifier
    ? 'match'
    : 'mismatch'
}

/**
 * The result our own access control server recorded, where the message names an authentication of this card that has not
 * run out; else what the network claims, marked as a claim. A result of another card is no result. An exemption is the
 * network's to claim.
 */
export function threeDsResult(
  line: Line,
  message: Message,
  card: CardFact,
  nowMs: number,
): ThreeDsResult {
  const { threeDsId, threeDsClaim } = message.record
  if (threeDsId !== null) {
    const known = line.facts.authentication(authenticationId(card.id, threeDsId))
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

/** Null where no wallet token was used; `unknown` where it is none of this card's. */
export function walletTokenStatus(
  line: Line,
  message: Message,
  card: CardFact,
): WalletTokenStatus | null {
  const { walletTokenId } = message.record
  if (walletTokenId === null) return null
  const token = line.facts.walletToken(walletTokenId)
  return token === null || token.card_id !== card.id ? 'unknown' : token.status
}
