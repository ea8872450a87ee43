// The values that a call or an event leaves behind, for its example: a card that was suspended
// shows so. They count before every other value.
import { DECLINE_REASONS, responseCodeOf } from '../../shared/decline-reason.ts'
import { EXAMPLE_SECONDS } from './example-ids.ts'

/** In place of a value: it is made from the schema, whatever other examples say. */
export const FROM_SCHEMA = Symbol('from the schema')

const DAY_S = 86_400
const REASON = 'Asked by the cardholder'
const DECLINED = 'insufficient_funds'

const SUSPENDED_CARD = {
  status: 'suspended',
  suspended_by: 'tenant',
  suspend_reason: REASON,
}
const SUSPENDED_PROGRAM = {
  ...{ status: 'suspended', suspended_by: 'sponsor_bank' },
  suspend_reason: 'Too many disputes in October',
}
const REVOKED_KEY = { status: 'revoked', revoked_at: EXAMPLE_SECONDS }
const FROZEN = { frozen: true, frozen_by: 'tenant', frozen_reason: REASON }
const NO_HOLD = { hold_expires_at: null, 'sums.open_hold_cents': 0, 'amounts.hold.amount': 0 }
const CAPTURED = {
  ...{ status: 'captured', captured_cents: 1250, capturable_cents: 0, capture_pending_cents: 0 },
  captures: FROM_SCHEMA,
}

/** By operation or type of event, then by the path of the field. */
const BY_NAME: { readonly [name: string]: { readonly [path: string]: unknown } } = {
  suspendCard: SUSPENDED_CARD,
  'card.suspended': SUSPENDED_CARD,
  terminateCard: { status: 'terminated', terminate_reason: 'lost' },
  'card.terminated': { status: 'terminated', terminate_reason: 'lost' },
  'card.shipped': { type: 'physical', status: 'issued', shipping: FROM_SCHEMA },
  wipeSandbox: { wipes: 1 },
  replaceCard: { replaces: 'card_01m7wdgzf0h2q7x9vd4kz8s1fn' },
  freezeCardholder: FROZEN,
  'cardholder.sanctions.alert': {
    ...{ frozen: true, frozen_by: 'sanctions', frozen_reason: null },
    'screening.status': 'alert',
  },
  'cardholder.created': { 'kyc.status': 'not_started' },
  'cardholder.kyc.requires_action': { 'kyc.status': 'requires_action' },
  eraseCardholder: { status: 'inactive', erased_at: EXAMPLE_SECONDS },
  markPendingApiKey: { status: 'pending', revokes_at: EXAMPLE_SECONDS + DAY_S },
  revokeApiKey: REVOKED_KEY,
  'api_key.revoked': REVOKED_KEY,
  disablePerson: { status: 'disabled' },
  removePerson: { status: 'disabled' },
  revokeInvitation: { status: 'revoked' },
  revokeOauthGrant: { status: 'revoked' },
  createWebhookEndpointRecovery: { status: 'running', finished_at: null },
  cancelWebhookEndpointRecovery: { status: 'canceled', cancel_reason: 'asked' },
  replayWebhookEndpoint: { state: 'pending' },
  testWebhookEndpoint: { state: 'pending' },
  archivePassTemplate: { status: 'archived' },
  'pass_template.archived': { status: 'archived' },
  revokePass: { status: 'revoked', revoke_reason: REASON },
  'pass.revoked': { status: 'revoked', revoke_reason: REASON },
  'pass.removed': { status: 'removed' },
  'pass.created': { status: 'active' },
  retireSpendingControl: { state: 'retired' },
  suspendWalletToken: { status: 'suspended' },
  deactivateWalletToken: { status: 'deactivated' },
  submitDispute: { status: 'submitted' },
  'dispute.expired': { status: 'expired' },
  disableSettlementAccount: { status: 'disabled' },
  suspendPaymentAccount: { status: 'suspended', suspend_reason: 'requested' },
  closePaymentAccount: { status: 'closed' },
  revokePaymentMandate: { status: 'revoked' },
  confirmPaymentWithdrawal: { status: 'pending' },
  cancelPaymentWithdrawal: { status: 'canceled' },
  capturePayment: { status: 'capture_pending', capture_pending_cents: 1250, capturable_cents: 0 },
  voidPayment: { status: 'voided', void_cause: 'requested', capturable_cents: 0 },
  refundPayment: { ...CAPTURED, refund_pending_cents: 1250, refunds: FROM_SCHEMA },
  'payment.authorized': { status: 'authorized' },
  'payment.needs_confirmation': { status: 'needs_confirmation' },
  'payment.captured': CAPTURED,
  'payment.refunded': {
    ...CAPTURED,
    status: 'refunded',
    refunded_cents: 1250,
    refunds: FROM_SCHEMA,
  },
  'payment.voided': { status: 'voided', void_cause: 'requested', capturable_cents: 0 },
  'payment.failed': { status: 'failed', failure: FROM_SCHEMA },
  'payment.risk_declined': {
    ...{ status: 'risk_declined', decline_reason: 'limit_daily', capturable_cents: 0 },
    confirmation: null,
  },
  'payment.settlement_batch_completed': { status: 'completed' },
  'payment.settlement_batch_failed': { status: 'failed', failure: FROM_SCHEMA },
  acceptBillingQuote: {
    ...{ status: 'accepted', accepted_at: EXAMPLE_SECONDS },
    accepted_by: 'user_01m7wdgzf0fs28n3488hcbjt71',
  },
  withdrawBillingQuote: { status: 'withdrawn' },
  'billing.enterprise_quote_provisioned': { status: 'active' },
  trialBilling: { status: 'trialing' },
  'billing.trial_started': { status: 'trialing' },
  cancelBillingSubscription: { cancel_at_period_end: true },
  'billing.dunning_state_overridden': {
    ...{ status: 'restricted', status_reason: 'overridden', dunning_override: FROM_SCHEMA },
  },
  'billing.subscription_canceled': { status: 'canceled', status_reason: 'requested' },
  suspendSimulateProgram: SUSPENDED_PROGRAM,
  'program.suspended': SUSPENDED_PROGRAM,
  'card.transaction.declined': {
    ...NO_HOLD,
    ...{ status: 'declined', decline_reason: DECLINED, approved_amount_cents: 0 },
    flags: ['declined'],
    'sums.authorized_cents': 0,
    'amounts.approved.amount': 0,
    'decision.approved': false,
    'decision.approved_amount_cents': 0,
    'decision.authorization_code': null,
    'decision.decline_reason': DECLINED,
    'decision.response_code': responseCodeOf(DECLINED),
    'decision.retry_advice': DECLINE_REASONS[DECLINED].retry,
    'decision.webhook.outcome': 'answered_decline',
    'decision.webhook.decline_reason': DECLINED,
  },
  'card.transaction.captured': {
    ...NO_HOLD,
    ...{ status: 'captured', captures: FROM_SCHEMA },
    'sums.captured_cents': 1250,
  },
  'card.transaction.refunded': {
    ...NO_HOLD,
    ...{ status: 'refunded', captures: FROM_SCHEMA, refunds: FROM_SCHEMA },
    'sums.captured_cents': 1250,
    'sums.refunded_cents': 1250,
  },
  'card.transaction.reversed': {
    ...NO_HOLD,
    ...{ status: 'reversed', reversals: FROM_SCHEMA },
    'sums.reversed_cents': 1250,
  },
}

/** By path: the operation or event type, then the fields. */
export const RESULTS: ReadonlyMap<string, unknown> = new Map(
  Object.entries(BY_NAME).flatMap(([name, values]) =>
    Object.entries(values).map(([path, value]) => [name + '.' + path, value] as const),
  ),
)
