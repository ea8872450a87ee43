// The meaning and the remedy of the reasons for which something is stopped, for the reference:
// suspended and terminated cards, suspended programs and tenants, frozen cardholders, disabled
// endpoints, fraud rules.
import type { Cardholder } from './schemas/cardholder.ts'
import type { SuspendedBy } from './schemas/program.ts'
import type { Explained } from './value-explanation.ts'
import type { FraudRuleName } from './wire/config-records.ts'

const ACKNOWLEDGE =
  'Look at the latest authorizations. `POST /v1/cards/{id}/resume` with `acknowledge_fraud: true` resumes the card; `replace` gives it another number.'

export const FRAUD_RULE_REFERENCE: Explained<FraudRuleName> = {
  card_testing: {
    meaning: 'Too many small authorizations came within the seconds of the rule.',
    remedy: ACKNOWLEDGE,
  },
  cvc_failures: {
    meaning: 'Too many wrong security codes came within the seconds of the rule.',
    remedy: ACKNOWLEDGE,
  },
  pin_failures: {
    meaning: 'Too many wrong PINs came within the seconds of the rule.',
    remedy: ACKNOWLEDGE,
  },
}

/**
 * The reasons that the service writes into `suspend_reason` of a card; a caller may write its own
 * words.
 */
export const SUSPEND_REASON_REFERENCE: Explained<'requested' | FraudRuleName> = {
  requested: {
    meaning: 'The card was suspended by a call that named no reason.',
    remedy: 'Call `POST /v1/cards/{id}/resume`; `suspended_by` says who has to ask for it.',
  },
  ...FRAUD_RULE_REFERENCE,
}

/**
 * The reasons with a meaning of their own in `terminate_reason` of a card; a caller may write its
 * own words.
 */
export const TERMINATE_REASON_REFERENCE: Explained<'requested' | 'replaced' | 'lost' | 'stolen'> = {
  requested: {
    meaning: 'The card was terminated by a call that named no reason.',
    remedy: 'Issue another card: a terminated card stays terminated.',
  },
  replaced: {
    meaning: 'Another card was issued in its place by a call that named no reason.',
    remedy: 'Use the card whose `replaces` names this one.',
  },
  lost: {
    meaning: 'The card was lost. Later authorizations are declined with `card_lost` (code 41).',
    remedy: 'Issue another card; terminals may retain the lost one.',
  },
  stolen: {
    meaning: 'The card was stolen. Later authorizations are declined with `card_stolen` (code 43).',
    remedy: 'Issue another card and look at the latest authorizations.',
  },
}

export const CARD_SUSPENDED_BY = ['tenant', 'cardholder', 'fraud_rule'] as const

export const CARD_SUSPENDED_BY_REFERENCE: Explained<(typeof CARD_SUSPENDED_BY)[number]> = {
  tenant: {
    meaning: 'You suspended the card.',
    remedy: 'Resume it. A call with `on_behalf_of: cardholder` is refused.',
  },
  cardholder: {
    meaning: 'The cardholder suspended the card: you called with `on_behalf_of: cardholder`.',
    remedy: 'Resume it, for the cardholder or for yourself.',
  },
  fraud_rule: {
    meaning: 'A fraud rule of the program suspended the card.',
    remedy: 'Resume it with `acknowledge_fraud: true`, or replace it.',
  },
}

export const SUSPENDED_BY_REFERENCE: Explained<SuspendedBy> = {
  regulator: {
    meaning: 'A regulator demanded the suspension.',
    remedy: 'Ask your contact. An operator lifts it once the regulator agrees.',
  },
  sponsor_bank: {
    meaning: 'The sponsor bank demanded the suspension.',
    remedy: 'Ask your contact. An operator lifts it once the bank agrees.',
  },
  provider_risk: {
    meaning: 'The provider’s risk team suspended it.',
    remedy: 'Ask your contact. An operator lifts it after the review.',
  },
}

export const FROZEN_BY_REFERENCE: Explained<NonNullable<Cardholder['frozen_by']>> = {
  tenant: {
    meaning: 'You froze the cardholder.',
    remedy: 'Call `POST /v1/cardholders/{id}/unfreeze`.',
  },
  operator: {
    meaning: 'An operator froze the cardholder.',
    remedy: 'Ask your contact: an operator lifts it.',
  },
  sanctions: {
    meaning: 'The cardholder may stand on a sanctions or PEP list and waits for a review.',
    remedy: 'Read `open_alert_ids`; an operator decides the alerts.',
  },
}

/** The reasons that stand in `disabled_reason` of a webhook endpoint. */
export const DISABLED_REASON_REFERENCE: Explained<'paused' | 'retry_exhausted'> = {
  paused: {
    meaning: 'The tenant disabled the endpoint itself. Its open deliveries are held.',
    remedy: 'Send `PATCH /v1/webhook_endpoints/{id}` with `{"status": "enabled"}` to resume them.',
  },
  retry_exhausted: {
    meaning: 'Five attempts of one delivery failed, and the endpoint was disabled.',
    remedy:
      'Repair the receiver, then `PATCH /v1/webhook_endpoints/{id}` with `{"status": "enabled"}`.',
  },
}
