// Every effect that operators have on pages, each one call of the operators' API.

/** The id of a move that is about no resource. */
export const NONE = '-'

/** A field of a move's form. Amounts and counts are whole numbers. */
export interface DeskField {
  name: string
  label: string
  kind: 'text' | 'number' | 'choice' | 'yes_no' | 'lines' | 'days'
  options?: readonly string[]
  hint?: string
  isOptional?: true
  /** For days, the read whose answer has the tenant's clock, below `/operator/v1`. */
  clock?: string
  /** The field stands in the path, not in the body. */
  inPath?: true
}

export interface DeskMove {
  method: 'POST' | 'PUT' | 'DELETE'
  /** Below `/operator/v1`; `{id}` is the resource unless a field has it, other names are fields. */
  path: string
  /** The button. */
  label: string
  /** The effect in a sentence, for the page that asks for the passkey. */
  text: string
  isGrave?: true
  fields?: readonly DeskField[]
  /** The sentence after it worked. */
  done: string
  /** The page afterwards, with `{id}`. */
  back: string
  /** The answer has a secret, which is shown once. */
  showsSecret?: true
}

const REASON: DeskField = { name: 'reason', label: 'Reason', kind: 'text' }
const ENVIRONMENT: DeskField = {
  ...{ name: 'environment', label: 'Environment', kind: 'choice', options: ['sandbox', 'live'] },
}
const SUSPENDED_BY: DeskField = {
  ...{ name: 'suspended_by', label: 'Asked for by', kind: 'choice' },
  options: ['provider_risk', 'sponsor_bank', 'regulator'],
}
const IN_PATH = { ...ENVIRONMENT, inPath: true } as const
const TENANT = '/operator/tenants/{id}'

const TENANT_MOVES = {
  suspend_tenant: {
    ...{ method: 'POST', path: '/tenants/{id}/suspend', label: 'Suspend', isGrave: true },
    text: 'Suspend the tenant and its programs: every authorization is declined.',
    ...{ fields: [SUSPENDED_BY, REASON], done: 'The tenant is suspended.', back: TENANT },
  },
  resume_tenant: {
    ...{ method: 'POST', path: '/tenants/{id}/resume', label: 'Resume' },
    text: 'Lift the suspension of the tenant and of the programs suspended with it.',
    ...{ done: 'The tenant is active again.', back: TENANT },
  },
  grant_realtime: {
    ...{ method: 'PUT', path: '/tenants/{id}/realtime', label: 'Real-time decisions' },
    text: 'Say whether the tenant may be asked before an approval.',
    fields: [{ name: 'entitled', label: 'May be asked', kind: 'yes_no' }],
    ...{ done: 'The right to real-time decisions is saved.', back: TENANT },
  },
  grant_payments: {
    ...{ method: 'PUT', path: '/tenants/{id}/payments', label: 'Payments in live' },
    text: 'Say whether the tenant may take payments in live.',
    fields: [{ name: 'entitled', label: 'May take payments', kind: 'yes_no' }],
    ...{ done: 'The right to payments is saved.', back: TENANT },
  },
  lift_limits: {
    ...{ method: 'PUT', path: '/tenants/{id}/rate_limit', label: 'Raise sandbox limits' },
    text: 'Raise the rate limits of the tenant’s sandbox for a while.',
    fields: [
      { name: 'factor', label: 'Times the usual', kind: 'number' },
      { name: 'seconds', label: 'Seconds', kind: 'number' },
    ],
    ...{ done: 'The limits are raised.', back: TENANT },
  },
  restore_limits: {
    ...{ method: 'DELETE', path: '/tenants/{id}/rate_limit', label: 'Usual sandbox limits' },
    text: 'Give the tenant’s sandbox its usual rate limits again.',
    ...{ done: 'The usual limits are back.', back: TENANT },
  },
  issue_key: {
    ...{ method: 'POST', path: '/tenants/{id}/api_keys', label: 'Give a key' },
    text: 'Give the tenant a secret key; it is shown once.',
    fields: [
      ENVIRONMENT,
      { name: 'scope', label: 'Scope', kind: 'choice', options: ['read', 'write', 'admin'] },
      { name: 'name', label: 'Name', kind: 'text' },
    ],
    ...{ done: 'The key is made.', back: TENANT, showsSecret: true },
  },
  override_dunning: {
    ...{ method: 'PUT', path: '/tenants/{id}/dunning_override/{environment}' },
    ...{ label: 'Override the state of billing', isGrave: true },
    text: 'Set the state of the subscription for a while, whatever is owed.',
    fields: [
      IN_PATH,
      {
        ...{ name: 'state', label: 'State', kind: 'choice' },
        options: ['active', 'past_due', 'restricted', 'suspended'],
      },
      REASON,
      {
        ...{ name: 'expires_at', label: 'Days', kind: 'days', hint: 'from now, at most 90' },
        clock: '/tenants/{id}/billing/{environment}',
      },
    ],
    ...{ done: 'The override is in force.', back: TENANT },
  },
  end_override: {
    ...{ method: 'DELETE', path: '/tenants/{id}/dunning_override/{environment}' },
    ...{ label: 'End the override', text: 'End the override of the state of billing.' },
    ...{ fields: [IN_PATH], done: 'The override has ended.', back: TENANT },
  },
  give_credit: {
    ...{ method: 'POST', path: '/tenants/{id}/billing_credits', label: 'Give credit' },
    text: 'Add a credit that lowers the next invoices.',
    fields: [
      ENVIRONMENT,
      { name: 'amount_cents', label: 'Amount', kind: 'number', hint: 'in cents' },
      REASON,
    ],
    ...{ done: 'The credit is added.', back: TENANT },
  },
  settle_now: {
    ...{ method: 'POST', path: '/tenants/{id}/settlement_runs', label: 'Settle now' },
    text: 'Close a settlement batch for each account of the tenant with waiting captures.',
    ...{ fields: [ENVIRONMENT], done: 'The batches are closed.', back: '/operator/settlements' },
  },
} as const satisfies { readonly [name: string]: DeskMove }

const PROGRAMS = '/operator/programs'
const CLIENTS = '/operator/clients'
const SETTLEMENTS = '/operator/settlements'

/** By the last segment of the address that makes the move. */
export const MOVES: { readonly [name: string]: DeskMove } = {
  ...TENANT_MOVES,
  activate_program: {
    ...{ method: 'POST', path: '/programs/{id}/activate', label: 'Activate' },
    text: 'Activate the program: cards of it are authorized.',
    ...{ done: 'The program is active.', back: PROGRAMS },
  },
  reject_program: {
    ...{ method: 'POST', path: '/programs/{id}/reject', label: 'Reject', isGrave: true },
    text: 'Reject the program. The tenant reads the reason.',
    ...{ fields: [REASON], done: 'The program is rejected.', back: PROGRAMS },
  },
  suspend_program: {
    ...{ method: 'POST', path: '/programs/{id}/suspend', label: 'Suspend', isGrave: true },
    text: 'Suspend the program: every authorization of its cards is declined.',
    ...{ fields: [SUSPENDED_BY, REASON], done: 'The program is suspended.', back: PROGRAMS },
  },
  resume_program: {
    ...{ method: 'POST', path: '/programs/{id}/resume', label: 'Resume' },
    text: 'Lift the suspension of the program.',
    ...{ done: 'The program is active again.', back: PROGRAMS },
  },
  review_alert: {
    ...{ method: 'POST', path: '/sanctions_alerts/{id}/review', label: 'Decide' },
    text: 'Dismiss: the cardholder is another person. Confirm: the person stays frozen.',
    fields: [
      { name: 'decision', label: 'Decision', kind: 'choice', options: ['dismiss', 'confirm'] },
      { ...{ name: 'note', label: 'Note', kind: 'text', isOptional: true } },
    ],
    ...{ done: 'The alert is decided.', back: '/operator/alerts' },
  },
  make_client: {
    ...{ method: 'POST', path: '/oauth_clients', label: 'Add a platform' },
    text: 'Let a platform ask tenants for access. Its secret is shown once.',
    fields: [
      { name: 'name', label: 'Name', kind: 'text' },
      ENVIRONMENT,
      { name: 'kind', label: 'Kind', kind: 'choice', options: ['confidential', 'public'] },
      { name: 'redirect_uris', label: 'Return addresses', kind: 'lines', hint: 'one a line' },
      { name: 'scopes', label: 'Scopes', kind: 'lines', hint: 'one a line, as card:read' },
    ],
    ...{ done: 'The platform is added.', back: CLIENTS, showsSecret: true },
  },
  rotate_client: {
    ...{ method: 'POST', path: '/oauth_clients/{id}/rotate_secret', label: 'New secret' },
    text: 'Make another secret; the old one works for 24 hours.',
    ...{ done: 'The secret is new.', back: CLIENTS, showsSecret: true },
  },
  disable_client: {
    ...{ method: 'POST', path: '/oauth_clients/{id}/disable', label: 'Disable', isGrave: true },
    text: 'Disable the platform: its tokens are refused at once.',
    ...{ done: 'The platform is disabled.', back: CLIENTS },
  },
  enable_client: {
    ...{ method: 'POST', path: '/oauth_clients/{id}/enable', label: 'Enable' },
    text: 'Enable the platform again.',
    ...{ done: 'The platform is enabled.', back: CLIENTS },
  },
  decline_quote: {
    ...{ method: 'POST', path: '/quotes/{id}/decline', label: 'Decline', isGrave: true },
    text: 'Decline the request for an enterprise plan. The tenant reads the reason.',
    ...{ fields: [REASON], done: 'The request is declined.', back: '/operator/quotes' },
  },
  retry_batch: {
    ...{ method: 'POST', path: '/settlement_batches/{id}/resolve', label: 'Resolve' },
    text: 'Retry the failed batch, or abandon it.',
    fields: [
      { name: 'resolution', label: 'Resolution', kind: 'choice', options: ['retry', 'abandon'] },
    ],
    ...{ done: 'The review is resolved.', back: SETTLEMENTS },
  },
  cancel_batch: {
    ...{ method: 'POST', path: '/settlement_batches/{id}/cancel', label: 'Cancel a batch' },
    ...{ text: 'Cancel a batch whose transaction is in no block.', isGrave: true },
    fields: [{ name: 'id', label: 'Id of the batch', kind: 'text', inPath: true }],
    ...{ done: 'The batch is being canceled.', back: SETTLEMENTS },
  },
  cancel_withdrawal: {
    ...{ method: 'POST', path: '/payment_withdrawals/{id}/cancel', label: 'Cancel' },
    ...{ text: 'Cancel a withdrawal whose transaction is in no block.', isGrave: true },
    ...{ done: 'The withdrawal is being canceled.', back: '/operator/withdrawals' },
  },
  pause_chain: {
    ...{ method: 'POST', path: '/chains/{id}/pause', label: 'Pause settling', isGrave: true },
    text: 'Send no further transaction to the chain until settling is resumed.',
    ...{ done: 'Settling stands still.', back: SETTLEMENTS },
  },
  resume_chain: {
    ...{ method: 'POST', path: '/chains/{id}/resume', label: 'Resume settling' },
    text: 'Send transactions to the chain again.',
    ...{ done: 'Settling goes on.', back: SETTLEMENTS },
  },
  link_operator: {
    ...{ method: 'POST', path: '/operators/{id}/link', label: 'Name the person' },
    text: 'Name the person who works on these pages as this operator.',
    fields: [{ name: 'email', label: 'Email', kind: 'text' }],
    ...{ done: 'The person is named.', back: '/operator/operators' },
  },
  revoke_operator: {
    ...{ method: 'POST', path: '/operators/{id}/revoke', label: 'Revoke', isGrave: true },
    text: 'Revoke the credential of the operator for ever.',
    ...{ done: 'The operator is revoked.', back: '/operator/operators' },
  },
}
