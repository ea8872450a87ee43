// The ids, the moment and the hash of the examples.

export const TAIL = '_01m7wdgzf0fs28n3488hcbjt71'
export const HASH = '9f2d1c7b6a5e4d3c2b1a0f9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a29181706'

/** Unix seconds of the examples' moment, 2026-11-20T12:00:00Z. */
export const EXAMPLE_SECONDS = 1_795_176_000

/** Id prefixes of the kinds whose name does not give the prefix. */
const PREFIXES: { readonly [kind: string]: string } = {
  account: 'ten',
  api_key: 'key',
  audit_log_entry: 'aud',
  refused_call: 'rcl',
  card_reveal_token: 'card',
  card_transaction: 'txn',
  cardholder: 'ch',
  certification: 'cert',
  clearing_file: 'clf',
  dispute: 'dsp',
  dispute_evidence: 'devd',
  factor_challenge: 'fch',
  invitation: 'ivt',
  kyb_application: 'kyb',
  oauth_client: 'oac',
  oauth_grant: 'ogr',
  operator: 'op',
  pass: 'pass',
  pass_image: 'pimg',
  pass_scan: 'pscan',
  pass_template: 'ptpl',
  payment: 'pay',
  payment_account: 'pacc',
  payment_mandate: 'man',
  payment_withdrawal: 'wdr',
  payment_capture: 'cap',
  payment_refund: 'ref',
  settlement_account: 'sacc',
  settlement_batch: 'stb',
  person: 'user',
  subscription: 'sub',
  invoice: 'inv',
  billing_notice: 'ntc',
  billing_exception: 'bex',
  payment_method: 'bpm',
  portal_session: 'bps',
  usage_adjustment: 'adj',
  quote: 'quo',
  program: 'prog',
  sanctions_alert: 'alert',
  sandbox_clock: 'ten',
  sandbox_wipe: 'wipe',
  scanner: 'scn',
  simulated_message: 'sim',
  simulated_scenario: 'sim',
  spending_control: 'ctl',
  spending_control_backtest: 'bkt',
  tenant: 'ten',
  token: 'tok',
  wallet_token: 'wtok',
  webhook_delivery: 'dlv',
  webhook_endpoint: 'we',
  webhook_recovery: 'rcv',
}

/** An id of a resource of this kind. */
export function exampleIdOf(kind: string): string {
  if (kind === 'card_transaction_message') return 'txn' + TAIL + '-1'
  return (PREFIXES[kind] ?? 'card') + TAIL
}

/** Ids for paths, by the collection that stands before them. */
export const EXAMPLE_IDS: { readonly [collection: string]: string } = Object.fromEntries(
  Object.entries({
    cards: 'card',
    cardholders: 'ch',
    programs: 'prog',
    events: 'evt',
    card_transactions: 'txn',
    spending_controls: 'ctl',
    wallet_tokens: 'wtok',
    webhook_endpoints: 'we',
    webhook_deliveries: 'dlv',
    recoveries: 'rcv',
    certifications: 'cert',
    disputes: 'dsp',
    sanctions_alerts: 'alert',
    tokens: 'tok',
    tenants: 'ten',
    operators: 'op',
    pass_templates: 'ptpl',
    passes: 'pass',
    payment_accounts: 'pacc',
    payments: 'pay',
    payment_mandates: 'man',
    payment_withdrawals: 'wdr',
    settlement_accounts: 'sacc',
    settlement_batches: 'stb',
    invoices: 'inv',
    notices: 'ntc',
    payment_methods: 'bpm',
    portal_sessions: 'bps',
    refused_calls: 'rcl',
    quotes: 'quo',
    pass_images: 'pimg',
    pass_scans: 'pscan',
    scanners: 'scn',
    people: 'user',
    api_keys: 'key',
    factor_challenges: 'fch',
    clearing_files: 'clf',
  }).map(([collection, prefix]) => [collection, prefix + TAIL]),
)
