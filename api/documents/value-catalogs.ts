// The enumerations that the reference explains value by value. The title is the name of the
// component in the document and of the schema that refers to it. A catalog of the code gives the
// values: a value that is added there appears here.
import { DECLINE_REFERENCE } from '../../shared/decline-reference.ts'
import { DELIVERY_ERROR_REFERENCE } from '../../shared/delivery-reference.ts'
import {
  BILLING_REASON_REFERENCE,
  PAYMENT_ACCOUNT_SUSPEND_REFERENCE,
  SETTLEMENT_FAILURE_REFERENCE,
} from '../../shared/payment-reference.ts'
import {
  CARD_SUSPENDED_BY_REFERENCE,
  DISABLED_REASON_REFERENCE,
  FRAUD_RULE_REFERENCE,
  FROZEN_BY_REFERENCE,
  SUSPEND_REASON_REFERENCE,
  SUSPENDED_BY_REFERENCE,
  TERMINATE_REASON_REFERENCE,
} from '../../shared/state-reference.ts'
import {
  DECIDED_BY_REFERENCE,
  FLAG_REFERENCE,
  OUTCOME_REFERENCE,
  RETRY_ADVICE_REFERENCE,
  STAND_IN_CAP_REFERENCE,
} from '../../shared/transaction-reference.ts'
import type { ValueExplanation } from '../../shared/value-explanation.ts'
import type { Schema } from './document.ts'

export interface ValueCatalog {
  /** The name of the component. */
  title: string
  /** The heading on the page. */
  heading: string
  /** One sentence about the field. */
  about: string
  /** True where a caller's own words may stand in the field too. */
  open: boolean
  values: { readonly [value: string]: ValueExplanation }
}

export const DECLINE_CATALOG: ValueCatalog = {
  title: 'DeclineReason',
  heading: 'Decline reasons',
  about: 'Why an authorization was declined.',
  open: false,
  values: DECLINE_REFERENCE,
}

/** Catalogs of transactions and their decisions. */
export const TRANSACTION_CATALOGS: readonly ValueCatalog[] = [
  {
    title: 'TransactionFlag',
    heading: 'Flags',
    about: 'What is unusual about a transaction or one of its messages.',
    open: false,
    values: FLAG_REFERENCE,
  },
  {
    title: 'DecidedBy',
    heading: 'decided_by',
    about: 'Who decided an authorization.',
    open: false,
    values: DECIDED_BY_REFERENCE,
  },
  {
    title: 'TenantOutcome',
    heading: 'webhook.outcome and stand_in_detail.cause',
    about: 'How the question to your real-time endpoint went.',
    open: false,
    values: OUTCOME_REFERENCE,
  },
  {
    title: 'StandInCap',
    heading: 'stand_in_detail.cap_id',
    about: 'Which cap of the stand-in policy declined.',
    open: false,
    values: STAND_IN_CAP_REFERENCE,
  },
  {
    title: 'RetryAdvice',
    heading: 'retry_advice',
    about: 'Whether the merchant may send the payment again.',
    open: false,
    values: RETRY_ADVICE_REFERENCE,
  },
]

/** Catalogs of stops, with their reasons. */
export const STATE_CATALOGS: readonly ValueCatalog[] = [
  {
    title: 'SuspendReason',
    heading: 'suspend_reason of a card',
    about: 'Why a card is suspended: one of these reasons, or the words of the call.',
    open: true,
    values: SUSPEND_REASON_REFERENCE,
  },
  {
    title: 'CardSuspendedBy',
    heading: 'suspended_by of a card',
    about: 'Who suspended a card.',
    open: false,
    values: CARD_SUSPENDED_BY_REFERENCE,
  },
  {
    title: 'TerminateReason',
    heading: 'terminate_reason of a card',
    about: 'Why a card was terminated: one of these reasons, or the words of the call.',
    open: true,
    values: TERMINATE_REASON_REFERENCE,
  },
  {
    title: 'SuspendedBy',
    heading: 'suspended_by of a program or an account',
    about: 'Who suspended a program or an account. Only an operator resumes it.',
    open: false,
    values: SUSPENDED_BY_REFERENCE,
  },
  {
    title: 'FrozenBy',
    heading: 'frozen_by of a cardholder',
    about: 'Who froze a cardholder.',
    open: false,
    values: FROZEN_BY_REFERENCE,
  },
  {
    title: 'FraudRuleName',
    heading: 'Fraud rules',
    about: 'Which fraud rule of the program stopped a card.',
    open: false,
    values: FRAUD_RULE_REFERENCE,
  },
  {
    title: 'DisabledReason',
    heading: 'disabled_reason of a webhook endpoint',
    about: 'Why a webhook endpoint is disabled.',
    open: true,
    values: DISABLED_REASON_REFERENCE,
  },
  {
    title: 'PaymentAccountSuspendReason',
    heading: 'suspend_reason of a payment account',
    about: 'Why a payment account is suspended: one of these reasons, or the words of the call.',
    open: true,
    values: PAYMENT_ACCOUNT_SUSPEND_REFERENCE,
  },
  {
    title: 'BillingStatusReason',
    heading: 'status_reason of a subscription',
    about: 'Why a subscription is past due, restricted, suspended or canceled.',
    open: false,
    values: BILLING_REASON_REFERENCE,
  },
]

/** Catalogs of failures: deliveries, settlements. */
export const FAILURE_CATALOGS: readonly ValueCatalog[] = [
  {
    title: 'DeliveryError',
    heading: 'error_class and last_error of a webhook delivery',
    about: 'Why an attempt to deliver a webhook failed.',
    open: false,
    values: DELIVERY_ERROR_REFERENCE,
  },
  {
    title: 'SettlementFailureCode',
    heading: 'failure.code of captures, refunds, batches and withdrawals',
    about: 'Why money did not move: one of these codes, or the name of an error of the contract.',
    open: true,
    values: SETTLEMENT_FAILURE_REFERENCE,
  },
]

export const VALUE_CATALOGS: readonly ValueCatalog[] = [
  DECLINE_CATALOG,
  ...TRANSACTION_CATALOGS,
  ...STATE_CATALOGS,
  ...FAILURE_CATALOGS,
]

const BY_TITLE: ReadonlyMap<string, ValueCatalog> = new Map(
  VALUE_CATALOGS.map((catalog) => [catalog.title, catalog]),
)

/** The catalog of this component; undefined where it is none. */
export function catalogOf(title: string | undefined): ValueCatalog | undefined {
  return title === undefined ? undefined : BY_TITLE.get(title)
}

/** The component of a catalog: its values with their meaning and remedy, in words and by value. */
export function catalogSchema({ about, open, values }: ValueCatalog): Schema {
  const rows = Object.entries(values).map(
    ([value, { meaning, remedy }]) => '- `' + value + '`: ' + meaning + ' ' + remedy,
  )
  const choice: Schema = { type: 'string', enum: Object.keys(values) }
  return {
    description: [about, '', ...rows].join('\n'),
    ...(open ? { anyOf: [choice, { type: 'string' }] } : choice),
    'x-enum-descriptions': Object.fromEntries(
      Object.entries(values).map(([value, { meaning }]) => [value, meaning]),
    ),
    'x-enum-remedies': Object.fromEntries(
      Object.entries(values).map(([value, { remedy }]) => [value, remedy]),
    ),
  }
}
