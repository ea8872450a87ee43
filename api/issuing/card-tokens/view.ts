// Only this module makes a card token's row public.
import { unixSeconds } from '../../../shared/clock.ts'
import type { CardBrand } from '../../../shared/pan.ts'
import type { CardToken, FoundCardToken } from '../../../shared/schemas/card-token.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface CardTokenRow {
  id: string
  environment: Environment
  brand: CardBrand
  last4: string
  expMonth: number
  expYear: number
  createdAt: number
  expiresAt: number
  usedAt: number | null
}

export interface FoundRow extends CardTokenRow {
  /** The owner's card of these details. */
  cardId: string | null
}

export function cardTokenView(row: CardTokenRow): CardToken {
  return {
    id: row.id,
    object: 'token',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    expires_at: unixSeconds(row.expiresAt),
    used_at: row.usedAt === null ? null : unixSeconds(row.usedAt),
    card: {
      brand: row.brand,
      last4: row.last4,
      exp_month: row.expMonth,
      exp_year: row.expYear,
    },
  }
}

export function foundCardTokenView(row: FoundRow): FoundCardToken {
  return { ...cardTokenView(row), card_id: row.cardId }
}
