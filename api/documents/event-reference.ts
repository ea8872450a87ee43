// The trigger of each event, for the reference. A type of the catalog without a sentence here does
// not compile. Spec 6.2.
import type { EventType } from '../../shared/event-catalog.ts'

export const EVENT_REFERENCE: { readonly [Type in EventType]: string } = {
  'card.created': 'A virtual or physical card is issued.',
  'card.activated': 'A card is activated: from now on it can pay.',
  'card.shipped': 'A physical card was handed to the carrier; shipping has its tracking number.',
  'card.suspended': 'A card is suspended by you, by its cardholder or by fraud rules.',
  'card.resumed': 'A suspended card is active again.',
  'card.terminated': 'A card is terminated for ever.',
  'card.transaction.authorized':
    'The network asked for an authorization or an increment and it was approved; recorded before the approval leaves.',
  'card.transaction.declined': 'An authorization was declined, by whomever; decided_by says so.',
  'card.transaction.captured': 'A merchant took what was authorized, or a part of it.',
  'card.transaction.refunded': 'A refund was posted.',
  'card.transaction.reversed':
    'A hold or a capture was given back, or a hold ran out; reversal says which.',
  'dispute.created': 'A dispute is filed.',
  'dispute.updated': 'A dispute reached another stage: needs_response, submitted, won or lost.',
  'dispute.evidence_required': 'The sponsor bank needs more evidence by a deadline.',
  'dispute.expired': 'The window of a dispute closed without a response; its outcome is recorded.',
  'payment.authorized': 'The rules and limits passed a payment: its amount is held.',
  'payment.needs_confirmation':
    'The holder has to approve a payment with the passkey before it can be captured.',
  'payment.confirmed': 'The holder approved a payment with the passkey.',
  'payment.captured':
    'The chain transaction of a capture is final; recorded once for each capture.',
  'payment.refunded': 'The chain transaction of a refund is final.',
  'payment.voided':
    'What was left of a payment is released; void_cause says why, voided_cents how much.',
  'payment.failed': 'A capture failed on the chain; failure says why.',
  'payment.risk_declined': 'A rule or limit declined a payment; decision has the trace.',
  'payment.settlement_batch_completed':
    'The chain transaction of a settlement batch is final; transaction_hash names it.',
  'payment.settlement_batch_failed': 'A settlement batch failed; its manual review is open.',
  'payment.settlement_retry_requested': 'An operator queued a failed payment for another try.',
  'payment.settlement_manually_triggered': 'An operator closed a settlement batch by hand.',
  'billing.trial_started': 'A trial of 30 days begins.',
  'billing.plan_changed':
    'Another plan is in force, by a call, at the end of a period or by an operator; previous_plan says which it replaces.',
  'billing.subscription_canceled': 'A subscription is set to end with its period.',
  'billing.payment_method_updated': 'A card was added with which invoices can be paid.',
  'billing.portal_accessed': 'The portal of payment methods and invoices was opened.',
  'billing.addon_toggled': 'An add-on was enabled or disabled.',
  'billing.enterprise_quote_requested': 'A quote for an enterprise plan was requested.',
  'billing.dunning_state_overridden':
    'An operator set the state of a subscription for a while; dunning_override says which.',
  'billing.enterprise_quote_provisioned': 'An operator put an enterprise plan into force.',
  'program.activated': 'A program is set up: cards can be issued in it.',
  'program.suspended': 'Issuing cards in a program is suspended.',
  'program.resumed': 'Cards can be issued in a program again.',
  'cardholder.created': 'A cardholder is recorded.',
  'cardholder.kyc.completed': 'The verification of a cardholder has a result.',
  'cardholder.kyc.requires_action':
    'The verification of a cardholder needs a person to look at it.',
  'cardholder.sanctions.alert':
    'A cardholder may stand on a sanctions or PEP list: they are frozen until an operator has reviewed it.',
  'api_key.created': 'An API key was made.',
  'api_key.revoked': 'An API key was revoked, or its 24 hours of pending revocation ended.',
  'webhook_endpoint.disabled':
    'An endpoint failed five attempts of one delivery and was disabled; told to all your other endpoints.',
  'pass_template.created': 'A pass template is made.',
  'pass_template.updated': 'A pass template is changed; its passes follow in the background.',
  'pass_template.archived': 'A pass template is archived: no passes are issued from it any more.',
  'pass.created': 'A pass is issued.',
  'pass.installed': 'A pass that no wallet had is put into one; platform says into which.',
  'pass.updated':
    'A field of a pass changed, by a call or because its template changed; previous_attributes has what it was.',
  'pass.scanned':
    'A scanner read a pass, or what claims to be one; verification_result says what it was.',
  'pass.revoked': 'A pass is revoked for ever.',
  'pass.removed': 'The last wallet that had a pass has it no more.',
}
