// Declines by where the card is used: merchant category, merchant, country; blocked ones and those
// not allowed.
import { approved, declined } from '../expected.ts'
import { authorizations, covering, type Scenario } from '../scenario.ts'

const CATEGORY_BLOCKED = declined({
  reason: 'merchant_category_blocked',
  code: '57',
  rule: 'merchant_category_allowed',
})

export const MERCHANTS: readonly Scenario[] = covering(
  [6],
  authorizations(
    'decline_blocked_mcc',
    'A blocked merchant category is declined, another one is approved.',
    {
      card: 'blocked_mcc',
      change: { merchant: { mcc: '7995', name: 'Lucky Casino' } },
      expect: CATEGORY_BLOCKED,
    },
    { card: 'blocked_mcc', change: { merchant: { mcc: '5411' } }, expect: approved() },
  ),
  authorizations(
    'decline_mcc_not_allowed',
    'A card for groceries and restaurants pays there and nowhere else.',
    { card: 'allowed_mcc', change: { merchant: { mcc: '5411' } }, expect: approved() },
    { card: 'allowed_mcc', change: { merchant: { mcc: '5812' } }, expect: approved() },
    { card: 'allowed_mcc', change: { merchant: { mcc: '5732' } }, expect: CATEGORY_BLOCKED },
  ),
  authorizations(
    'decline_blocked_merchant',
    'A blocked merchant is declined, another one is approved.',
    {
      card: 'blocked_merchant',
      change: { merchant: { id: 'merch_blocked' } },
      expect: declined({ reason: 'merchant_blocked', code: '57', rule: 'merchant_allowed' }),
    },
    { card: 'blocked_merchant', expect: approved() },
  ),
  authorizations(
    'decline_blocked_country',
    'A merchant in a blocked country is declined, one elsewhere is approved.',
    {
      card: 'blocked_country',
      change: { merchant: { country: 'RU', city: 'Moscow' } },
      expect: declined({
        reason: 'merchant_country_blocked',
        code: '62',
        rule: 'merchant_country_allowed',
      }),
    },
    { card: 'blocked_country', expect: approved() },
  ),
)
