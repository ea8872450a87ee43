// What a wipe deletes, as a table: each root is walked in the order of its key, a part at a time, and what hangs on a part goes
// before it. Kept are the tenant itself, its keys, people, factors and limits, its clock, the counters that order its lists, the
// audit log, and what belongs to the installation: files of networks, versions of facts that journals name.

/** Rows that go with those of another table. */
export interface Hanging {
  table: string
  /** Its column that names the other's rows. */
  column: string
  /** What hangs on these rows in turn. */
  with?: readonly Hanging[]
}

export interface WipedRoot {
  table: string
  /** Orders it within its owner, by an index. */
  key: 'id' | 'seq'
  /** What others of the same table may name goes after them. */
  newestFirst?: true
  /** Chosen: so many at a time that no statement comes near its time limit. */
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
      { table: 'card_transaction_messages', column: 'transaction_id' },
    ],
  },
  { table: 'pass_scans', key: 'id', part: 1000, with: [] },
]

/** Everything else, behind it. */
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
    ],
  },
  {
    table: 'pass_images',
    key: 'id',
    part: 100,
    with: [{ table: 'pass_image_scales', column: 'image_id' }],
  },
  { table: 'scanners', key: 'id', part: 1000, with: [] },
  {
    table: 'cards',
    key: 'id',
    newestFirst: true,
    // Each is looked for among its owner's transactions.
    part: 200,
    with: [
      { table: 'card_reveal_tokens', column: 'card_id' },
      { table: 'wallet_tokens', column: 'card_id' },
      { table: 'authentications', column: 'card_id' },
      CONTROLS,
    ],
  },
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
      CONTROLS,
    ],
  },
  {
    table: 'spending_controls',
    key: 'seq',
    part: 1000,
    // Its versions go with it.
    with: [{ table: 'spending_control_shadow', column: 'control_id' }],
  },
  { table: 'programs', key: 'id', part: 100, with: [CONTROLS] },
  {
    table: 'webhook_endpoints',
    key: 'id',
    part: 100,
    with: [
      // Tests are of no event.
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
