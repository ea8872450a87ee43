// The event types this service records. One row per type; Spec 6.2.

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
  'program.activated': { resource: 'program' },
  'program.suspended': { resource: 'program' },
  'program.resumed': { resource: 'program' },
  'cardholder.created': { resource: 'cardholder' },
  'cardholder.kyc.completed': { resource: 'cardholder' },
  'cardholder.kyc.requires_action': { resource: 'cardholder' },
  'cardholder.sanctions.alert': { resource: 'cardholder' },
  'api_key.created': { resource: 'api_key' },
  'api_key.revoked': { resource: 'api_key' },
  'webhook_endpoint.disabled': { resource: 'endpoint' },
} as const

export type EventType = keyof typeof EVENT_TYPES

/** Synchronous and never listed: it is a question to the tenant, not something that happened. */
export const AUTHORIZATION_REQUEST_TYPE = 'card.transaction.authorization_request'

/** The newest date-style version: what new tenants are pinned to. Spec 9. */
export const API_VERSION = '2026-12-01'
