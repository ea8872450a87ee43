// Schemas of values that the reference explains one by one. The title is the name of the component
// in the document; the explanations stand in the reference files of shared. A schema of plain text
// may hold a caller's own words too.

import { DECLINE_REASONS, type DeclineReason, type RetryAdvice } from '../decline-reason.ts'
import { DELIVERY_ERROR_REFERENCE, type DeliveryError } from '../delivery-reference.ts'
import { BILLING_REASON_REFERENCE } from '../payment-reference.ts'
import { Type } from '../schema-builders.ts'
import {
  DECIDED_BY_REFERENCE,
  OUTCOME_REFERENCE,
  RETRY_ADVICE_REFERENCE,
  STAND_IN_CAPS,
} from '../transaction-reference.ts'
import { TRANSACTION_FLAGS, type TransactionFlag } from '../transaction-sums.ts'
import type { DecidedBy, TenantOutcome } from '../wire/journal-entry.ts'

function namesOf<Name extends string>(explained: { readonly [Key in Name]: unknown }): Name[] {
  return Object.keys(explained) as Name[]
}

export const DECLINE_REASON = Type.Enum(namesOf<DeclineReason>(DECLINE_REASONS), {
  title: 'DeclineReason',
})
export const DECLINE_REASON_OR_NULL = Type.Union([DECLINE_REASON, Type.Null()])
export const TRANSACTION_FLAG = Type.Enum(namesOf<TransactionFlag>(TRANSACTION_FLAGS), {
  title: 'TransactionFlag',
})
export const DECIDED_BY = Type.Enum(namesOf<DecidedBy>(DECIDED_BY_REFERENCE), {
  title: 'DecidedBy',
})
export const TENANT_OUTCOME = Type.Enum(namesOf<TenantOutcome>(OUTCOME_REFERENCE), {
  title: 'TenantOutcome',
})
export const STAND_IN_CAP = Type.Enum([...STAND_IN_CAPS], { title: 'StandInCap' })
export const RETRY_ADVICE = Type.Enum(namesOf<RetryAdvice>(RETRY_ADVICE_REFERENCE), {
  title: 'RetryAdvice',
})
/** Own words of a caller, or a reason of the service. */
export const SUSPEND_REASON = Type.String({ title: 'SuspendReason' })
export const TERMINATE_REASON = Type.String({ title: 'TerminateReason' })
export const DISABLED_REASON = Type.String({ title: 'DisabledReason' })
export const DELIVERY_ERROR = Type.Enum(namesOf<DeliveryError>(DELIVERY_ERROR_REFERENCE), {
  title: 'DeliveryError',
})
export const SETTLEMENT_FAILURE_CODE = Type.String({ title: 'SettlementFailureCode' })
export const PAYMENT_ACCOUNT_SUSPEND_REASON = Type.String({ title: 'PaymentAccountSuspendReason' })
export const BILLING_STATUS_REASON = Type.Enum(
  namesOf<keyof typeof BILLING_REASON_REFERENCE>(BILLING_REASON_REFERENCE),
  { title: 'BillingStatusReason' },
)
