// One sentence per decision rule for the reference: the condition it checks. A rule of the catalog
// without a sentence here does not compile.
import type { RuleId } from './rule-catalog.ts'

export const RULE_REFERENCE: { readonly [Id in RuleId]: string } = {
  card_found: 'The number or token names a card of the environment of the network key.',
  program_active: 'The program is active.',
  card_state: 'The card is activated, not suspended and not terminated.',
  card_not_expired: 'The card is not past the end of its month of expiry (UTC).',
  cardholder_state: 'The cardholder is active and not frozen.',
  expiry_matches: 'The expiry that the merchant sent is that of the card.',
  cvc_matches: 'The security code that the merchant sent is that of the card.',
  kind_allowed: 'A control allows the kind of the authorization.',
  currency_allowed: 'A control allows the currency.',
  merchant_category_allowed: 'A control allows the category of the merchant.',
  merchant_allowed: 'A control allows the merchant.',
  merchant_country_allowed: 'A control allows the country of the merchant.',
  card_presence_allowed: 'A control allows payments with, or without, the card present.',
  entry_method_allowed: 'A control allows the way in which the card was read.',
  wallet_allowed: 'A control allows the wallet.',
  chip_not_bypassed: 'The stripe of a chip card was not read where a control blocks that.',
  online_authenticated: 'An online payment is authenticated where a control demands it.',
  within_schedule: 'The moment lies in the schedule of a control.',
  merchant_lock: 'The merchant is the one to which a control locked itself.',
  uses_left: 'The number of uses of a control is not used up.',
  single_use: 'The single use of a control is not used up, and its amount fits.',
  within_limit: 'The amount, or the count, fits into what is left of a limit.',
  not_stopped: 'No fraud rule stopped the card.',
  pin_matches: 'The PIN is right, and not too many were wrong before it.',
  wallet_token_active: 'The wallet token is active.',
  billing_plausible: 'The billing amount of the network is near the amount at our own rate.',
  within_credit_limit: 'The credit is within a credit limit of the program.',
  amount_convertible: 'A rate into the currency of the card is known where one is needed.',
  funds_available:
    'The payment fits into what its account was funded with and has not spent or held.',
  amount_countable:
    'The amount can be added to what is held and captured without losing precision.',
}
