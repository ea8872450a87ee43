// The values of the examples, by the name of a field, or by the operation, field or resource that
// holds it: a purchase of 12.50 in a bookshop in Portland with a card of the program “Travel
// cards”, decided by the tenant.
import { FIELD_EXAMPLES } from './example-fields.ts'
import { RESOURCE_EXAMPLES } from './example-resources.ts'
import { TRANSACTION_EXAMPLES } from './example-transactions.ts'

/** By `field`, and by `holder.field`, which counts before it; `*` stands for any key of a map. */
export const EXAMPLES: { readonly [path: string]: unknown } = {
  ...FIELD_EXAMPLES,
  ...RESOURCE_EXAMPLES,
  ...TRANSACTION_EXAMPLES,
}

/** Optional fields that an example of a call shows. */
export const SENT: ReadonlySet<string> = new Set([
  'batchUpdatePasses.passes.values',
  'createCard.external_id',
  'createCard.limits',
  'createCardholder.external_id',
  'createProgram.currency',
  'createProgram.realtime',
  'createSpendingControl.limits',
  'createSpendingControl.allowed_categories',
  'createWebhookEndpoint.event_types',
  'createApiKey.scope',
  'suspendCard.reason',
  'terminateCard.reason',
  'activateCard.last4',
  'batchRevokePasses.reason',
  'createDispute.explanation',
  'createDisputeEvidence.text',
  'createPass.holder_name',
  'createPass.values',
  'createPassTemplate.fields',
  'createPassTemplate.fields.primary',
  'replaceCardLimits.limits',
  'replaceCardLimits.limits.amount_cents',
  'replaceCard.reason',
  'createCard.limits.amount_cents',
  'createSpendingControl.limits.amount_cents',
  'createCardholder.first_name',
  'createCardholder.last_name',
  'createCardholder.email',
  'rotateSecretWebhookEndpoint.expires_in',
  'testWebhookEndpoint.event_type',
  'evaluateCard.entry_method',
  'revokePass.reason',
  'shipSimulateCard.carrier',
  'updatePass.values',
  'updateSpendingControl.limits',
  'createSimulateCardNetworkMessage.merchant',
  'scanPass.latitude',
  'scanPass.longitude',
  'scanPass.medium',
])

/** Optional fields that an example of an answer leaves out. */
export const LEFT_OUT: ReadonlySet<string> = new Set(['disabled_reason', 'available_amount_cents'])
