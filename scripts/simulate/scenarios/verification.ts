// Declines because of data that the network sends about the card: expiry, CVC, currency.
import { declined } from '../expected.ts'
import { authorizations, panWith, type Scenario } from '../scenario.ts'

const EXPIRY_MISMATCH = declined({
  reason: 'expiry_mismatch',
  code: '54',
  rule: 'expiry_matches',
})

export const VERIFICATION: readonly Scenario[] = [
  authorizations(
    'decline_expiry_mismatch',
    'A wrong month or a wrong year is declined.',
    {
      card: 'scenario_plain',
      by: panWith((card) => ({ exp_month: (card.exp_month % 12) + 1 })),
      expect: EXPIRY_MISMATCH,
    },
    {
      card: 'scenario_plain',
      by: panWith((card) => ({ exp_year: card.exp_year + 1 })),
      expect: EXPIRY_MISMATCH,
    },
  ),
  authorizations('decline_cvc_mismatch', 'A wrong CVC is declined.', {
    card: 'scenario_plain',
    by: panWith((card) => ({ cvc: otherCvc(card.cvc) })),
    expect: declined({ reason: 'cvc_mismatch', code: 'N7', rule: 'cvc_matches' }),
  }),
  authorizations('decline_currency', 'A currency for which there is no rate is declined.', {
    card: 'scenario_plain',
    change: { currency: 'CHF' },
    expect: declined({ reason: 'fx_rate_unavailable', code: '96', rule: 'amount_convertible' }),
  }),
]

/** As long as the true one and different in its last digit. */
function otherCvc(cvc: string): string {
  return cvc.slice(0, -1) + String((Number(cvc.slice(-1)) + 1) % 10)
}
