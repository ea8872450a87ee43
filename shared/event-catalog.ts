// The event types this service records. One row per type; Spec 6.2.

/** Which of a tenant's events leave first: 0 cards and security, 1 bulk. */
export type Lane = 0 | 1

/**
 * `bulk` marks events that imports and fan-outs make by the hundred thousand and that no user waits
 * for.
 */
export const EVENT_TYPES = {
  'card.created': { resource: 'card' },
  'card.shipped': { resource: 'card' },
  'card.activated': { resource: 'card' },
  'card.suspended': { resource: 'card' },
  'card.resumed': { resource: 'card' },
  'card.terminated': { resource: 'card' },
  'card.transaction.authorized': { resource: 'transaction' },
  'card.transaction.declined': { resource: 'transaction' },
  'card.transaction.captured': { resource: 'transaction' },
  'card.transaction.refunded': { resource: 'transaction' },
  'card.transaction.reversed': { resource: 'transaction' },
  'dispute.created': { resource: 'dispute' },
  'dispute.updated': { resource: 'dispute' },
  'dispute.evidence_required': { resource: 'dispute' },
  'dispute.expired': { resource: 'dispute' },
  'payment.authorized': { resource: 'payment' },
  'payment.needs_confirmation': { resource: 'payment' },
  'payment.confirmed': { resource: 'payment' },
  'payment.captured': { resource: 'payment' },
  'payment.refunded': { resource: 'payment' },
  'payment.voided': { resource: 'payment' },
  'payment.failed': { resource: 'payment' },
  'payment.risk_declined': { resource: 'payment' },
  'payment.settlement_batch_completed': { resource: 'settlement_batch' },
  'payment.settlement_batch_failed': { resource: 'settlement_batch' },
  'payment.settlement_retry_requested': { resource: 'payment' },
  'payment.settlement_manually_triggered': { resource: 'settlement_batch' },
  'billing.trial_started': { resource: 'subscription' },
  'billing.plan_changed': { resource: 'subscription' },
  'billing.subscription_canceled': { resource: 'subscription' },
  'billing.payment_method_updated': { resource: 'payment_method' },
  'billing.portal_accessed': { resource: 'portal_session' },
  'billing.addon_toggled': { resource: 'addon' },
  'billing.enterprise_quote_requested': { resource: 'quote' },
  'billing.dunning_state_overridden': { resource: 'subscription' },
  'billing.enterprise_quote_provisioned': { resource: 'subscription' },
  'program.activated': { resource: 'program' },
  'program.suspended': { resource: 'program' },
  'program.resumed': { resource: 'program' },
  'cardholder.created': { resource: 'cardholder', bulk: true },
  'cardholder.kyc.completed': { resource: 'cardholder' },
  'cardholder.kyc.requires_action': { resource: 'cardholder' },
  'cardholder.sanctions.alert': { resource: 'cardholder' },
  'api_key.created': { resource: 'api_key' },
  'api_key.revoked': { resource: 'api_key' },
  'webhook_endpoint.disabled': { resource: 'endpoint' },
  'pass_template.created': { resource: 'pass_template' },
  'pass_template.updated': { resource: 'pass_template' },
  'pass_template.archived': { resource: 'pass_template' },
  'pass.created': { resource: 'pass', bulk: true },
  'pass.installed': { resource: 'pass' },
  'pass.updated': { resource: 'pass', bulk: true },
  'pass.scanned': { resource: 'scan' },
  'pass.revoked': { resource: 'pass', bulk: true },
  'pass.removed': { resource: 'pass' },
} as const satisfies { [type: string]: { resource: string; bulk?: true } }

export type EventType = keyof typeof EVENT_TYPES

export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as EventType[]

/** The lane in which events of this type leave. */
export function laneOf(type: EventType): Lane {
  return 'bulk' in EVENT_TYPES[type] ? 1 : 0
}

/** A synchronous request to the tenant. It is never listed, because it reports no event. */
export const AUTHORIZATION_REQUEST_TYPE = 'card.transaction.authorization_request'

/** The newest date-style version, to which new tenants are pinned. Spec 9. */
export const API_VERSION = '2026-12-01'
