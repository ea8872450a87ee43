// Returns a token that shows a card's number once. The number itself never passes through the
// tenant's own servers.
import { hash } from 'node:crypto'
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import { randomSecret } from '../../../shared/id.ts'
import {
  CARD_REVEALS_PATH,
  type CardRevealToken,
  REVEAL_FIELDS,
  REVEAL_SECONDS_DEFAULT,
  type RevealField,
} from '../../../shared/schemas/card-reveal.ts'
import { authorOf, type Context } from '../../context.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { lockCardOf } from './move.ts'
import { insertRevealToken } from './reveal-store.ts'
import { CHANGEABLE_IN } from './states.ts'

const SECRET_BYTES = 32

export interface RevealInput {
  cardId: string
  /** Absent: all fields. */
  fields?: readonly RevealField[]
  /** Seconds. */
  expiresIn?: number
}

/**
 * Refuses (409) a terminated card. Only the token's hash is stored; the audit log names the caller.
 */
export async function allowReveal(context: Context, input: RevealInput): Promise<CardRevealToken> {
  const { principal, now } = context
  const token = 'rvl_' + randomSecret(SECRET_BYTES)
  const fields = REVEAL_FIELDS.filter((field) => input.fields?.includes(field) ?? true)
  const expiresAt: EpochMs = now + (input.expiresIn ?? REVEAL_SECONDS_DEFAULT) * 1000
  return write(context, async (sql) => {
    const card = await lockCardOf(sql, principal, input.cardId)
    requireState(card.status, CHANGEABLE_IN)
    await insertRevealToken(sql, principal, {
      hash: revealTokenHash(token),
      cardId: card.id,
      fields,
      createdBy: authorOf(principal),
      createdAt: now,
      expiresAt,
    })
    return {
      id: card.id,
      object: 'card_reveal_token',
      created: unixSeconds(now),
      livemode: principal.environment === 'live',
      fields,
      token,
      expires_at: unixSeconds(expiresAt),
      url: CARD_REVEALS_PATH,
    }
  })
}

/** A token has 256 random bits, so a fast hash is enough. */
export function revealTokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
