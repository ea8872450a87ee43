// The tables that a wipe empties: the wipe walks each root in the order of its key, a part at a
// time, and deletes dependent rows first. The wipe keeps the tenant itself, its keys, people,
// factors and limits, its clock, the counters that order its lists, the audit log, and the
// installation's data: files of networks, versions of config records that journals name.

/** Rows that depend on rows of another table. */
export interface Hanging {
  table: string
  /** Column that names the other table's rows. */
  column: string
  /** Rows that depend on these rows in turn. */
  with?: readonly Hanging[]
}

export interface WipedRoot {
  table: string
  /** Order within the owner, with an index, except of `at`, which several rows may share. */
  key: 'id' | 'seq' | 'at'
  /** Rows that others of the same table may name go last. */
  newestFirst?: true
  /** Chosen: small enough that no statement comes near its time limit. */
  part: number
  with: readonly Hanging[]
}

const CONTROLS: Hanging = { table: 'controls', column: 'subject_id' }
const ATTEMPTS: Hanging = { table: 'delivery_attempts', column: 'delivery_id' }

/** Tables that grow with traffic, in the order in which they are emptied. */
export const HISTORY: readonly WipedRoot[] = [
  {
    table: 'events',
    key: 'seq',
    part: 1000,
    with: [
      { table: 'event_outbox', column: 'event_id' },
      { table: 'open_deliveries', column: 'event_id', with: [ATTEMPTS] },
      { table: 'ended_deliveries', column: 'event_id', with: [ATTEMPTS] },
    ],
  },
  {
    table: 'card_transactions',
    key: 'seq',
    part: 1000,
    with: [
      { table: 'clearing_exceptions', column: 'transaction_id' },
      {
        table: 'disputes',
        column: 'transaction_id',
        with: [{ table: 'dispute_evidence', column: 'dispute_id' }],
      },
      { table: 'open_stand_in_decisions', column: 'transaction_id' },
      { table: 'stand_in_acknowledgements', column: 'transaction_id' },
      { table: 'card_transaction_messages', column: 'transaction_id' },
    ],
  },
  { table: 'pass_scans', key: 'id', part: 1000, with: [] },
  {
    table: 'payments',
    key: 'id',
    part: 1000,
    with: [
      { table: 'payment_captures', column: 'payment_id' },
      { table: 'payment_refunds', column: 'payment_id' },
      { table: 'settlement_batch_payments', column: 'payment_id' },
    ],
  },
  { table: 'payment_mandates', key: 'id', part: 1000, with: [] },
  {
    table: 'payment_withdrawals',
    key: 'id',
    part: 1000,
    with: [{ table: 'settlement_attempts', column: 'withdrawal_id' }],
  },
  {
    table: 'settlement_batches',
    key: 'id',
    part: 1000,
    with: [{ table: 'settlement_attempts', column: 'batch_id' }],
  },
]

/** All other tables, after the history. */
export const RESOURCES: readonly WipedRoot[] = [
  {
    table: 'passes',
    key: 'id',
    part: 1000,
    with: [
      { table: 'pass_installations', column: 'pass_id' },
      { table: 'pass_pushes', column: 'pass_id' },
    ],
  },
  {
    table: 'pass_templates',
    key: 'id',
    part: 100,
    with: [
      { table: 'pass_template_versions', column: 'template_id' },
      { table: 'pass_fanouts', column: 'template_id' },
      { table: 'pass_counts', column: 'template_id' },
      { table: 'pass_days', column: 'template_id' },
    ],
  },
  {
    table: 'pass_images',
    key: 'id',
    part: 100,
    with: [{ table: 'pass_image_scales', column: 'image_id' }],
  },
  { table: 'scanners', key: 'id', part: 1000, with: [] },
  { table: 'payment_accounts', key: 'id', part: 1000, with: [CONTROLS] },
  { table: 'settlement_accounts', key: 'id', part: 1000, with: [] },
  {
    table: 'billing_invoices',
    key: 'id',
    part: 100,
    with: [
      { table: 'billing_invoice_lines', column: 'invoice_id' },
      { table: 'billing_collections', column: 'invoice_id' },
    ],
  },
  {
    table: 'billing_subscriptions',
    key: 'id',
    part: 100,
    with: [
      { table: 'billing_addons', column: 'subscription_id' },
      { table: 'billing_notices', column: 'subscription_id' },
      { table: 'billing_credits', column: 'subscription_id' },
      {
        table: 'billing_segments',
        column: 'subscription_id',
        with: [
          { table: 'billing_usage', column: 'segment_id' },
          { table: 'billing_adjustments', column: 'segment_id' },
          { table: 'billing_rated', column: 'segment_id' },
        ],
      },
    ],
  },
  { table: 'billing_quotes', key: 'id', part: 100, with: [] },
  { table: 'billing_payment_methods', key: 'id', part: 100, with: [] },
  { table: 'billing_portal_sessions', key: 'id', part: 100, with: [] },
  {
    table: 'billing_customers',
    key: 'id',
    part: 100,
    with: [
      { table: 'billing_mirrors', column: 'customer_id' },
      { table: 'billing_mirrored', column: 'customer_id' },
    ],
  },
  {
    table: 'cards',
    key: 'id',
    newestFirst: true,
    // Each row is matched with its owner's transactions.
    part: 200,
    with: [
      { table: 'card_reveal_tokens', column: 'card_id' },
      { table: 'wallet_tokens', column: 'card_id' },
      { table: 'authentications', column: 'card_id' },
      CONTROLS,
    ],
  },
  { table: 'refused_calls', key: 'id', part: 1000, with: [] },
  // After the cards: no entry of them is drained any more.
  { table: 'authorization_counts', key: 'at', part: 5000, with: [] },
  { table: 'stand_in_counts', key: 'at', part: 5000, with: [] },
  { table: 'card_tokens', key: 'id', part: 5000, with: [] },
  {
    table: 'cardholders',
    key: 'id',
    part: 1000,
    with: [
      {
        table: 'identity_verifications',
        column: 'cardholder_id',
        with: [{ table: 'identity_findings', column: 'verification_id' }],
      },
      { table: 'sanctions_alerts', column: 'cardholder_id' },
      { table: 'cardholder_erasures', column: 'id' },
      CONTROLS,
    ],
  },
  {
    table: 'spending_controls',
    key: 'seq',
    part: 1000,
    // The control's versions go with it.
    with: [
      { table: 'spending_control_shadow', column: 'control_id' },
      { table: 'spending_control_backtests', column: 'control_id' },
    ],
  },
  { table: 'programs', key: 'id', part: 100, with: [CONTROLS] },
  {
    table: 'webhook_endpoints',
    key: 'id',
    part: 100,
    with: [
      // Test deliveries have no event.
      { table: 'open_deliveries', column: 'endpoint_id', with: [ATTEMPTS] },
      { table: 'ended_deliveries', column: 'endpoint_id', with: [ATTEMPTS] },
      { table: 'endpoint_sweeps', column: 'endpoint_id' },
      { table: 'endpoint_absences', column: 'endpoint_id' },
      { table: 'endpoint_hours', column: 'endpoint_id' },
      { table: 'recoveries', column: 'endpoint_id' },
      { table: 'webhook_secrets', column: 'endpoint_id' },
      { table: 'certifications', column: 'endpoint_id' },
    ],
  },
]
