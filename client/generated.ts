// Written by `npm run client` from the API's document; changes are lost.

/** The version that these types are of. */
export const API_VERSION = '2026-12-01'

export interface Account {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'account'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  name: string
  environment: 'sandbox' | 'live'
  /** The version its answers and events are in, in both environments. */
  api_version: string
  /** Every version that may be pinned, newest first. */
  api_versions: string[]
  /** Only once approved are there live keys and active live programs. */
  kyb_status: 'pending' | 'approved' | 'rejected'
  /** While suspended, nothing new is made. */
  status: 'active' | 'suspended'
  suspended_by: 'regulator' | 'sponsor_bank' | 'provider_risk' | null
  suspend_reason: string | null
  entitlements: {
    /** May be asked before an approval. */
    realtime: boolean
  }
  rate_limits: {
    /** Calls per minute of this environment, by bucket. */
    buckets: { [key: string]: number }
    /** How many times the usual, and until when (Unix seconds, by our clock); null where nothing was lifted. */
    override: {
      factor: number
      expires_at: number
    } | null
  }
  /** Null in live. */
  sandbox_clock: {
    /** Unix seconds by it. */
    now: number
    /** How far it is ahead of ours. */
    offset_ms: number
  } | null
}

export interface Address {
  line1: string
  line2: string | null
  city: string
  state: string | null
  postal_code: string | null
  /** ISO 3166-1 alpha-2. */
  country: string
}

export interface ApiKey {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'api_key'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  name: string
  role: 'secret' | 'publishable'
  scope: 'read' | 'write' | 'admin'
  /** The state it is in. */
  status: 'active' | 'pending' | 'revoked'
  /** What the secret begins with and ends with. */
  prefix: string
  /** The last four digits of the number. */
  last4: string
  /** Address ranges it may be used from; none: from anywhere. */
  cidrs: string[]
  /** The person who approved its making, or the key that made it; null of those the installation began with. */
  created_by: string | null
  /** To the minute. */
  last_used_at: number | null
  last_used_ip: string | null
  /** Until then a pending key works; null in the other states. */
  revokes_at: number | null
  revoked_at: number | null
  /** Web pages from which it was sent. A secret key that has any is in the hands of strangers. */
  browser_sightings: {
    origin: string
    first_at: number
    last_at: number
    count: number
  }[]
  /** Your own id of it, unique among resources of this kind. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface ApiKeyList {
  /** The resources of this page. */
  data: ApiKey[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface AuditLogEntry {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'audit_log_entry'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Counts the rows of the log from 1, without gaps. */
  seq: number
  actor: {
    /** system: what time brought about. */
    type: 'api_key' | 'operator' | 'system'
    /** The id, for ever the same. */
    id: string | null
  }
  /** The method and path of the call, for example POST /v1/cards/:id/suspend, or what the system did. Of calls that changed nothing: secret_key_in_browser the first from each web page, ip_not_allowed those from outside a key's ranges. */
  action: string
  /** What the call answered with, where that has an id. */
  resource_id: string | null
  request_id: string | null
  /** Where the call came from. */
  address: string | null
  /** The person who approved it, where it needed a second factor. */
  approved_by: string | null
  /** SHA-256, lower-case hex: of the row before, and over it and everything in this one. */
  previous_hash: string
  hash: string
}

export interface AuditLogEntryList {
  /** The resources of this page. */
  data: AuditLogEntry[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface AuditLogVerification {
  /** What this is. */
  object: 'audit_log_verification'
  valid: boolean
  rows: number
  broken: {
    seq: number
    /** The id, for ever the same. */
    id: string | null
    problem: string
  } | null
  head: {
    seq: number
    hash: string
  } | null
  next_from: number | null
}

export interface Authentication {
  /** The 3DS transaction's id. */
  id: string
  /** What this is. */
  object: 'authentication'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The card. */
  card_id: string
  result: 'authenticated' | 'attempted' | 'failed'
  /** Unix seconds from which the result no longer counts. */
  expires_at: number
}

export interface AuthorizationReply {
  /** Whether you let it pass. */
  approve: boolean
  /** Why not, where approve is false. */
  decline_reason?: string
  /** Less than was asked, where the terminal can take a partial approval. */
  approved_amount_cents?: number
  /** Kept with the transaction. */
  metadata?: { [key: string]: string }
}

export interface Card {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'card'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  type: 'virtual' | 'physical'
  /** The state it is in. */
  status: 'issued' | 'active' | 'suspended' | 'terminated'
  token: string
  /** The last four digits of the number. */
  last4: string
  exp_month: number
  exp_year: number
  /** ISO 4217 code, three capital letters. */
  currency: string
  /** The program. */
  program_id: string
  /** The cardholder. */
  cardholder_id: string
  /** Your own id of it, unique among resources of this kind. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
  /** What is printed on it; null where nothing else than the cardholder's own name was asked for. */
  name_on_card: string | null
  /** Null for virtual cards. */
  shipping: Shipping | null
  limits: Limit[]
  /** Active ones that bind the card: its own, its cardholder's, its program's. */
  spending_control_ids: string[]
  /** The card that this one was issued for, which is terminated. */
  replaces: string | null
  /** Who suspended it. the tenant, the cardholder or fraud rules. */
  suspended_by: 'tenant' | 'cardholder' | 'fraud_rule' | null
  suspend_reason: string | null
  terminate_reason: string | null
}

export interface CardDetails {
  pan: string
  exp_month: number
  exp_year: number
  cvc?: string
}

export interface CardEvaluation {
  /** What this is. */
  object: 'card_evaluation'
  /** The card. */
  card_id: string
  approved: boolean
  approved_amount_cents: number
  response_code: string
  decline_reason: string | null
  decline_detail: string | null
  retry_advice: string | null
  /** Of the message's currency. */
  currency: string
  max_approvable_amount_cents: number
  /** True where the tenant would be asked before the approval leaves. */
  would_ask: boolean
  trace: unknown[]
  /** What drafts would have said; they change nothing. */
  shadow: ({
    spending_control_id: string
    version: number
    decline_reason: string | null
  })[]
  config: {
    program_version: number
    cardholder_state_version: number
    card_state_version: number
    controls_version: ControlsVersion
    engine_build: string
  }
}

export interface CardList {
  /** The resources of this page. */
  data: Card[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface CardReveal {
  /** What this is. */
  object: 'card_reveal'
  pan: string | null
  cvc: string | null
  exp_month: number | null
  exp_year: number | null
}

export interface CardRevealToken {
  /** The card's. */
  id: string
  /** What this is. */
  object: 'card_reveal_token'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  fields: ('pan' | 'cvc' | 'expiry')[]
  /** Shown here and never again. */
  token: string
  /** Unix seconds from which it is worth nothing. */
  expires_at: number
  /** Path of this API to which the token is sent, in a body and without a key. */
  url: '/v1/card_reveals'
}

export interface CardTransaction {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'card_transaction'
  /** When it was made, in Unix seconds. */
  created: number
  sequence: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The state it is in. */
  status: 'authorized' | 'declined' | 'reversed' | 'expired' | 'partially_captured' | 'captured' | 'partially_refunded' | 'refunded' | 'pending'
  direction: 'credit' | 'debit'
  /** A whole number of the currency’s smallest unit. */
  amount_cents: number
  approved_amount_cents: number | null
  /** ISO 4217 code, three capital letters. */
  currency: string
  decline_reason: string | null
  flags: string[]
  sums: TransactionSums
  hold_expires_at: string | null
  original_transaction_id: string | null
  authorization_request: {
    /** The id, for ever the same. */
    id: string
    kind: 'initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser'
    attempt: number
    deadline_at: string
    budget_ms: number
  }
  message: {
    /** The id, for ever the same. */
    id: string
    kind: 'authorization' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'advice' | 'reversal' | 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal'
    mti: string
    is_repeat: boolean
    is_advice: boolean
    is_final: boolean
    network: string
    network_transaction_id: string
    original_network_transaction_id: string
    transmitted_at: string
  }
  amounts: {
    merchant: Money
    cardholder: Money
    requested_delta: Money
    cumulative: Money
    hold: Money
    approved: Money | null
    settlement: Money | null
    fx: {
      rate: string
      source: string
      rate_at: string | null
      markup_bps: number
    } | null
    components: {
      cashback: Money
      fee: Money
    }
  }
  partial_approval_capable: boolean
  merchant: {
    /** The id, for ever the same. */
    id: string
    name: string
    /** The merchant’s category, four digits (ISO 18245). */
    mcc: string
    city: string
    country: string
  }
  entry: {
    method: 'chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown'
    card_present: boolean
    initiator: 'cardholder' | 'merchant'
    recurring: boolean
    wallet: string | null
    token_id: string | null
    fallback_from_chip: boolean
  }
  verification: {
    cvc: string | null
    expiry: string | null
    pin: string | null
    three_ds: {
      result: string | null
      /** The card transaction. */
      transaction_id: string | null
      claim: string | null
    }
    wallet_token: string | null
  }
  program: {
    /** The id, for ever the same. */
    id: string
    state_version: number
  }
  cardholder: {
    /** The id, for ever the same. */
    id: string
    /** The state it is in. */
    status: string
    state_version: number
  }
  card: {
    /** The id, for ever the same. */
    id: string
    /** The last four digits of the number. */
    last4: string
    type: 'virtual' | 'physical'
    /** The state it is in. */
    status: string
    state_version: number
  }
  controls_snapshot: {
    controls_version: ControlsVersion
    limits: LimitHeadroom[]
  }
  preliminary: {
    would_approve: boolean
    would_decline_reason: null
    stand_in_would: {
      approve: boolean
      decline_reason: string | null
    } | null
  } | null
  decision: TransactionDecision | null
  increments: ({
    /** The id, for ever the same. */
    id: string
    sequence: number
    message_id: string | null
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** When it was made, in Unix seconds. */
    created: number
    flags: string[]
    approved: boolean
    decline_reason: string | null
  })[]
  adjustments: ({
    /** The id, for ever the same. */
    id: string
    sequence: number
    message_id: string | null
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** When it was made, in Unix seconds. */
    created: number
    flags: string[]
  })[]
  captures: ({
    /** The id, for ever the same. */
    id: string
    sequence: number
    message_id: string | null
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** When it was made, in Unix seconds. */
    created: number
    flags: string[]
  })[]
  refunds: ({
    /** The id, for ever the same. */
    id: string
    sequence: number
    message_id: string | null
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** When it was made, in Unix seconds. */
    created: number
    flags: string[]
    reversed: boolean
  })[]
  reversals: ({
    /** The id, for ever the same. */
    id: string
    sequence: number
    message_id: string | null
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** When it was made, in Unix seconds. */
    created: number
    flags: string[]
    stage: 'post_capture' | 'pre_capture'
    cause: 'expiry' | 'merchant'
    partial: boolean
  })[]
  reversal: {
    stage: 'post_capture' | 'pre_capture'
    cause: 'expiry' | 'merchant'
    partial: boolean
  } | null
  disputes: ({
    /** The id, for ever the same. */
    id: string
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** The state it is in. */
    status: 'needs_response' | 'submitted' | 'won' | 'lost' | 'expired'
    outcome: 'won' | 'lost' | null
    /** When it was made, in Unix seconds. */
    created: number
  })[]
  clearing_exceptions: ({
    clearing_file_id: string
    kind: string
    sequence: number | null
    /** When it was made, in Unix seconds. */
    created: number
  })[]
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface CardTransactionList {
  /** The resources of this page. */
  data: CardTransaction[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface CardTransactionMessage {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'card_transaction_message'
  /** The card transaction. */
  transaction_id: string
  sequence: number
  /** When it was made, in Unix seconds. */
  created: number
  kind: 'authorization' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'advice' | 'reversal' | 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal' | 'expiry'
  event: string
  /** A whole number of the currency’s smallest unit. */
  amount_cents: number
  /** The state it is in. */
  status: 'authorized' | 'declined' | 'reversed' | 'expired' | 'partially_captured' | 'captured' | 'partially_refunded' | 'refunded'
  flags: string[]
  sums: TransactionSums
  hold_expires_at: string | null
  authorization_request_id: string | null
  message: {
    /** The id, for ever the same. */
    id: string
    kind: 'authorization' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'advice' | 'reversal' | 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal'
    mti: string
    is_repeat: boolean
    is_advice: boolean
    is_final: boolean
    network: string
    network_transaction_id: string
    original_network_transaction_id: string
    transmitted_at: string
  } | null
  amounts: {
    merchant: Money
    cardholder: Money
    fx: {
      rate: string
      source: string
      rate_at: string | null
      markup_bps: number
    } | null
  } | null
  decision: TransactionDecision | null
}

export interface CardTransactionMessageList {
  /** The resources of this page. */
  data: CardTransactionMessage[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface Cardholder {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'cardholder'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The program. */
  program_id: string
  type: 'individual'
  name: string
  first_name: string | null
  last_name: string | null
  email: string | null
  /** E.164. */
  phone: string | null
  /** YYYY-MM-DD. */
  date_of_birth: string | null
  address: Address | null
  /** Pending: not screened yet. Alert: a hit awaits its review, and they are frozen. Confirmed: they stay frozen for good. */
  status: 'active' | 'inactive'
  kyc: Kyc
  /** Whether they stand on a sanctions or PEP list. */
  screening: Screening
  /** While true, every authorization of every card of this cardholder is declined, whatever status says. */
  frozen: boolean
  frozen_reason: string | null
  /** Null while they are not frozen. */
  frozen_by: 'tenant' | 'operator' | 'sanctions' | null
  /** Your own id of it, unique among resources of this kind. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface CardholderList {
  /** The resources of this page. */
  data: Cardholder[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface Certification {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'certification'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: false
  endpoint_id: string
  /** Where the endpoint was when it was probed. */
  url: string
  /** The state it is in. */
  status: 'running' | 'finished'
  /** True where every probe passed; null while it runs. */
  certified: boolean | null
  finished_at: number | null
  /** Names of the probes that did not pass. */
  failed: string[]
  probes: CertificationProbe[]
}

export interface CertificationList {
  /** The resources of this page. */
  data: Certification[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface CertificationProbe {
  name: string
  sent: string
  expected: string
  got: string
  latency_ms: number
  passed: boolean
}

export interface ClearingEntry {
  message_id: string
  kind: 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal'
  /** A whole number of the currency’s smallest unit. */
  amount_cents: number
  /** ISO 4217 code, three capital letters. */
  currency: string
}

export interface ClearingException {
  /** What this is. */
  object: 'clearing_exception'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  clearing_file_id: string
  network: string
  business_date: string
  kind: 'amount_mismatch' | 'currency_mismatch' | 'missing_here' | 'missing_in_file' | 'named_twice'
  message_id: string
  message_kind: 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal'
  /** As the file says. */
  in_file: {
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** ISO 4217 code, three capital letters. */
    currency: string
  } | null
  /** As the network's message said. */
  recorded: {
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** ISO 4217 code, three capital letters. */
    currency: string
  } | null
  /** Whose it is; null where nothing is recorded. */
  tenant_id: string | null
  /** The card transaction. */
  transaction_id: string | null
  /** The place of the message in its transaction. */
  sequence: number | null
}

export interface ClearingExceptionList {
  /** The resources of this page. */
  data: ClearingException[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface ClearingFile {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'clearing_file'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  network: string
  /** The network's own id of the file. */
  file_id: string
  business_date: string
  /** The state it is in. */
  status: 'open' | 'closed'
  closed_at: string | null
  entries: number
  matched: number
  /** How many of each kind; missing_in_file is known once the file is closed. */
  exceptions: {
    amount_mismatch: number
    currency_mismatch: number
    missing_here: number
    missing_in_file: number
    named_twice: number
  }
}

export interface ClearingFileList {
  /** The resources of this page. */
  data: ClearingFile[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface ControlsVersion {
  program: number
  cardholder: number
  card: number
}

export interface Dispute {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'dispute'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The card transaction. */
  transaction_id: string
  /** The card. */
  card_id: string
  /** The cardholder. */
  cardholder_id: string
  /** Minor units of currency, which is the card's. */
  amount_cents: number
  /** ISO 4217 code, three capital letters. */
  currency: string
  /** Why, in your words; shown wherever the change is shown. */
  reason: 'fraudulent' | 'not_received' | 'duplicate' | 'product_unacceptable' | 'credit_not_processed' | 'canceled' | 'other'
  explanation: string | null
  /** The state it is in. */
  status: 'needs_response' | 'submitted' | 'won' | 'lost' | 'expired'
  outcome: 'won' | 'lost' | null
  /** When the latest response was or is due. */
  evidence_due_by: string
  /** What the sponsor bank asked for last, in its words. */
  evidence_requested: string | null
  evidence_count: number
  submitted_at: string | null
  resolved_at: string | null
  /** Your own id of it, unique among resources of this kind. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface DisputeEvidence {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'dispute_evidence'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  dispute_id: string
  kind: 'statement' | 'receipt' | 'correspondence' | 'shipping' | 'cancellation' | 'credit_promise' | 'other'
  text: string | null
  /** Those of EVIDENCE_FIELDS that were given. */
  fields: { [key: string]: string | number }
}

export interface DisputeEvidenceList {
  /** The resources of this page. */
  data: DisputeEvidence[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface DisputeList {
  /** The resources of this page. */
  data: Dispute[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface Error {
  error: {
    /** The category. */
    type: 'invalid_request' | 'authentication_failed' | 'permission_denied' | 'not_found' | 'conflict' | 'rate_limited' | 'internal_error' | 'unavailable'
    /** What went wrong, for programs. New codes may be added. */
    code: 'parameter_missing' | 'parameter_invalid' | 'parameter_unknown' | 'parameters_exclusive' | 'invalid_cursor' | 'invalid_json' | 'malformed_request' | 'message_stale' | 'header_duplicated' | 'missing_credential' | 'invalid_credential' | 'key_revoked' | 'malformed_header' | 'invalid_signature' | 'timestamp_out_of_tolerance' | 'certificate_required' | 'certificate_refused' | 'insufficient_scope' | 'ip_not_allowed' | 'feature_not_enabled' | 'program_not_active' | 'account_suspended' | 'kyb_not_approved' | 'factor_required' | 'factor_denied' | 'resource_missing' | 'route_not_found' | 'method_not_allowed' | 'request_timeout' | 'invalid_state' | 'version_conflict' | 'already_exists' | 'last_owner' | 'cardholder_not_approved' | 'cardholder_frozen' | 'amount_not_disputable' | 'too_much_evidence' | 'clearing_file_differs' | 'clearing_file_incomplete' | 'too_many_endpoints' | 'too_many_controls' | 'idempotency_key_in_use' | 'factor_expired' | 'length_required' | 'payload_too_large' | 'unsupported_media_type' | 'idempotency_key_reused' | 'headers_too_large' | 'tenant_limit' | 'address_limit' | 'unauthenticated_limit' | 'connection_limit' | 'internal_error' | 'overloaded' | 'not_ready' | 'dependency_unavailable'
    /** What went wrong, for people. */
    message: string
    /** The field at fault. */
    param: string | null
    /** Names the request in our log. */
    request_id: string
    /** Of insufficient_scope: what would be enough. */
    required_scope?: string
    /** Of invalid_state: where the resource is. */
    current_status?: string
    /** Of invalid_state: from where the move is possible. */
    allowed_from?: string[]
    /** Of rate_limited: milliseconds to wait. */
    retry_after_ms?: number
    /** Of factor_required: the page on which a person approves. */
    challenge_url?: string
  }
}

export interface Event {
  /** The id, for ever the same. */
  id: string
  /** What happened, for example card.created. */
  type: string
  /** When it was made, in Unix seconds. */
  created: number
  /** The version that data is in: the one you were pinned to when it happened. */
  api_version: string
  /** The resource at that moment, under its name, as its GET shows it in that version. */
  data: { [key: string]: unknown }
  /** Of changes: what the changed fields were before. */
  previous_attributes?: { [key: string]: unknown }
}

export interface EventList {
  /** The resources of this page. */
  data: Event[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface FactorChallenge {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'factor_challenge'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The state it is in. */
  status: 'pending' | 'completed'
  /** What the repeated call carries as Svc-Factor; null while nobody has decided. */
  token: string | null
  /** Unix seconds: until then somebody may decide, and afterwards the token may be used. */
  expires_at: number
}

export interface Kyc {
  /** Pending: not screened yet. Alert: a hit awaits its review, and they are frozen. Confirmed: they stay frozen for good. */
  status: 'not_started' | 'pending' | 'requires_action' | 'approved' | 'rejected'
  /** Why it is rejected or requires action, in the provider's words; empty otherwise. */
  reasons: string[]
  /** The latest verification; null before the first. */
  verification_id: string | null
  /** Unix seconds of approval or rejection; null before. */
  completed_at: number | null
}

export interface Limit {
  /** The id, for ever the same. */
  id: string
  scope: 'program' | 'cardholder' | 'card'
  interval: 'per_authorization' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'all_time' | 'rolling'
  /** A whole number of the currency’s smallest unit. */
  amount_cents: number | null
  count: number | null
  /** ISO 4217 code, three capital letters. */
  currency: string
  /** IANA name of the zone in which days, weeks and months begin. */
  time_zone: string
  rolling_seconds: number | null
}

export interface LimitHeadroom {
  /** The id, for ever the same. */
  id: string | number | boolean | null
  scope: string | number | boolean | null
  interval: string | number | boolean | null
  /** A whole number of the currency’s smallest unit. */
  amount_cents: number | null
  used_cents: number | null
  reserved_cents: number | null
  remaining_cents: number | null
  /** ISO 4217 code, three capital letters. */
  currency: string | number | boolean | null
  count: number | null
  used_count: number | null
  reserved_count: number | null
  remaining_count: number | null
  window_start: string | null
  resets_at: string | null
  /** IANA name of the zone in which days, weeks and months begin. */
  time_zone: string | number | boolean | null
}

export interface Money {
  /** A whole number of the currency's smallest unit. */
  amount: number
  /** ISO 4217 code, three capital letters. */
  currency: string
  /** How many decimals the currency has. */
  exponent: number
}

export interface NetworkMessageInput {
  /** The card. */
  card_id: string
  /** Names the message: the same again is a repeat, which is answered as before. */
  id?: string
  /** What the message asks or says; authorization where it is left out. */
  kind?: 'authorization' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'advice' | 'reversal' | 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal'
  /** When the network sent it, by the installation’s clock; now where it is left out. */
  transmitted_at?: string
  /** Names the transaction; a new one where it is left out. */
  network_transaction_id?: string
  /** The network_transaction_id of the transaction that this message continues. */
  original_network_transaction_id?: string
  /** The card’s where it is left out. */
  currency?: string
  merchant?: {
    /** Names the message: the same again is a repeat, which is answered as before. */
    id: string
    name: string
    /** The merchant’s category, four digits (ISO 18245). */
    mcc: string
    city: string
    country: string
  }
  card?: {
    /** As printed on the card; left out, the terminal does not send it. */
    exp_month?: number
    /** As printed on the card, four digits. */
    exp_year?: number
    /** The code on the card; kept nowhere. */
    cvc?: string
    /** As it was typed in; kept nowhere. */
    pin?: string
  }
  billing?: {
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** The card’s where it is left out. */
    currency: string
    rate?: string
  }
  advice?: {
    approved: boolean
    decided_by?: 'network' | 'sponsor_bank'
    /** ISO 8583 field 39. */
    response_code?: string
  }
  wallet?: {
    provider?: string
    token_id: string
  }
  three_ds?: {
    /** The transaction of its first message. */
    transaction_id?: string
    claim: 'authenticated' | 'attempted' | 'failed' | 'exempt'
  }
  /** A whole number of the currency’s smallest unit. */
  amount_cents: number
  cashback_cents?: number
  fee_cents?: number
  transaction_type?: string
  entry_method?: string
  fallback_from_chip?: boolean
  initiator?: 'cardholder' | 'merchant'
  recurring?: boolean
  partial_approval_capable?: boolean
  final?: boolean
}

export interface Operator {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'operator'
  /** When it was made, in Unix seconds. */
  created: number
  name: string
  /** The end of the credential. */
  last4: string
  /** A revoked one never works again. */
  status: 'active' | 'revoked'
}

export interface OperatorList {
  /** The resources of this page. */
  data: Operator[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface Person {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'person'
  /** When it was made, in Unix seconds. */
  created: number
  /** With which they sign in, in lower case; nobody else of the tenant has it. */
  email: string
  /** What people call them. */
  name: string
  /** Owners and admins approve calls, members do not. */
  role: 'owner' | 'admin' | 'member'
  /** A disabled person approves nothing. */
  status: 'active' | 'disabled'
}

export interface PersonList {
  /** The resources of this page. */
  data: Person[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface Program {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'program'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Your own id of it, unique among resources of this kind. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
  name: string
  /** Only while active are cards issued in it and authorizations approved. */
  status: 'pending' | 'active' | 'suspended' | 'rejected'
  /** Who suspended it; null where it is not suspended. */
  suspended_by: 'regulator' | 'sponsor_bank' | 'provider_risk' | null
  suspend_reason: string | null
  /** Why it is not activated; null where it was not rejected. */
  reject_reason: string | null
  /** The currency of cards that name none; null where each names its own. */
  currency: string | null
  /** True when the tenant is asked before an approval. */
  realtime: boolean
  /** What happens when the tenant is silent. */
  stand_in: 'controls' | 'decline'
  hold_expiry: ({
    mccs: string[] | null
    card_present: boolean | null
    initiator: 'cardholder' | 'merchant' | null
    hours: number
  })[]
  hold_adjustments: ({
    mccs: string[]
    mode: 'replace' | 'add_percent' | 'add_amount'
    /** Minor units, or whole percent. */
    value: number
    max_cents: number | null
  })[]
  /** What rates of our own cost on top, in hundredths of a percent. */
  fx_margin_bps: number
  /** IANA name of the zone in which days, weeks and months begin. */
  time_zone: string
  /** The endpoint that is asked, or null where the tenant made none the one. */
  realtime_endpoint_id: string | null
  stand_in_policy: {
    version: number
    max_per_authorization_cents: number | null
    max_per_card_per_day_cents: number | null
    /** Over all cards of the tenant in the running hour. */
    max_per_hour_cents: number | null
    /** Kinds that stand-in always declines. */
    excluded_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[]
  } | null
  /** Rules that are not named stay as they are. */
  fraud_rules: ({
    name: 'card_testing' | 'cvc_failures' | 'pin_failures'
    /** A draft only tells; an active one suspends the card. */
    state: 'draft' | 'active' | 'off'
    count: number
    seconds: number
    /** Of card_testing: authorizations up to this amount count. Null of the others. */
    amount_cents: number | null
  })[]
}

export interface ProgramList {
  /** The resources of this page. */
  data: Program[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface SanctionsAlert {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'sanctions_alert'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The cardholder. */
  cardholder_id: string
  /** Dismissed: it is somebody else. Confirmed: it is the person on the list, who stays frozen. */
  status: 'open' | 'dismissed' | 'confirmed'
  /** Best first. */
  hits: ({
    /** The list and its own id of the entry, for example ofac:2674. */
    listed_id: string
    kind: 'sanctions' | 'pep'
    /** The name on the list that is most alike. */
    name: string
    /** Why they are listed, in the list’s own words. */
    program: string
    /** How alike, to 100. */
    score: number
    /** What speaks for and against it. */
    reasons: string[]
  })[]
  /** Of the lists that were screened against. */
  list_version: string
  /** Unix seconds; null while nobody has decided. */
  reviewed_at: number | null
}

export interface SanctionsAlertList {
  /** The resources of this page. */
  data: SanctionsAlert[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface SandboxClock {
  /** Names the message: the same again is a repeat, which is answered as before. */
  id: string
  /** What this is. */
  object: 'sandbox_clock'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** What time it is in the sandbox, in Unix seconds. */
  now: number
  /** How far it is ahead of the installation’s time, in milliseconds. It never goes back. */
  offset_ms: number
}

export interface SandboxWipe {
  /** Names the message: the same again is a repeat, which is answered as before. */
  id: string
  /** What this is. */
  object: 'sandbox_wipe'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** How often this sandbox was emptied, this time included. */
  wipes: number
  /** Rows that were deleted, by table; only where there were some. */
  deleted: { [key: string]: number }
}

export interface Screening {
  /** Pending: not screened yet. Alert: a hit awaits its review, and they are frozen. Confirmed: they stay frozen for good. */
  status: 'pending' | 'clear' | 'alert' | 'confirmed'
  /** Unix seconds; null before the first screening. */
  screened_at: number | null
  /** Of the lists they were screened against last; null before. */
  list_version: string | null
  /** Alerts that await their review, oldest first. */
  open_alert_ids: string[]
}

export interface Shipping {
  name: string | null
  line1: string | null
  line2: string | null
  city: string | null
  state: string | null
  postal_code: string | null
  country: string | null
  /** The state it is in. */
  status: 'pending' | 'shipped' | 'delivered' | 'returned'
  carrier: string | null
  /** Once handed to the carrier. */
  tracking_number: string | null
}

export interface SimulatedMessage {
  /** Names the message: the same again is a repeat, which is answered as before. */
  id: string
  /** What this is. */
  object: 'simulated_message'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The card. */
  card_id: string
  /** Null where the engine made none of it. The transaction is there as soon as it is recorded, within moments. */
  transaction_id: string | null
  message: {
    /** Names the message: the same again is a repeat, which is answered as before. */
    id: string
    /** What the message asks or says; authorization where it is left out. */
    kind: 'authorization' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'advice' | 'reversal' | 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal'
    /** When the network sent it, by the installation’s clock; now where it is left out. */
    transmitted_at: string
    /** Names the transaction; a new one where it is left out. */
    network_transaction_id: string
    /** Null where the message begins a transaction. */
    original_network_transaction_id: string | null
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** The card’s where it is left out. */
    currency: string
    merchant: {
      /** Names the message: the same again is a repeat, which is answered as before. */
      id: string
      name: string
      /** The merchant’s category, four digits (ISO 18245). */
      mcc: string
      city: string
      country: string
    }
  }
  /** What the network was answered. */
  answer: {
    message_id: string
    /** Null where the engine made none of it. The transaction is there as soon as it is recorded, within moments. */
    transaction_id: string | null
    approved: boolean
    approved_amount_cents: number
    /** ISO 8583 field 39. */
    response_code: string
    authorization_code: string | null
    decline_reason: string | null
    decided_by: string
    stand_in: boolean
    /** Only to a balance inquiry: what could be spent now. */
    available_amount_cents?: number
  }
}

export interface SimulatedScenario {
  /** Names the message: the same again is a repeat, which is answered as before. */
  id: string
  /** What this is. */
  object: 'simulated_scenario'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The card. */
  card_id: string
  scenario: 'approve' | 'approve_and_capture' | 'approve_and_reverse' | 'capture_in_parts' | 'incremental' | 'refund' | 'wrong_expiry' | 'account_verification'
  /** The transaction of its first message. */
  transaction_id: string | null
  /** One after the other, each answered before the next was sent. */
  messages: SimulatedMessage[]
}

export interface SpendingControl {
  /** As shown; what it names is kept by interval, zone and filters, so it is not read. */
  id: string
  /** What this is. */
  object: 'spending_control'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  scope: 'program' | 'cardholder' | 'card'
  subject_id: string
  state: 'draft' | 'active' | 'retired'
  version: number
  /** When the version was written, and by which key; null where no caller wrote it. */
  updated: number
  updated_by: string | null
  /** Your own id of it, unique among resources of this kind. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
  /** Codes, and ranges 3000-3299. */
  allowed_mccs: string[] | null
  /** Codes, and ranges 3000-3299; instead of allowed_mccs, as with every pair here. */
  blocked_mccs: string[] | null
  /** Names of categories; with allowed_mccs they are one list. */
  allowed_categories: string[] | null
  blocked_categories: string[] | null
  allowed_merchant_ids: string[] | null
  blocked_merchant_ids: string[] | null
  allowed_countries: string[] | null
  blocked_countries: string[] | null
  allowed_currencies: string[] | null
  blocked_currencies: string[] | null
  allowed_entry_methods: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
  blocked_entry_methods: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
  allowed_card_presence: ('present' | 'not_present')[] | null
  blocked_card_presence: ('present' | 'not_present')[] | null
  allowed_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[] | null
  blocked_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[] | null
  allowed_wallets: string[] | null
  blocked_wallets: string[] | null
  /** Online payments need a 3DS authentication. */
  authentication: 'required' | null
  /** Chip cards whose stripe was read are declined. */
  fallback: 'blocked' | null
  /** One approved authorization, of exactly or at most an amount. */
  single_use: {
    mode: 'exact' | 'max'
    /** 0 allows nothing; null is no limit of the amount. */
    amount_cents: number | null
  } | null
  /** Only the merchant of the first approved authorization. */
  merchant_lock: boolean
  /** Approved authorizations after which nothing more is. */
  cancel_after: number | null
  /** Open in any of the periods; none is open always. */
  schedule: ({
    days: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[]
    /** Local time 08:00; until may be 24:00. */
    from: string
    until: string
    /** IANA name of the zone in which days, weeks and months begin. */
    time_zone: string
  })[]
  limits: ({
    /** As shown; what it names is kept by interval, zone and filters, so it is not read. */
    id: string
    interval: 'per_authorization' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'all_time' | 'rolling'
    /** 0 allows nothing; null is no limit of the amount. */
    amount_cents: number | null
    /** Approved authorizations; null is no limit of their number. */
    count: number | null
    /** ISO 4217 code, three capital letters. */
    currency: string
    /** IANA name of the zone in which days, weeks and months begin. */
    time_zone: string
    rolling_seconds: number | null
    filters: {
      mccs: string[] | null
      categories: string[] | null
      countries: string[] | null
      kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[] | null
      card_presence: 'present' | 'not_present' | null
    } | null
  })[]
}

export interface SpendingControlList {
  /** The resources of this page. */
  data: SpendingControl[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface SpendingControlShadow {
  /** What this is. */
  object: 'spending_control_shadow'
  spending_control_id: string
  would_approve: number
  would_decline: number
  versions: {
    version: number
    would_approve: number
    would_decline: number
    decline_reasons: {
      decline_reason: string
      /** Approved authorizations; null is no limit of their number. */
      count: number
    }[]
    /** Unix seconds of the first and the last authorization it judged. */
    first: number
    last: number
  }[]
}

export interface SpendingControlVersion {
  /** What this is. */
  object: 'spending_control_version'
  spending_control_id: string
  version: number
  state: 'draft' | 'active' | 'retired'
  /** When it was made, in Unix seconds. */
  created: number
  created_by: string | null
  /** Codes, and ranges 3000-3299. */
  allowed_mccs: string[] | null
  /** Codes, and ranges 3000-3299; instead of allowed_mccs, as with every pair here. */
  blocked_mccs: string[] | null
  /** Names of categories; with allowed_mccs they are one list. */
  allowed_categories: string[] | null
  blocked_categories: string[] | null
  allowed_merchant_ids: string[] | null
  blocked_merchant_ids: string[] | null
  allowed_countries: string[] | null
  blocked_countries: string[] | null
  allowed_currencies: string[] | null
  blocked_currencies: string[] | null
  allowed_entry_methods: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
  blocked_entry_methods: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
  allowed_card_presence: ('present' | 'not_present')[] | null
  blocked_card_presence: ('present' | 'not_present')[] | null
  allowed_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[] | null
  blocked_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[] | null
  allowed_wallets: string[] | null
  blocked_wallets: string[] | null
  /** Online payments need a 3DS authentication. */
  authentication: 'required' | null
  /** Chip cards whose stripe was read are declined. */
  fallback: 'blocked' | null
  /** One approved authorization, of exactly or at most an amount. */
  single_use: {
    mode: 'exact' | 'max'
    /** 0 allows nothing; null is no limit of the amount. */
    amount_cents: number | null
  } | null
  /** Only the merchant of the first approved authorization. */
  merchant_lock: boolean
  /** Approved authorizations after which nothing more is. */
  cancel_after: number | null
  /** Open in any of the periods; none is open always. */
  schedule: ({
    days: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[]
    /** Local time 08:00; until may be 24:00. */
    from: string
    until: string
    /** IANA name of the zone in which days, weeks and months begin. */
    time_zone: string
  })[]
  limits: ({
    /** As shown; what it names is kept by interval, zone and filters, so it is not read. */
    id: string
    interval: 'per_authorization' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'all_time' | 'rolling'
    /** 0 allows nothing; null is no limit of the amount. */
    amount_cents: number | null
    /** Approved authorizations; null is no limit of their number. */
    count: number | null
    /** ISO 4217 code, three capital letters. */
    currency: string
    /** IANA name of the zone in which days, weeks and months begin. */
    time_zone: string
    rolling_seconds: number | null
    filters: {
      mccs: string[] | null
      categories: string[] | null
      countries: string[] | null
      kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[] | null
      card_presence: 'present' | 'not_present' | null
    } | null
  })[]
}

export interface SpendingControlVersionList {
  /** The resources of this page. */
  data: SpendingControlVersion[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface StandInReport {
  /** What this is. */
  object: 'stand_in_report'
  /** Questions on which stand-in has a verdict, whoever decided them. */
  questions: number
  /** How they went, by webhook.outcome. */
  outcomes: { [key: string]: number }
  /** Decided by stand-in. */
  decided: {
    approved: number
    declined: number
  }
  /** What stand-in would have said where the tenant answered in time. */
  compared: {
    both_approve: number
    both_decline: number
    only_stand_in_approves: number
    only_tenant_approves: number
  }
  /** Of what the tenant declined: the share that stand-in would have approved. */
  false_approve_rate: number | null
  /** Of what the tenant approved: the share that stand-in would have declined. */
  false_decline_rate: number | null
  /** Answers that came after the deadline, and how many of them said the opposite of the decision. */
  late: {
    approved: number
    declined: number
    disagreed: number
  }
}

export interface Tenant {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'tenant'
  /** When it was made, in Unix seconds. */
  created: number
  /** What people call it. */
  name: string
  /** Who it is in law. */
  legal_name: string | null
  /** ISO 3166-1 alpha-2. */
  country: string | null
  /** The version it is pinned to. */
  api_version: string
  /** Only once approved are there live keys and active live programs. */
  kyb_status: 'pending' | 'approved' | 'rejected'
  /** Why it was decided like that, in the operator's words. */
  kyb_reason: string | null
  kyb_decided_at: number | null
  /** The state it is in. */
  status: 'active' | 'suspended'
  /** Who wants it suspended. */
  suspended_by: 'regulator' | 'sponsor_bank' | 'provider_risk' | null
  suspend_reason: string | null
  suspended_at: number | null
  /** May be asked before an approval. */
  realtime_entitled: boolean
  /** Those that have not run out. */
  rate_limit_overrides: {
    /** They can be lifted in the sandbox, and nowhere else. */
    environment: 'sandbox'
    /** Every bucket holds, and refills, so many times as much. */
    factor: number
    /** Unix seconds. */
    expires_at: number
  }[]
}

export interface TenantList {
  /** The resources of this page. */
  data: Tenant[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface Token {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'token'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  expires_at: number
  used_at: number | null
  card: {
    brand: 'visa' | 'mastercard' | 'amex' | 'discover' | 'unknown'
    /** The last four digits of the number. */
    last4: string
    exp_month: number
    exp_year: number
  }
}

export interface TraceStep {
  rule_id: string
  rule_version: number
  verdict: 'pass' | 'fail'
  /** What the rule looked at, by name. */
  inputs: { [key: string]: string | number | boolean | null }
}

export interface TransactionDecision {
  approved: boolean
  approved_amount_cents: number
  response_code: string
  authorization_code: string | null
  decline_reason: string | null
  decline_detail: string | null
  decided_by: string
  decided_at: string
  stand_in: boolean
  stand_in_detail: {
    cause: string | null
    cap_id: string | null
  } | null
  stand_in_would: {
    approve: boolean
    decline_reason: string | null
  } | null
  fraud_rule: string | null
  fraud_rules_in_draft: string[]
  breaker: string | null
  shadow: ({
    control_id: string
    version: number
    approve: boolean
    decline_reason: string | null
  })[]
  available_amount_cents: number | null
  retry_advice: string | null
  webhook: {
    outcome: string
    endpoint_id: string | null
    http_status: number | null
    latency_ms: number | null
    attempts: number
    error_hint: string | null
    decline_reason: string | null
    approved_amount_cents: number | null
    dropped_fields: string[]
    late_answer: {
      outcome: 'late_approve' | 'late_decline'
      late_answer_ms: number
      disagrees: boolean
    } | null
  } | null
  config: {
    controls_version: ControlsVersion
    card_state_version: number
    cardholder_state_version: number
    program_version: number
    fx_version: number | null
    engine_build: string
  }
  trace: TraceStep[]
  timings_us: {
    parse: number
    recall: number
    state_read: number
    controls: number
    reserve: number
    sign: number
    connect: number
    tenant_wait: number
    finalize: number
    total: number
  }
}

export interface TransactionSums {
  /** Approved by the first authorization, or by the network in our place. */
  authorized_cents: number
  /** Approved increments. */
  incremented_cents: number
  /** What the hold was raised or lowered beyond what was approved. */
  adjusted_cents: number
  /** Given back before capture. */
  reversed_cents: number
  /** Given back because the hold ran out. */
  expired_cents: number
  /** What a final capture left of the hold. */
  released_cents: number
  captured_cents: number
  capture_reversed_cents: number
  refunded_cents: number
  refund_reversed_cents: number
  /** What is held now. */
  open_hold_cents: number
}

export interface WalletToken {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'wallet_token'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The card. */
  card_id: string
  provider: string
  /** The state it is in. */
  status: 'active' | 'suspended' | 'deactivated'
}

export interface WalletTokenList {
  /** The resources of this page. */
  data: WalletToken[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface WebhookEndpoint {
  /** The id, for ever the same. */
  id: string
  /** What this is. */
  object: 'webhook_endpoint'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  url: string
  description: string
  /** Null: every type. */
  event_types: string[] | null
  /** The state it is in. */
  status: 'enabled' | 'disabled'
  realtime: {
    /** True of the one endpoint per tenant and environment that is asked before an authorization is approved. */
    is_realtime: boolean
    /** Of that one: whether it is asked. unknown while the engine is away. */
    breaker: {
      state: 'closed' | 'open' | 'half_open' | 'unknown'
      /** Unix seconds when it last opened or closed; null where it never opened since the engine started. */
      since: number | null
      opened_count: number | null
    } | null
  }
  disabled_reason?: string
  /** Every active one signs each delivery, the older first. Two while one replaces the other. */
  signing_secrets: {
    /** The id, for ever the same. */
    id: string
    /** When it was made, in Unix seconds. */
    created: number
  }[]
  /** Your own id of it, unique among resources of this kind. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
  secret: string
}

export interface WebhookEndpointList {
  /** The resources of this page. */
  data: ({
    /** The id, for ever the same. */
    id: string
    /** What this is. */
    object: 'webhook_endpoint'
    /** When it was made, in Unix seconds. */
    created: number
    /** True in live, false in the sandbox. */
    livemode: boolean
    url: string
    description: string
    event_types: string[] | null
    /** The state it is in. */
    status: 'enabled' | 'disabled'
    realtime: {
      is_realtime: boolean
      breaker: {
        state: 'closed' | 'open' | 'half_open' | 'unknown'
        since: number | null
        opened_count: number | null
      } | null
    }
    disabled_reason?: string
    signing_secrets: {
      /** The id, for ever the same. */
      id: string
      /** When it was made, in Unix seconds. */
      created: number
    }[]
    /** Your own id of it, unique among resources of this kind. */
    external_id: string | null
    /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
    metadata: { [key: string]: string }
  })[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

/** The data of every event, by its type. */
export interface EventData {
  'card.created': {
    card: Card
  }
  'card.shipped': {
    card: Card
  }
  'card.activated': {
    card: Card
  }
  'card.suspended': {
    card: Card
  }
  'card.resumed': {
    card: Card
  }
  'card.terminated': {
    card: Card
  }
  'card.transaction.authorized': {
    transaction: CardTransaction
  }
  'card.transaction.declined': {
    transaction: CardTransaction
  }
  'card.transaction.captured': {
    transaction: CardTransaction
  }
  'card.transaction.refunded': {
    transaction: CardTransaction
  }
  'card.transaction.reversed': {
    transaction: CardTransaction
  }
  'dispute.created': {
    dispute: Dispute
  }
  'dispute.updated': {
    dispute: Dispute
  }
  'dispute.evidence_required': {
    dispute: Dispute
  }
  'dispute.expired': {
    dispute: Dispute
  }
  'program.activated': {
    program: Program
  }
  'program.suspended': {
    program: Program
  }
  'program.resumed': {
    program: Program
  }
  'cardholder.created': {
    cardholder: Cardholder
  }
  'cardholder.kyc.completed': {
    cardholder: Cardholder
  }
  'cardholder.kyc.requires_action': {
    cardholder: Cardholder
  }
  'cardholder.sanctions.alert': {
    cardholder: Cardholder
  }
  'api_key.created': {
    api_key: ApiKey
  }
  'api_key.revoked': {
    api_key: ApiKey
  }
  'webhook_endpoint.disabled': {
    /** The endpoint that was disabled. */
    endpoint_id: string
    disabled_reason: 'retry_exhausted'
    /** How many attempts failed. */
    attempt_count: number
  }
  'card.transaction.authorization_request': {
    transaction: CardTransaction
  }
}

/** An event of any type: its `type` tells what is in its `data`. */
export type WebhookEvent = {
  [Type in keyof EventData]: Event & { type: Type; data: EventData[Type] }
}[keyof EventData]

/** What every operation takes and answers. */
export interface Operations {
  /** Lists what was changed, by whom and from where. Scope admin. */
  listAuditLog: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      action?: string
      actor?: string
      resource_id?: string
    }
    answer: AuditLogEntryList
  }
  /** Checks that no row of the audit log was changed, removed or moved. Scope admin. */
  verifyAuditLog: {
    input: {
      from?: number
    }
    answer: AuditLogVerification
  }
  /** Lists what operators did. Scope admin. */
  listAuditLogAsOperator: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      action?: string
      actor?: string
      resource_id?: string
    }
    answer: AuditLogEntryList
  }
  /** Checks that no row of the operators’ audit log was changed, removed or moved. Scope admin. */
  verifyAuditLogAsOperator: {
    input: {
      from?: number
    }
    answer: AuditLogVerification
  }
  /** Lists events in the order in which they were recorded, newest first. Scope read. */
  listEvents: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      type?: 'card.created' | 'card.shipped' | 'card.activated' | 'card.suspended' | 'card.resumed' | 'card.terminated' | 'card.transaction.authorized' | 'card.transaction.declined' | 'card.transaction.captured' | 'card.transaction.refunded' | 'card.transaction.reversed' | 'dispute.created' | 'dispute.updated' | 'dispute.evidence_required' | 'dispute.expired' | 'program.activated' | 'program.suspended' | 'program.resumed' | 'cardholder.created' | 'cardholder.kyc.completed' | 'cardholder.kyc.requires_action' | 'cardholder.sanctions.alert' | 'api_key.created' | 'api_key.revoked' | 'webhook_endpoint.disabled'
      resource_id?: string
    }
    answer: EventList
  }
  /** Returns one event, byte for byte as its webhook carries it. Scope read. */
  getEvent: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Event
  }
  /** Lists programs, newest first. Scope read. */
  listPrograms: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
    }
    answer: ProgramList
  }
  /** Makes a program: active at once in the sandbox, in live as soon as it is approved. Scope admin. */
  createProgram: {
    input: {
      name: string
      /** The currency of cards that name none; null where each names its own. */
      currency?: string
      /** True when the tenant is asked before an approval. */
      realtime?: boolean
      /** What happens when the tenant is silent. */
      stand_in?: 'controls' | 'decline'
      hold_expiry?: ({
        mccs: string[] | null
        card_present: boolean | null
        initiator: 'cardholder' | 'merchant' | null
        hours: number
      })[]
      hold_adjustments?: ({
        mccs: string[]
        mode: 'replace' | 'add_percent' | 'add_amount'
        /** Minor units, or whole percent. */
        value: number
        max_cents: number | null
      })[]
      /** What rates of our own cost on top, in hundredths of a percent. */
      fx_margin_bps?: number
      /** IANA name of the zone in which days, weeks and months begin. */
      time_zone?: string
      stand_in_policy?: {
        max_per_authorization_cents?: number | null
        max_per_card_per_day_cents?: number | null
        /** Over all cards of the tenant in the running hour. */
        max_per_hour_cents?: number | null
        /** Kinds that stand-in always declines. */
        excluded_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[]
      } | null
      /** Rules that are not named stay as they are. */
      fraud_rules?: ({
        name: 'card_testing' | 'cvc_failures' | 'pin_failures'
        /** A draft only tells; an active one suspends the card. */
        state: 'draft' | 'active' | 'off'
        count: number
        seconds: number
        /** Of card_testing: authorizations up to this amount count. Null of the others. */
        amount_cents: number | null
      })[]
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string }
    }
    answer: Program
  }
  /** Returns one program. Scope read. */
  getProgram: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Program
  }
  /** Changes how a program’s cards are decided, and its name; what is left out stays as it is. Scope admin. */
  updateProgram: {
    input: {
      /** The id, for ever the same. */
      id: string
      name?: string
      /** True when the tenant is asked before an approval. */
      realtime?: boolean
      /** What happens when the tenant is silent. */
      stand_in?: 'controls' | 'decline'
      hold_expiry?: ({
        mccs: string[] | null
        card_present: boolean | null
        initiator: 'cardholder' | 'merchant' | null
        hours: number
      })[]
      hold_adjustments?: ({
        mccs: string[]
        mode: 'replace' | 'add_percent' | 'add_amount'
        /** Minor units, or whole percent. */
        value: number
        max_cents: number | null
      })[]
      /** What rates of our own cost on top, in hundredths of a percent. */
      fx_margin_bps?: number
      /** IANA name of the zone in which days, weeks and months begin. */
      time_zone?: string
      stand_in_policy?: {
        max_per_authorization_cents?: number | null
        max_per_card_per_day_cents?: number | null
        /** Over all cards of the tenant in the running hour. */
        max_per_hour_cents?: number | null
        /** Kinds that stand-in always declines. */
        excluded_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[]
      } | null
      /** Rules that are not named stay as they are. */
      fraud_rules?: ({
        name: 'card_testing' | 'cvc_failures' | 'pin_failures'
        /** A draft only tells; an active one suspends the card. */
        state: 'draft' | 'active' | 'off'
        count: number
        seconds: number
        /** Of card_testing: authorizations up to this amount count. Null of the others. */
        amount_cents: number | null
      })[]
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
    }
    answer: Program
  }
  /** Lists API keys: what they may do, when they were last used, and from where. Scope admin. */
  listApiKeys: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      /** The state it is in. */
      status?: 'active' | 'pending' | 'revoked'
      role?: 'secret' | 'publishable'
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
    }
    answer: ApiKeyList
  }
  /** Makes an API key of the environment that is called; its secret is shown once. Scope admin. */
  createApiKey: {
    input: {
      name: string
      role: 'secret' | 'publishable'
      scope?: 'read' | 'write' | 'admin'
      /** Address ranges it may be used from; none: from anywhere. */
      cidrs?: string[]
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string }
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'api_key'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      name: string
      role: 'secret' | 'publishable'
      scope: 'read' | 'write' | 'admin'
      /** The state it is in. */
      status: 'active' | 'pending' | 'revoked'
      prefix: string
      /** The last four digits of the number. */
      last4: string
      cidrs: string[]
      created_by: string | null
      last_used_at: number | null
      last_used_ip: string | null
      revokes_at: number | null
      revoked_at: number | null
      browser_sightings: {
        origin: string
        first_at: number
        last_at: number
        count: number
      }[]
      /** Your own id of it, unique among resources of this kind. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
      secret: string
    }
  }
  /** Shows an API key, never its secret. Scope admin. */
  getApiKey: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: ApiKey
  }
  /** Changes the name of an API key, where it may be used from, external_id and metadata. Scope admin. */
  updateApiKey: {
    input: {
      /** The id, for ever the same. */
      id: string
      name?: string
      /** Address ranges it may be used from; none: from anywhere. */
      cidrs?: string[]
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
    }
    answer: ApiKey
  }
  /** Marks an API key for revocation: it works for another 24 hours. Scope admin. */
  markPendingApiKey: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: ApiKey
  }
  /** Revokes an API key: from the answer on it is refused everywhere. Scope admin. */
  revokeApiKey: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: ApiKey
  }
  /** Lists the people who approve what keys may not do, in sandbox and live alike. Scope admin. */
  listPeople: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      /** The state it is in. */
      status?: 'active' | 'disabled'
      role?: 'owner' | 'admin' | 'member'
    }
    answer: PersonList
  }
  /** Says whether a person has approved a call; 202 while nobody has decided. Scope read. */
  getFactorChallenge: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: FactorChallenge
  }
  /** Shows the account: its version, what it was granted, its limits and its clock. Scope read. */
  getAccount: {
    input: object
    answer: Account
  }
  /** Pins the account to a version of the API, in both environments. Scope admin. */
  updateAccount: {
    input: {
      /** The version its answers and events are in, in both environments. */
      api_version: '2026-12-01' | '2026-11-20'
    }
    answer: Account
  }
  /** Lists tenants, newest first. Scope admin. */
  listTenantsAsOperator: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      /** Only once approved are there live keys and active live programs. */
      kyb_status?: 'pending' | 'approved' | 'rejected'
      /** The state it is in. */
      status?: 'active' | 'suspended'
    }
    answer: TenantList
  }
  /** Makes a tenant; its sandbox is open at once. Scope admin. */
  createTenantAsOperator: {
    input: {
      /** What people call it. */
      name: string
      /** Who it is in law. */
      legal_name: string
      /** ISO 3166-1 alpha-2. */
      country: string
      api_version?: string
    }
    answer: Tenant
  }
  /** Returns one tenant. Scope admin. */
  getTenantAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Tenant
  }
  /** Approves the KYB of a tenant: live opens to it. Scope admin. */
  approveTenantKybAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Why, in your words; shown wherever the change is shown. */
      reason?: string
    }
    answer: Tenant
  }
  /** Rejects the KYB of a tenant, with a reason. Scope admin. */
  rejectTenantKybAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Why, in your words; shown wherever the change is shown. */
      reason: string
    }
    answer: Tenant
  }
  /** Suspends a tenant and its programs: nothing is issued, every authorization is declined. Scope admin. */
  suspendTenantAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Who wants it suspended. */
      suspended_by: 'regulator' | 'sponsor_bank' | 'provider_risk'
      /** Why, in your words; shown wherever the change is shown. */
      reason: string
    }
    answer: Tenant
  }
  /** Lifts the suspension of a tenant and of the programs that were suspended with it. Scope admin. */
  resumeTenantAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Tenant
  }
  /** Gives a tenant a secret key, shown this once; in live its KYB must be approved. Scope admin. */
  createTenantApiKeyAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Where the key works. */
      environment: 'sandbox' | 'live'
      /** Admin where it says nothing. */
      scope?: 'read' | 'write' | 'admin'
      /** What people call it. */
      name?: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'api_key'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      name: string
      role: 'secret' | 'publishable'
      scope: 'read' | 'write' | 'admin'
      /** The state it is in. */
      status: 'active' | 'pending' | 'revoked'
      prefix: string
      /** The last four digits of the number. */
      last4: string
      cidrs: string[]
      created_by: string | null
      last_used_at: number | null
      last_used_ip: string | null
      revokes_at: number | null
      revoked_at: number | null
      browser_sightings: {
        origin: string
        first_at: number
        last_at: number
        count: number
      }[]
      /** Your own id of it, unique among resources of this kind. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
      secret: string
    }
  }
  /** Says whether a tenant may be asked before an approval. Scope admin. */
  setTenantRealtimeAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      entitled: boolean
    }
    answer: Tenant
  }
  /** Raises the rate limits of a tenant’s sandbox for a while. Scope admin. */
  setTenantRateLimitAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Every bucket holds, and refills, so many times as much. */
      factor: number
      /** How long from now. */
      seconds: number
    }
    answer: Tenant
  }
  /** Gives a tenant’s sandbox its usual rate limits again. Scope admin. */
  deleteTenantRateLimitAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Tenant
  }
  /** Lists the people of a tenant, newest first. Scope admin. */
  listTenantPeopleAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      /** The state it is in. */
      status?: 'active' | 'disabled'
      role?: 'owner' | 'admin' | 'member'
    }
    answer: {
      /** The resources of this page. */
      data: ({
        /** The id, for ever the same. */
        id: string
        /** What this is. */
        object: 'person'
        /** When it was made, in Unix seconds. */
        created: number
        email: string
        name: string
        role: 'owner' | 'admin' | 'member'
        /** The state it is in. */
        status: 'active' | 'disabled'
        tenant_id: string
      })[]
      /** Whether the list goes on in this direction. */
      has_more: boolean
      /** Where it goes on; null at its end. */
      next_cursor: string | null
    }
  }
  /** Gives a tenant a person who approves what keys may not do; how they sign in is shown this once. Scope admin. */
  createTenantPersonAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      email: string
      /** What people call it. */
      name: string
      role?: 'owner' | 'admin' | 'member'
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'person'
      /** When it was made, in Unix seconds. */
      created: number
      email: string
      name: string
      role: 'owner' | 'admin' | 'member'
      /** The state it is in. */
      status: 'active' | 'disabled'
      tenant_id: string
      password: string
      totp_secret: string
      recovery_codes: string[]
    }
  }
  /** Returns one person. Scope admin. */
  getPersonAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'person'
      /** When it was made, in Unix seconds. */
      created: number
      email: string
      name: string
      role: 'owner' | 'admin' | 'member'
      /** The state it is in. */
      status: 'active' | 'disabled'
      tenant_id: string
    }
  }
  /** Changes the name of a person and the address they sign in with. Scope admin. */
  updatePersonAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      email?: string
      name?: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'person'
      /** When it was made, in Unix seconds. */
      created: number
      email: string
      name: string
      role: 'owner' | 'admin' | 'member'
      /** The state it is in. */
      status: 'active' | 'disabled'
      tenant_id: string
    }
  }
  /** Disables a person: they approve nothing any more. The last owner stays. Scope admin. */
  disablePersonAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'person'
      /** When it was made, in Unix seconds. */
      created: number
      email: string
      name: string
      role: 'owner' | 'admin' | 'member'
      /** The state it is in. */
      status: 'active' | 'disabled'
      tenant_id: string
    }
  }
  /** Lets a disabled person approve again, with what they had. Scope admin. */
  enablePersonAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'person'
      /** When it was made, in Unix seconds. */
      created: number
      email: string
      name: string
      role: 'owner' | 'admin' | 'member'
      /** The state it is in. */
      status: 'active' | 'disabled'
      tenant_id: string
    }
  }
  /** Gives a person another second factor, shown this once; the one of before ends. Scope admin. */
  resetFactorPersonAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'person'
      /** When it was made, in Unix seconds. */
      created: number
      email: string
      name: string
      role: 'owner' | 'admin' | 'member'
      /** The state it is in. */
      status: 'active' | 'disabled'
      tenant_id: string
      totp_secret: string
      recovery_codes: string[]
    }
  }
  /** Lists programs of all tenants, newest first. Scope admin. */
  listProgramsAsOperator: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      tenant_id?: string
      environment?: 'sandbox' | 'live'
      /** Only while active are cards issued in it and authorizations approved. */
      status?: 'pending' | 'active' | 'suspended' | 'rejected'
    }
    answer: {
      /** The resources of this page. */
      data: ({
        /** The id, for ever the same. */
        id: string
        /** What this is. */
        object: 'program'
        /** When it was made, in Unix seconds. */
        created: number
        /** True in live, false in the sandbox. */
        livemode: boolean
        /** Your own id of it, unique among resources of this kind. */
        external_id: string | null
        /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
        metadata: { [key: string]: string }
        name: string
        /** The state it is in. */
        status: 'pending' | 'active' | 'suspended' | 'rejected'
        suspended_by: 'regulator' | 'sponsor_bank' | 'provider_risk' | null
        suspend_reason: string | null
        reject_reason: string | null
        /** ISO 4217 code, three capital letters. */
        currency: string | null
        realtime: boolean
        stand_in: 'controls' | 'decline'
        hold_expiry: ({
          mccs: string[] | null
          card_present: boolean | null
          initiator: 'cardholder' | 'merchant' | null
          hours: number
        })[]
        hold_adjustments: ({
          mccs: string[]
          mode: 'replace' | 'add_percent' | 'add_amount'
          value: number
          max_cents: number | null
        })[]
        fx_margin_bps: number
        /** IANA name of the zone in which days, weeks and months begin. */
        time_zone: string
        realtime_endpoint_id: string | null
        stand_in_policy: {
          version: number
          max_per_authorization_cents: number | null
          max_per_card_per_day_cents: number | null
          max_per_hour_cents: number | null
          excluded_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[]
        } | null
        fraud_rules: ({
          name: 'card_testing' | 'cvc_failures' | 'pin_failures'
          state: 'draft' | 'active' | 'off'
          count: number
          seconds: number
          /** A whole number of the currency’s smallest unit. */
          amount_cents: number | null
        })[]
        tenant_id: string
      })[]
      /** Whether the list goes on in this direction. */
      has_more: boolean
      /** Where it goes on; null at its end. */
      next_cursor: string | null
    }
  }
  /** Returns one program of whichever tenant. Scope admin. */
  getProgramAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'program'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** Your own id of it, unique among resources of this kind. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
      name: string
      /** The state it is in. */
      status: 'pending' | 'active' | 'suspended' | 'rejected'
      suspended_by: 'regulator' | 'sponsor_bank' | 'provider_risk' | null
      suspend_reason: string | null
      reject_reason: string | null
      /** ISO 4217 code, three capital letters. */
      currency: string | null
      realtime: boolean
      stand_in: 'controls' | 'decline'
      hold_expiry: ({
        mccs: string[] | null
        card_present: boolean | null
        initiator: 'cardholder' | 'merchant' | null
        hours: number
      })[]
      hold_adjustments: ({
        mccs: string[]
        mode: 'replace' | 'add_percent' | 'add_amount'
        value: number
        max_cents: number | null
      })[]
      fx_margin_bps: number
      /** IANA name of the zone in which days, weeks and months begin. */
      time_zone: string
      realtime_endpoint_id: string | null
      stand_in_policy: {
        version: number
        max_per_authorization_cents: number | null
        max_per_card_per_day_cents: number | null
        max_per_hour_cents: number | null
        excluded_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[]
      } | null
      fraud_rules: ({
        name: 'card_testing' | 'cvc_failures' | 'pin_failures'
        state: 'draft' | 'active' | 'off'
        count: number
        seconds: number
        /** A whole number of the currency’s smallest unit. */
        amount_cents: number | null
      })[]
      tenant_id: string
    }
  }
  /** Activates a program: cards are issued in it and authorizations approved. Scope admin. */
  activateProgramAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'program'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** Your own id of it, unique among resources of this kind. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
      name: string
      /** The state it is in. */
      status: 'pending' | 'active' | 'suspended' | 'rejected'
      suspended_by: 'regulator' | 'sponsor_bank' | 'provider_risk' | null
      suspend_reason: string | null
      reject_reason: string | null
      /** ISO 4217 code, three capital letters. */
      currency: string | null
      realtime: boolean
      stand_in: 'controls' | 'decline'
      hold_expiry: ({
        mccs: string[] | null
        card_present: boolean | null
        initiator: 'cardholder' | 'merchant' | null
        hours: number
      })[]
      hold_adjustments: ({
        mccs: string[]
        mode: 'replace' | 'add_percent' | 'add_amount'
        value: number
        max_cents: number | null
      })[]
      fx_margin_bps: number
      /** IANA name of the zone in which days, weeks and months begin. */
      time_zone: string
      realtime_endpoint_id: string | null
      stand_in_policy: {
        version: number
        max_per_authorization_cents: number | null
        max_per_card_per_day_cents: number | null
        max_per_hour_cents: number | null
        excluded_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[]
      } | null
      fraud_rules: ({
        name: 'card_testing' | 'cvc_failures' | 'pin_failures'
        state: 'draft' | 'active' | 'off'
        count: number
        seconds: number
        /** A whole number of the currency’s smallest unit. */
        amount_cents: number | null
      })[]
      tenant_id: string
    }
  }
  /** Rejects a program that waits for its activation, with a reason. Scope admin. */
  rejectProgramAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Why, in your words; shown wherever the change is shown. */
      reason: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'program'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** Your own id of it, unique among resources of this kind. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
      name: string
      /** The state it is in. */
      status: 'pending' | 'active' | 'suspended' | 'rejected'
      suspended_by: 'regulator' | 'sponsor_bank' | 'provider_risk' | null
      suspend_reason: string | null
      reject_reason: string | null
      /** ISO 4217 code, three capital letters. */
      currency: string | null
      realtime: boolean
      stand_in: 'controls' | 'decline'
      hold_expiry: ({
        mccs: string[] | null
        card_present: boolean | null
        initiator: 'cardholder' | 'merchant' | null
        hours: number
      })[]
      hold_adjustments: ({
        mccs: string[]
        mode: 'replace' | 'add_percent' | 'add_amount'
        value: number
        max_cents: number | null
      })[]
      fx_margin_bps: number
      /** IANA name of the zone in which days, weeks and months begin. */
      time_zone: string
      realtime_endpoint_id: string | null
      stand_in_policy: {
        version: number
        max_per_authorization_cents: number | null
        max_per_card_per_day_cents: number | null
        max_per_hour_cents: number | null
        excluded_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[]
      } | null
      fraud_rules: ({
        name: 'card_testing' | 'cvc_failures' | 'pin_failures'
        state: 'draft' | 'active' | 'off'
        count: number
        seconds: number
        /** A whole number of the currency’s smallest unit. */
        amount_cents: number | null
      })[]
      tenant_id: string
    }
  }
  /** Suspends a program: nothing is issued in it, every authorization is declined. Scope admin. */
  suspendProgramAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Who suspended it; null where it is not suspended. */
      suspended_by: 'regulator' | 'sponsor_bank' | 'provider_risk'
      /** Why, in your words; shown wherever the change is shown. */
      reason: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'program'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** Your own id of it, unique among resources of this kind. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
      name: string
      /** The state it is in. */
      status: 'pending' | 'active' | 'suspended' | 'rejected'
      suspended_by: 'regulator' | 'sponsor_bank' | 'provider_risk' | null
      suspend_reason: string | null
      reject_reason: string | null
      /** ISO 4217 code, three capital letters. */
      currency: string | null
      realtime: boolean
      stand_in: 'controls' | 'decline'
      hold_expiry: ({
        mccs: string[] | null
        card_present: boolean | null
        initiator: 'cardholder' | 'merchant' | null
        hours: number
      })[]
      hold_adjustments: ({
        mccs: string[]
        mode: 'replace' | 'add_percent' | 'add_amount'
        value: number
        max_cents: number | null
      })[]
      fx_margin_bps: number
      /** IANA name of the zone in which days, weeks and months begin. */
      time_zone: string
      realtime_endpoint_id: string | null
      stand_in_policy: {
        version: number
        max_per_authorization_cents: number | null
        max_per_card_per_day_cents: number | null
        max_per_hour_cents: number | null
        excluded_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[]
      } | null
      fraud_rules: ({
        name: 'card_testing' | 'cvc_failures' | 'pin_failures'
        state: 'draft' | 'active' | 'off'
        count: number
        seconds: number
        /** A whole number of the currency’s smallest unit. */
        amount_cents: number | null
      })[]
      tenant_id: string
    }
  }
  /** Lifts the suspension of a program. Scope admin. */
  resumeProgramAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'program'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** Your own id of it, unique among resources of this kind. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
      name: string
      /** The state it is in. */
      status: 'pending' | 'active' | 'suspended' | 'rejected'
      suspended_by: 'regulator' | 'sponsor_bank' | 'provider_risk' | null
      suspend_reason: string | null
      reject_reason: string | null
      /** ISO 4217 code, three capital letters. */
      currency: string | null
      realtime: boolean
      stand_in: 'controls' | 'decline'
      hold_expiry: ({
        mccs: string[] | null
        card_present: boolean | null
        initiator: 'cardholder' | 'merchant' | null
        hours: number
      })[]
      hold_adjustments: ({
        mccs: string[]
        mode: 'replace' | 'add_percent' | 'add_amount'
        value: number
        max_cents: number | null
      })[]
      fx_margin_bps: number
      /** IANA name of the zone in which days, weeks and months begin. */
      time_zone: string
      realtime_endpoint_id: string | null
      stand_in_policy: {
        version: number
        max_per_authorization_cents: number | null
        max_per_card_per_day_cents: number | null
        max_per_hour_cents: number | null
        excluded_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[]
      } | null
      fraud_rules: ({
        name: 'card_testing' | 'cvc_failures' | 'pin_failures'
        state: 'draft' | 'active' | 'off'
        count: number
        seconds: number
        /** A whole number of the currency’s smallest unit. */
        amount_cents: number | null
      })[]
      tenant_id: string
    }
  }
  /** Lists the operators, newest first. Scope admin. */
  listOperatorsAsOperator: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
    }
    answer: OperatorList
  }
  /** Makes an operator; its credential is shown this once. Scope admin. */
  createOperatorAsOperator: {
    input: {
      name: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'operator'
      /** When it was made, in Unix seconds. */
      created: number
      name: string
      /** The last four digits of the number. */
      last4: string
      /** The state it is in. */
      status: 'active' | 'revoked'
      secret: string
    }
  }
  /** Revokes the credential of another operator. Scope admin. */
  revokeOperatorAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Operator
  }
  /** Makes an endpoint that events are sent to; its signing secret is shown this once. Scope write. */
  createWebhookEndpoint: {
    input: {
      url: string
      description?: string
      event_types?: ('card.created' | 'card.shipped' | 'card.activated' | 'card.suspended' | 'card.resumed' | 'card.terminated' | 'card.transaction.authorized' | 'card.transaction.declined' | 'card.transaction.captured' | 'card.transaction.refunded' | 'card.transaction.reversed' | 'dispute.created' | 'dispute.updated' | 'dispute.evidence_required' | 'dispute.expired' | 'program.activated' | 'program.suspended' | 'program.resumed' | 'cardholder.created' | 'cardholder.kyc.completed' | 'cardholder.kyc.requires_action' | 'cardholder.sanctions.alert' | 'api_key.created' | 'api_key.revoked' | 'webhook_endpoint.disabled')[] | null
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string }
    }
    answer: WebhookEndpoint
  }
  /** Lists webhook endpoints, newest first. Scope read. */
  listWebhookEndpoints: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
    }
    answer: WebhookEndpointList
  }
  /** Deletes an endpoint; what waits to be delivered to it is given up. Scope write. */
  deleteWebhookEndpoint: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'webhook_endpoint'
      deleted: true
    }
  }
  /** Returns one webhook endpoint. Scope read. */
  getWebhookEndpoint: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'webhook_endpoint'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      url: string
      description: string
      event_types: string[] | null
      /** The state it is in. */
      status: 'enabled' | 'disabled'
      realtime: {
        is_realtime: boolean
        breaker: {
          state: 'closed' | 'open' | 'half_open' | 'unknown'
          since: number | null
          opened_count: number | null
        } | null
      }
      disabled_reason?: string
      signing_secrets: {
        /** The id, for ever the same. */
        id: string
        /** When it was made, in Unix seconds. */
        created: number
      }[]
      /** Your own id of it, unique among resources of this kind. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
    }
  }
  /** Changes an endpoint, or enables a disabled endpoint again. Scope write. */
  updateWebhookEndpoint: {
    input: {
      /** The id, for ever the same. */
      id: string
      url?: string
      description?: string
      event_types?: ('card.created' | 'card.shipped' | 'card.activated' | 'card.suspended' | 'card.resumed' | 'card.terminated' | 'card.transaction.authorized' | 'card.transaction.declined' | 'card.transaction.captured' | 'card.transaction.refunded' | 'card.transaction.reversed' | 'dispute.created' | 'dispute.updated' | 'dispute.evidence_required' | 'dispute.expired' | 'program.activated' | 'program.suspended' | 'program.resumed' | 'cardholder.created' | 'cardholder.kyc.completed' | 'cardholder.kyc.requires_action' | 'cardholder.sanctions.alert' | 'api_key.created' | 'api_key.revoked' | 'webhook_endpoint.disabled')[] | null
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
      /** The state it is in. */
      status?: 'enabled'
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'webhook_endpoint'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      url: string
      description: string
      event_types: string[] | null
      /** The state it is in. */
      status: 'enabled' | 'disabled'
      realtime: {
        is_realtime: boolean
        breaker: {
          state: 'closed' | 'open' | 'half_open' | 'unknown'
          since: number | null
          opened_count: number | null
        } | null
      }
      disabled_reason?: string
      signing_secrets: {
        /** The id, for ever the same. */
        id: string
        /** When it was made, in Unix seconds. */
        created: number
      }[]
      /** Your own id of it, unique among resources of this kind. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
    }
  }
  /** Gives an endpoint a second signing secret, shown this once; both sign until the old one is revoked. Scope write. */
  rotateSecretWebhookEndpoint: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: WebhookEndpoint
  }
  /** Revokes the older of two signing secrets. Scope write. */
  revokeOldSecretWebhookEndpoint: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'webhook_endpoint'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      url: string
      description: string
      event_types: string[] | null
      /** The state it is in. */
      status: 'enabled' | 'disabled'
      realtime: {
        is_realtime: boolean
        breaker: {
          state: 'closed' | 'open' | 'half_open' | 'unknown'
          since: number | null
          opened_count: number | null
        } | null
      }
      disabled_reason?: string
      signing_secrets: {
        /** The id, for ever the same. */
        id: string
        /** When it was made, in Unix seconds. */
        created: number
      }[]
      /** Your own id of it, unique among resources of this kind. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
    }
  }
  /** Makes this endpoint the one that is asked before an authorization is approved. Scope write. */
  makeRealtimeWebhookEndpoint: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'webhook_endpoint'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      url: string
      description: string
      event_types: string[] | null
      /** The state it is in. */
      status: 'enabled' | 'disabled'
      realtime: {
        is_realtime: boolean
        breaker: {
          state: 'closed' | 'open' | 'half_open' | 'unknown'
          since: number | null
          opened_count: number | null
        } | null
      }
      disabled_reason?: string
      signing_secrets: {
        /** The id, for ever the same. */
        id: string
        /** When it was made, in Unix seconds. */
        created: number
      }[]
      /** Your own id of it, unique among resources of this kind. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
    }
  }
  /** Sends an endpoint good and hostile questions and reports what it got wrong. Scope write. */
  certifyWebhookEndpoint: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Certification
  }
  /** Lists certifications of an endpoint, newest first. Scope read. */
  listWebhookEndpointCertifications: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
    }
    answer: CertificationList
  }
  /** Returns one certification of an endpoint. Scope read. */
  getWebhookEndpointCertification: {
    input: {
      /** The id, for ever the same. */
      id: string
      certification: string
    }
    answer: Certification
  }
  /** Compares what stand-in would have answered with what the tenant did. Scope read. */
  getStandInReport: {
    input: {
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
    }
    answer: StandInReport
  }
  /** Lists what screenings of cardholders found, newest first. Scope read. */
  listSanctionsAlerts: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      /** Dismissed: it is somebody else. Confirmed: it is the person on the list, who stays frozen. */
      status?: 'open' | 'dismissed' | 'confirmed'
      /** The cardholder. */
      cardholder_id?: string
    }
    answer: SanctionsAlertList
  }
  /** Returns one alert: which entries of the lists a cardholder may be. Scope read. */
  getSanctionsAlert: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: SanctionsAlert
  }
  /** Lists the alerts of all tenants, newest first. Scope admin. */
  listSanctionsAlertsAsOperator: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      /** Dismissed: it is somebody else. Confirmed: it is the person on the list, who stays frozen. */
      status?: 'open' | 'dismissed' | 'confirmed'
      /** The cardholder. */
      cardholder_id?: string
      tenant_id?: string
    }
    answer: {
      /** The resources of this page. */
      data: ({
        /** The id, for ever the same. */
        id: string
        /** What this is. */
        object: 'sanctions_alert'
        /** When it was made, in Unix seconds. */
        created: number
        /** True in live, false in the sandbox. */
        livemode: boolean
        /** The cardholder. */
        cardholder_id: string
        /** The state it is in. */
        status: 'open' | 'dismissed' | 'confirmed'
        hits: ({
          listed_id: string
          kind: 'sanctions' | 'pep'
          name: string
          program: string
          score: number
          reasons: string[]
        })[]
        list_version: string
        reviewed_at: number | null
        tenant_id: string
        reviewed_by: string | null
        note: string | null
      })[]
      /** Whether the list goes on in this direction. */
      has_more: boolean
      /** Where it goes on; null at its end. */
      next_cursor: string | null
    }
  }
  /** Lists cardholders, newest first. Scope read. */
  listCardholders: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      /** Pending: not screened yet. Alert: a hit awaits its review, and they are frozen. Confirmed: they stay frozen for good. */
      status?: 'active' | 'inactive'
      /** The program. */
      program_id?: string
      email?: string
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
    }
    answer: CardholderList
  }
  /** Creates a cardholder; their identity is verified as soon as first and last name, date of birth and address are known. Scope write. */
  createCardholder: {
    input: {
      /** The program. */
      program_id: string
      type?: 'individual'
      name?: string
      first_name?: string
      last_name?: string
      email?: string
      /** E.164. */
      phone?: string
      /** YYYY-MM-DD. */
      date_of_birth?: string
      address?: {
        line1: string
        line2?: string
        city: string
        state?: string
        postal_code?: string
        /** ISO 3166-1 alpha-2. */
        country: string
      }
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string }
    }
    answer: Cardholder
  }
  /** Returns one cardholder. Scope read. */
  getCardholder: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Cardholder
  }
  /** Changes what is known of a cardholder, or their status; a new name or date of birth is verified afresh. Scope write. */
  updateCardholder: {
    input: {
      /** The id, for ever the same. */
      id: string
      name?: string
      first_name?: string | null
      last_name?: string | null
      email?: string | null
      /** E.164. */
      phone?: string | null
      /** YYYY-MM-DD. */
      date_of_birth?: string | null
      address?: {
        line1: string
        line2?: string
        city: string
        state?: string
        postal_code?: string
        /** ISO 3166-1 alpha-2. */
        country: string
      } | null
      /** Pending: not screened yet. Alert: a hit awaits its review, and they are frozen. Confirmed: they stay frozen for good. */
      status?: 'active' | 'inactive'
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
    }
    answer: Cardholder
  }
  /** Asks for the verification of a cardholder’s identity, for the first time or again after it failed. Scope write. */
  verifyCardholder: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Cardholder
  }
  /** Freezes a cardholder: every authorization of their cards is declined. Scope write. */
  freezeCardholder: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Why, in your words; shown wherever the change is shown. */
      reason?: string
    }
    answer: Cardholder
  }
  /** Lifts the tenant’s own freeze of a cardholder. Scope write. */
  unfreezeCardholder: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Cardholder
  }
  /** Decides about a cardholder’s identity in the provider’s place. Scope admin. */
  setCardholderKycAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      decision: 'approved' | 'rejected'
      /** Why, in your words; shown wherever the change is shown. */
      reason?: string
    }
    answer: Cardholder
  }
  /** Freezes a cardholder so that the tenant cannot lift it. Scope admin. */
  freezeCardholderAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Why, in your words; shown wherever the change is shown. */
      reason?: string
    }
    answer: Cardholder
  }
  /** Lifts an operator’s freeze of a cardholder. Scope admin. */
  unfreezeCardholderAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Cardholder
  }
  /** Decides whether a cardholder is the person on the list; dismissing the last alert unfreezes them. Scope admin. */
  reviewSanctionsAlertAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      decision: 'dismiss' | 'confirm'
      /** What the operator noted; the tenant never sees it. */
      note?: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'sanctions_alert'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** The cardholder. */
      cardholder_id: string
      /** The state it is in. */
      status: 'open' | 'dismissed' | 'confirmed'
      hits: ({
        listed_id: string
        kind: 'sanctions' | 'pep'
        name: string
        program: string
        score: number
        reasons: string[]
      })[]
      list_version: string
      reviewed_at: number | null
      tenant_id: string
      reviewed_by: string | null
      note: string | null
    }
  }
  /** Lists spending controls, newest first. Scope read. */
  listSpendingControls: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      scope?: 'program' | 'cardholder' | 'card'
      subject_id?: string
      state?: 'draft' | 'active' | 'retired'
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
    }
    answer: SpendingControlList
  }
  /** Makes a spending control on a program, a cardholder or a card; as a draft it is judged in shadow only. Scope write. */
  createSpendingControl: {
    input: {
      scope: 'program' | 'cardholder' | 'card'
      subject_id: string
      state?: 'draft' | 'active'
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string }
      /** Codes, and ranges 3000-3299. */
      allowed_mccs?: string[] | null
      /** Codes, and ranges 3000-3299; instead of allowed_mccs, as with every pair here. */
      blocked_mccs?: string[] | null
      /** Names of categories; with allowed_mccs they are one list. */
      allowed_categories?: string[] | null
      blocked_categories?: string[] | null
      allowed_merchant_ids?: string[] | null
      blocked_merchant_ids?: string[] | null
      allowed_countries?: string[] | null
      blocked_countries?: string[] | null
      allowed_currencies?: string[] | null
      blocked_currencies?: string[] | null
      allowed_entry_methods?: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
      blocked_entry_methods?: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
      allowed_card_presence?: ('present' | 'not_present')[] | null
      blocked_card_presence?: ('present' | 'not_present')[] | null
      allowed_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[] | null
      blocked_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[] | null
      allowed_wallets?: string[] | null
      blocked_wallets?: string[] | null
      /** Online payments need a 3DS authentication. */
      authentication?: 'required' | null
      /** Chip cards whose stripe was read are declined. */
      fallback?: 'blocked' | null
      /** One approved authorization, of exactly or at most an amount. */
      single_use?: {
        mode: 'exact' | 'max'
        /** 0 allows nothing; null is no limit of the amount. */
        amount_cents: number | null
      } | null
      /** Only the merchant of the first approved authorization. */
      merchant_lock?: boolean
      /** Approved authorizations after which nothing more is. */
      cancel_after?: number | null
      /** Open in any of the periods; none is open always. */
      schedule?: ({
        days?: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[]
        /** Local time 08:00; until may be 24:00. */
        from?: string
        until?: string
        /** IANA name of the zone in which days, weeks and months begin. */
        time_zone?: string
      })[]
      limits?: ({
        interval: 'per_authorization' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'all_time' | 'rolling'
        /** 0 allows nothing; null is no limit of the amount. */
        amount_cents?: number | null
        /** Approved authorizations; null is no limit of their number. */
        count?: number | null
        /** ISO 4217 code, three capital letters. */
        currency?: string
        /** IANA name of the zone in which days, weeks and months begin. */
        time_zone?: string
        rolling_seconds?: number | null
        filters?: {
          mccs?: string[] | null
          categories?: string[] | null
          countries?: string[] | null
          kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[] | null
          card_presence?: 'present' | 'not_present' | null
        } | null
        /** As shown; what it names is kept by interval, zone and filters, so it is not read. */
        id?: string
      })[]
    }
    answer: SpendingControl
  }
  /** Returns one spending control. Scope read. */
  getSpendingControl: {
    input: {
      /** As shown; what it names is kept by interval, zone and filters, so it is not read. */
      id: string
    }
    answer: SpendingControl
  }
  /** Makes a new version of a spending control; what is left out stays as it is. Scope write. */
  updateSpendingControl: {
    input: {
      /** As shown; what it names is kept by interval, zone and filters, so it is not read. */
      id: string
      /** The version you read: 409 version_conflict where it is not the latest any more. */
      if_version?: number
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
      /** Codes, and ranges 3000-3299. */
      allowed_mccs?: string[] | null
      /** Codes, and ranges 3000-3299; instead of allowed_mccs, as with every pair here. */
      blocked_mccs?: string[] | null
      /** Names of categories; with allowed_mccs they are one list. */
      allowed_categories?: string[] | null
      blocked_categories?: string[] | null
      allowed_merchant_ids?: string[] | null
      blocked_merchant_ids?: string[] | null
      allowed_countries?: string[] | null
      blocked_countries?: string[] | null
      allowed_currencies?: string[] | null
      blocked_currencies?: string[] | null
      allowed_entry_methods?: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
      blocked_entry_methods?: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
      allowed_card_presence?: ('present' | 'not_present')[] | null
      blocked_card_presence?: ('present' | 'not_present')[] | null
      allowed_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[] | null
      blocked_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[] | null
      allowed_wallets?: string[] | null
      blocked_wallets?: string[] | null
      /** Online payments need a 3DS authentication. */
      authentication?: 'required' | null
      /** Chip cards whose stripe was read are declined. */
      fallback?: 'blocked' | null
      /** One approved authorization, of exactly or at most an amount. */
      single_use?: {
        mode: 'exact' | 'max'
        /** 0 allows nothing; null is no limit of the amount. */
        amount_cents: number | null
      } | null
      /** Only the merchant of the first approved authorization. */
      merchant_lock?: boolean
      /** Approved authorizations after which nothing more is. */
      cancel_after?: number | null
      /** Open in any of the periods; none is open always. */
      schedule?: ({
        days?: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[]
        /** Local time 08:00; until may be 24:00. */
        from?: string
        until?: string
        /** IANA name of the zone in which days, weeks and months begin. */
        time_zone?: string
      })[]
      limits?: ({
        interval: 'per_authorization' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'all_time' | 'rolling'
        /** 0 allows nothing; null is no limit of the amount. */
        amount_cents?: number | null
        /** Approved authorizations; null is no limit of their number. */
        count?: number | null
        /** ISO 4217 code, three capital letters. */
        currency?: string
        /** IANA name of the zone in which days, weeks and months begin. */
        time_zone?: string
        rolling_seconds?: number | null
        filters?: {
          mccs?: string[] | null
          categories?: string[] | null
          countries?: string[] | null
          kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[] | null
          card_presence?: 'present' | 'not_present' | null
        } | null
        /** As shown; what it names is kept by interval, zone and filters, so it is not read. */
        id?: string
      })[]
    }
    answer: SpendingControl
  }
  /** Lists every version a spending control ever had, newest first. Scope read. */
  listSpendingControlVersions: {
    input: {
      /** As shown; what it names is kept by interval, zone and filters, so it is not read. */
      id: string
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
    }
    answer: SpendingControlVersionList
  }
  /** Counts what a spending control’s drafts would have done to the authorizations they judged. Scope read. */
  getSpendingControlShadow: {
    input: {
      /** As shown; what it names is kept by interval, zone and filters, so it is not read. */
      id: string
    }
    answer: SpendingControlShadow
  }
  /** Activates a draft: from then on it binds. Scope write. */
  activateSpendingControl: {
    input: {
      /** As shown; what it names is kept by interval, zone and filters, so it is not read. */
      id: string
    }
    answer: SpendingControl
  }
  /** Retires a spending control: it binds nothing any more. Scope write. */
  retireSpendingControl: {
    input: {
      /** As shown; what it names is kept by interval, zone and filters, so it is not read. */
      id: string
    }
    answer: SpendingControl
  }
  /** Lists wallet tokens, newest first. Scope read. */
  listWalletTokens: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      /** The card. */
      card_id?: string
      /** The state it is in. */
      status?: 'active' | 'suspended' | 'deactivated'
    }
    answer: WalletTokenList
  }
  /** Records that a card was put into a wallet. Scope write. */
  createWalletToken: {
    input: {
      /** The card. */
      card_id: string
      provider: string
    }
    answer: WalletToken
  }
  /** Returns one wallet token. Scope read. */
  getWalletToken: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: WalletToken
  }
  /** Suspends a wallet token: it is declined until it is resumed. Scope write. */
  suspendWalletToken: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: WalletToken
  }
  /** Makes a suspended wallet token active again. Scope write. */
  resumeWalletToken: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: WalletToken
  }
  /** Deactivates a wallet token for ever. Scope write. */
  deactivateWalletToken: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: WalletToken
  }
  /** Exchanges the details of a card for a token that can be used once, within ten minutes. Scope write. */
  createToken: {
    input: {
      card: CardDetails
    }
    answer: Token
  }
  /** Returns one card token, and which card of yours it stands for. Scope read. */
  getToken: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** What this is. */
      object: 'token'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      expires_at: number
      used_at: number | null
      card: {
        brand: 'visa' | 'mastercard' | 'amex' | 'discover' | 'unknown'
        /** The last four digits of the number. */
        last4: string
        exp_month: number
        exp_year: number
      }
      /** The card. */
      card_id: string | null
    }
  }
  /** Lists cards, newest first. Scope read. */
  listCards: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      /** The state it is in. */
      status?: 'issued' | 'active' | 'suspended' | 'terminated'
      /** The cardholder. */
      cardholder_id?: string
      /** The program. */
      program_id?: string
      type?: 'virtual' | 'physical'
      /** The last four digits of the number. */
      last4?: string
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
    }
    answer: CardList
  }
  /** Issues a card to a cardholder: a virtual one works at once, a physical one is sent. Scope write. */
  createCard: {
    input: {
      /** The cardholder. */
      cardholder_id: string
      type: 'virtual' | 'physical'
      /** What its amounts are in, an ISO 4217 code; that of its program, else USD, when left out. */
      currency?: string
      /** As many characters as fit on a card. */
      name_on_card?: string
      /** Where it is sent: a physical card needs it, a virtual one has none. */
      shipping?: {
        name: string
        line1: string
        line2?: string
        city: string
        state?: string
        postal_code?: string
        /** ISO 3166 code, two capital letters. */
        country: string
      }
      /** Limits of the card itself, one per interval and zone. */
      limits?: ({
        /** What is counted together: a calendar day, week, month or year of time_zone, each authorization alone, or everything. */
        interval: 'per_authorization' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'all_time'
        /** 0 allows nothing; no limit is an absent one. */
        amount_cents: number
        /** That of the card, and no other. */
        currency?: string
        /** IANA name of the zone in which days, weeks, months and years begin; UTC when left out. */
        time_zone?: string
      })[]
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string }
    }
    answer: Card
  }
  /** Returns one card. Scope read. */
  getCard: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Card
  }
  /** Changes what you keep with a card; metadata is merged. Scope write. */
  updateCard: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
    }
    answer: Card
  }
  /** Activates a physical card that its cardholder has in hand. Scope write. */
  activateCard: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The last four digits, as the cardholder reads them from the card. This, or token. */
      last4?: string
      /** A card token (/v1/tokens) of the whole card, in place of last4; it is used up. */
      token?: string
    }
    answer: Card
  }
  /** Suspends a card: authorizations are declined until it is resumed. Scope write. */
  suspendCard: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Why, in your words; shown wherever the change is shown. */
      reason?: string
      /** Who asks for it: cardholder, or you where it is left out. They may not lift what you did for yourself. */
      on_behalf_of?: 'cardholder'
    }
    answer: Card
  }
  /** Makes a suspended card active again. Scope write. */
  resumeCard: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Who asks for it: cardholder, or you where it is left out. They may not lift what you did for yourself. */
      on_behalf_of?: 'cardholder'
      /** True where you know that a fraud rule suspended the card. Without it such a card stays suspended. */
      acknowledge_fraud?: boolean
    }
    answer: Card
  }
  /** Ends a card for ever; the reasons lost and stolen are told to the network. Scope write. */
  terminateCard: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Why, in your words; shown wherever the change is shown. */
      reason?: string
    }
    answer: Card
  }
  /** Terminates a card and issues another one in its place, which keeps its controls and what they counted. Scope write. */
  replaceCard: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Why, in your words; shown wherever the change is shown. */
      reason?: string
    }
    answer: Card
  }
  /** Gives a token with which a page shows the card’s number and CVC, once. Scope write. */
  createCardRevealToken: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** What the token shows; all of it when left out. */
      fields?: ('pan' | 'cvc' | 'expiry')[]
      /** Seconds the token works, 60 when left out. */
      expires_in_s?: number
    }
    answer: CardRevealToken
  }
  /** Tells what an authorization would get now, why, and the most that would pass. Nothing is decided or counted. Scope read. */
  evaluateCard: {
    input: {
      /** The id, for ever the same. */
      id: string
      kind?: 'authorization' | 'account_verification' | 'balance_inquiry'
      /** A whole number of the currency’s smallest unit. */
      amount_cents: number
      /** ISO 4217 code, three capital letters. */
      currency?: string
      merchant: {
        /** The merchant’s id, as the network would send it. */
        id: string
        name?: string
        /** The merchant’s category, four digits (ISO 18245). */
        mcc: string
        city?: string
        /** ISO 3166 code, two capital letters. */
        country: string
      }
      transaction_type?: string
      entry_method?: string
      fallback_from_chip?: boolean
      initiator?: 'cardholder' | 'merchant'
      recurring?: boolean
      partial_approval_capable?: boolean
      cashback_cents?: number
      fee_cents?: number
      billing?: {
        /** A whole number of the currency’s smallest unit. */
        amount_cents: number
        /** ISO 4217 code, three capital letters. */
        currency: string
        rate?: string
      }
      wallet?: {
        provider?: string
        token_id: string
      }
      three_ds?: {
        /** The card transaction. */
        transaction_id?: string
        claim: 'authenticated' | 'attempted' | 'failed' | 'exempt'
      }
    }
    answer: CardEvaluation
  }
  /** Replaces all limits of the card itself; an empty list removes them. Scope write. */
  replaceCardLimits: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Limits of the card itself, one per interval and zone. */
      limits: ({
        /** What is counted together: a calendar day, week, month or year of time_zone, each authorization alone, or everything. */
        interval: 'per_authorization' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'all_time'
        /** 0 allows nothing; no limit is an absent one. */
        amount_cents: number
        /** That of the card, and no other. */
        currency?: string
        /** IANA name of the zone in which days, weeks, months and years begin; UTC when left out. */
        time_zone?: string
      })[]
    }
    answer: Card
  }
  /** Sets the card’s PIN. Scope write. */
  setCardPin: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Four to twelve digits. It is kept as a keyed hash and never shown. */
      pin: string
    }
    answer: Card
  }
  /** Says that a physical card was handed to the carrier. Scope admin. */
  shipCardAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Who carries it. */
      carrier: string
      /** By which the carrier finds it; the tenant and the cardholder see it. */
      tracking_number: string
    }
    answer: Card
  }
  /** Says that a card has reached its address. Scope admin. */
  deliverCardAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Card
  }
  /** Says that a card has come back; it may be sent again. Scope admin. */
  returnCardAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Card
  }
  /** Records what the access control server found out in a 3DS transaction. Scope write. */
  createAuthentication: {
    input: {
      three_ds_transaction_id: string
      /** The card. */
      card_id: string
      result: 'authenticated' | 'attempted' | 'failed'
      valid_seconds?: number
    }
    answer: Authentication
  }
  /** Returns what was found out in one 3DS transaction. Scope read. */
  getAuthentication: {
    input: {
      /** The 3DS transaction's id. */
      id: string
    }
    answer: Authentication
  }
  /** Lists card transactions in the order in which they were recorded, newest first. Scope read. */
  listCardTransactions: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** What the list is sorted by; equal values stand in the order of creation. */
      sort?: 'created' | 'amount_cents'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      /** The card. */
      card_id?: string
      /** The cardholder. */
      cardholder_id?: string
      /** The state it is in. */
      status?: 'authorized' | 'declined' | 'reversed' | 'expired' | 'partially_captured' | 'captured' | 'partially_refunded' | 'refunded'
      kind?: 'initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser'
      stand_in?: 'true' | 'false'
      late_answer?: 'true' | 'false'
      network_transaction_id?: string
      merchant_id?: string
      merchant_name?: string
      /** The merchant’s category, four digits (ISO 18245). */
      mcc?: string
      min_amount_cents?: number
      max_amount_cents?: number
    }
    answer: CardTransactionList
  }
  /** Returns one card transaction with its latest decision, the trace of every rule and its timings. Scope read. */
  getCardTransaction: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: CardTransaction
  }
  /** Lists everything that happened to one card transaction, each with its decision and its effect. Scope read. */
  listCardTransactionMessages: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
    }
    answer: CardTransactionMessageList
  }
  /** Lists disputes, newest first or by the deadline of their response. Scope read. */
  listDisputes: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      /** What the list is sorted by; equal values stand in the order of creation. */
      sort?: 'created' | 'evidence_due_by'
      /** The state it is in. */
      status?: 'needs_response' | 'submitted' | 'won' | 'lost' | 'expired'
      /** Why the cardholder does not accept the charge. */
      reason?: 'fraudulent' | 'not_received' | 'duplicate' | 'product_unacceptable' | 'credit_not_processed' | 'canceled' | 'other'
      /** The card transaction. */
      transaction_id?: string
      /** The card. */
      card_id?: string
      /** The cardholder. */
      cardholder_id?: string
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
    }
    answer: DisputeList
  }
  /** Files a dispute of a captured transaction, or of a part of it. Scope write. */
  createDispute: {
    input: {
      /** The card transaction. */
      transaction_id: string
      /** What is disputed; all that was captured and neither refunded nor disputed when left out. */
      amount_cents?: number
      /** Why the cardholder does not accept the charge. */
      reason: 'fraudulent' | 'not_received' | 'duplicate' | 'product_unacceptable' | 'credit_not_processed' | 'canceled' | 'other'
      /** In the cardholder’s words. */
      explanation?: string
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string }
    }
    answer: Dispute
  }
  /** Shows a dispute: its amount, stage, deadline and outcome. Scope read. */
  getDispute: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Dispute
  }
  /** Changes external_id and metadata of a dispute. Scope write. */
  updateDispute: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
    }
    answer: Dispute
  }
  /** Lists the evidence of a dispute. Scope read. */
  listDisputeEvidence: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
    }
    answer: DisputeEvidenceList
  }
  /** Adds evidence, as text or named fields, to a dispute that awaits its response. Scope write. */
  createDisputeEvidence: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** What kind of evidence it is. */
      kind: 'statement' | 'receipt' | 'correspondence' | 'shipping' | 'cancellation' | 'credit_promise' | 'other'
      /** The evidence in words. Send text, fields or both. */
      text?: string
      /** The evidence in the fields that networks ask for by name. */
      fields?: {
        product?: string
        expected_at?: string
        received_at?: string
        returned_at?: string
        canceled_at?: string
        merchant_contacted_at?: string
        carrier?: string
        tracking_number?: string
        /** The transaction that this one repeats. */
        duplicate_of?: string
        /** What the merchant promised to give back, in minor units of the dispute's currency. */
        credit_expected_cents?: number
      }
    }
    answer: DisputeEvidence
  }
  /** Submits the response to a dispute; the network then decides. Scope write. */
  submitDispute: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Dispute
  }
  /** Records how the network decided a submitted dispute. Scope admin. */
  setDisputeOutcomeAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** How the network decided. */
      outcome: 'won' | 'lost'
    }
    answer: Dispute
  }
  /** Asks the tenant for more evidence by a deadline, as the sponsor bank wants it. Scope admin. */
  requireEvidenceDisputeAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** What the sponsor bank asks for; the tenant reads it. */
      requested: string
      /** ISO 8601: the tenant’s new deadline; ten days from now when left out. */
      due_by?: string
    }
    answer: Dispute
  }
  /** Lists what clearing files of the network say otherwise than your transactions. Scope read. */
  listClearingExceptions: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      kind?: 'amount_mismatch' | 'currency_mismatch' | 'missing_here' | 'missing_in_file' | 'named_twice'
      message_id?: string
      /** The card transaction. */
      transaction_id?: string
    }
    answer: ClearingExceptionList
  }
  /** Lists clearing files of the card networks. Scope admin. */
  listClearingFilesAsOperator: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      network?: string
      environment?: 'sandbox' | 'live'
      /** The day it clears, YYYY-MM-DD. */
      business_date?: string
      /** The state it is in. */
      status?: 'open' | 'closed'
    }
    answer: ClearingFileList
  }
  /** Opens a clearing file of a network for a day; again, answers with it. Scope admin. */
  createClearingFileAsOperator: {
    input: {
      environment: 'sandbox' | 'live'
      network: string
      /** The network’s own name of the file. */
      file_id: string
      /** The day it clears, YYYY-MM-DD. */
      business_date: string
    }
    answer: ClearingFile
  }
  /** Shows a clearing file with what agreed and what did not, counted. Scope admin. */
  getClearingFileAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: ClearingFile
  }
  /** Lists what in a clearing file does not agree with what is recorded. Scope admin. */
  listClearingFileExceptionsAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** Created at or after: an ISO 8601 date, or date and time with a zone. */
      'created[gte]'?: string
      /** Created after: an ISO 8601 date, or date and time with a zone. */
      'created[gt]'?: string
      /** Created at or before: an ISO 8601 date, or date and time with a zone. */
      'created[lte]'?: string
      /** Created before: an ISO 8601 date, or date and time with a zone. */
      'created[lt]'?: string
      /** The same as created[gt]. */
      created_after?: string
      kind?: 'amount_mismatch' | 'currency_mismatch' | 'missing_here' | 'missing_in_file' | 'named_twice'
      message_id?: string
      /** The card transaction. */
      transaction_id?: string
    }
    answer: ClearingExceptionList
  }
  /** Adds a part of a clearing file and compares its entries with what is recorded. Scope admin. */
  createClearingFilePartAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Its number, from 1. Given again with the same entries, it changes nothing. */
      part: number
      entries: ClearingEntry[]
    }
    answer: ClearingFile
  }
  /** Closes a clearing file that is whole and finds out what is missing in it. Scope admin. */
  closeClearingFileAsOperator: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** How many entries the whole file has. */
      entries: number
    }
    answer: ClearingFile
  }
  /** Shows what time it is in the sandbox. Scope read. */
  getSandboxClock: {
    input: object
    answer: SandboxClock
  }
  /** Moves the sandbox’s clock forward, by seconds or to a moment: windows, holds, deadlines and retries follow. Scope write. */
  clockSandbox: {
    input: {
      advance_seconds?: number
      to?: string
    }
    answer: SandboxClock
  }
  /** Empties the sandbox: programs, cardholders, cards, transactions, events, endpoints and all that belongs to them. Scope admin. */
  wipeSandbox: {
    input: object
    answer: SandboxWipe
  }
  /** Has the card network send one message about a card, and shows what it is answered. Scope write. */
  createSimulateCardNetworkMessage: {
    input: object
    answer: SimulatedMessage
  }
  /** Plays a short story of several network messages about a card. Scope write. */
  createSimulateCardNetworkScenario: {
    input: {
      /** The card. */
      card_id: string
      scenario: 'approve' | 'approve_and_capture' | 'approve_and_reverse' | 'capture_in_parts' | 'incremental' | 'refund' | 'wrong_expiry' | 'account_verification'
      /** A whole number of the currency’s smallest unit. */
      amount_cents?: number
    }
    answer: SimulatedScenario
  }
  /** Says that a physical card was handed to the carrier. Scope write. */
  shipSimulateCard: {
    input: {
      /** The id, for ever the same. */
      id: string
      carrier?: string
      tracking_number?: string
    }
    answer: Card
  }
  /** Says that a shipped card has reached its address. Scope write. */
  deliverSimulateCard: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Card
  }
  /** Says that a shipped card has come back; it may be sent again. Scope write. */
  returnSimulateCard: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Card
  }
  /** Answers the open identity verification of a cardholder in the provider’s place. Scope write. */
  setSimulateCardholderKyc: {
    input: {
      /** The id, for ever the same. */
      id: string
      result: 'approved' | 'rejected' | 'requires_action'
      reasons?: string[]
    }
    answer: Cardholder
  }
  /** Finds a cardholder on a sanctions list that does not exist: they are frozen until it is reviewed. Scope write. */
  sanctionsHitSimulateCardholder: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Cardholder
  }
  /** Decides a submitted dispute in the network’s place. Scope write. */
  setSimulateDisputeOutcome: {
    input: {
      /** The id, for ever the same. */
      id: string
      outcome: 'won' | 'lost'
    }
    answer: Dispute
  }
  /** Asks for more evidence by a deadline, in the sponsor bank’s place. Scope write. */
  requireEvidenceSimulateDispute: {
    input: {
      /** The id, for ever the same. */
      id: string
      requested: string
      due_by?: string
    }
    answer: Dispute
  }
  /** Suspends a program as a regulator, the sponsor bank or provider risk would. Scope write. */
  suspendSimulateProgram: {
    input: {
      /** The id, for ever the same. */
      id: string
      suspended_by: 'regulator' | 'sponsor_bank' | 'provider_risk'
      /** Why, in your words; shown wherever the change is shown. */
      reason: string
    }
    answer: Program
  }
  /** Resumes a suspended program, as only an operator can in live. Scope write. */
  resumeSimulateProgram: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Program
  }
  /** Shows what a reveal token allows, once. Needs no key. */
  createCardReveal: {
    input: {
      /** A reveal token of the card; it works once. */
      token: string
    }
    answer: CardReveal
  }
}

export const OPERATIONS: {
  readonly [Name in keyof Operations]: { method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string }
} = {
  listAuditLog: { method: 'GET', path: '/v1/audit_log' },
  verifyAuditLog: { method: 'GET', path: '/v1/audit_log/verify' },
  listAuditLogAsOperator: { method: 'GET', path: '/operator/v1/audit_log' },
  verifyAuditLogAsOperator: { method: 'GET', path: '/operator/v1/audit_log/verify' },
  listEvents: { method: 'GET', path: '/v1/events' },
  getEvent: { method: 'GET', path: '/v1/events/{id}' },
  listPrograms: { method: 'GET', path: '/v1/programs' },
  createProgram: { method: 'POST', path: '/v1/programs' },
  getProgram: { method: 'GET', path: '/v1/programs/{id}' },
  updateProgram: { method: 'PATCH', path: '/v1/programs/{id}' },
  listApiKeys: { method: 'GET', path: '/v1/api_keys' },
  createApiKey: { method: 'POST', path: '/v1/api_keys' },
  getApiKey: { method: 'GET', path: '/v1/api_keys/{id}' },
  updateApiKey: { method: 'PATCH', path: '/v1/api_keys/{id}' },
  markPendingApiKey: { method: 'POST', path: '/v1/api_keys/{id}/mark_pending' },
  revokeApiKey: { method: 'POST', path: '/v1/api_keys/{id}/revoke' },
  listPeople: { method: 'GET', path: '/v1/people' },
  getFactorChallenge: { method: 'GET', path: '/v1/factor_challenges/{id}' },
  getAccount: { method: 'GET', path: '/v1/account' },
  updateAccount: { method: 'PATCH', path: '/v1/account' },
  listTenantsAsOperator: { method: 'GET', path: '/operator/v1/tenants' },
  createTenantAsOperator: { method: 'POST', path: '/operator/v1/tenants' },
  getTenantAsOperator: { method: 'GET', path: '/operator/v1/tenants/{id}' },
  approveTenantKybAsOperator: { method: 'POST', path: '/operator/v1/tenants/{id}/kyb/approve' },
  rejectTenantKybAsOperator: { method: 'POST', path: '/operator/v1/tenants/{id}/kyb/reject' },
  suspendTenantAsOperator: { method: 'POST', path: '/operator/v1/tenants/{id}/suspend' },
  resumeTenantAsOperator: { method: 'POST', path: '/operator/v1/tenants/{id}/resume' },
  createTenantApiKeyAsOperator: { method: 'POST', path: '/operator/v1/tenants/{id}/api_keys' },
  setTenantRealtimeAsOperator: { method: 'PUT', path: '/operator/v1/tenants/{id}/realtime' },
  setTenantRateLimitAsOperator: { method: 'PUT', path: '/operator/v1/tenants/{id}/rate_limit' },
  deleteTenantRateLimitAsOperator: { method: 'DELETE', path: '/operator/v1/tenants/{id}/rate_limit' },
  listTenantPeopleAsOperator: { method: 'GET', path: '/operator/v1/tenants/{id}/people' },
  createTenantPersonAsOperator: { method: 'POST', path: '/operator/v1/tenants/{id}/people' },
  getPersonAsOperator: { method: 'GET', path: '/operator/v1/people/{id}' },
  updatePersonAsOperator: { method: 'PATCH', path: '/operator/v1/people/{id}' },
  disablePersonAsOperator: { method: 'POST', path: '/operator/v1/people/{id}/disable' },
  enablePersonAsOperator: { method: 'POST', path: '/operator/v1/people/{id}/enable' },
  resetFactorPersonAsOperator: { method: 'POST', path: '/operator/v1/people/{id}/reset_factor' },
  listProgramsAsOperator: { method: 'GET', path: '/operator/v1/programs' },
  getProgramAsOperator: { method: 'GET', path: '/operator/v1/programs/{id}' },
  activateProgramAsOperator: { method: 'POST', path: '/operator/v1/programs/{id}/activate' },
  rejectProgramAsOperator: { method: 'POST', path: '/operator/v1/programs/{id}/reject' },
  suspendProgramAsOperator: { method: 'POST', path: '/operator/v1/programs/{id}/suspend' },
  resumeProgramAsOperator: { method: 'POST', path: '/operator/v1/programs/{id}/resume' },
  listOperatorsAsOperator: { method: 'GET', path: '/operator/v1/operators' },
  createOperatorAsOperator: { method: 'POST', path: '/operator/v1/operators' },
  revokeOperatorAsOperator: { method: 'POST', path: '/operator/v1/operators/{id}/revoke' },
  createWebhookEndpoint: { method: 'POST', path: '/v1/webhook_endpoints' },
  listWebhookEndpoints: { method: 'GET', path: '/v1/webhook_endpoints' },
  deleteWebhookEndpoint: { method: 'DELETE', path: '/v1/webhook_endpoints/{id}' },
  getWebhookEndpoint: { method: 'GET', path: '/v1/webhook_endpoints/{id}' },
  updateWebhookEndpoint: { method: 'PATCH', path: '/v1/webhook_endpoints/{id}' },
  rotateSecretWebhookEndpoint: { method: 'POST', path: '/v1/webhook_endpoints/{id}/rotate_secret' },
  revokeOldSecretWebhookEndpoint: { method: 'POST', path: '/v1/webhook_endpoints/{id}/revoke_old_secret' },
  makeRealtimeWebhookEndpoint: { method: 'POST', path: '/v1/webhook_endpoints/{id}/make_realtime' },
  certifyWebhookEndpoint: { method: 'POST', path: '/v1/webhook_endpoints/{id}/certify' },
  listWebhookEndpointCertifications: { method: 'GET', path: '/v1/webhook_endpoints/{id}/certifications' },
  getWebhookEndpointCertification: { method: 'GET', path: '/v1/webhook_endpoints/{id}/certifications/{certification}' },
  getStandInReport: { method: 'GET', path: '/v1/stand_in/report' },
  listSanctionsAlerts: { method: 'GET', path: '/v1/sanctions_alerts' },
  getSanctionsAlert: { method: 'GET', path: '/v1/sanctions_alerts/{id}' },
  listSanctionsAlertsAsOperator: { method: 'GET', path: '/operator/v1/sanctions_alerts' },
  listCardholders: { method: 'GET', path: '/v1/cardholders' },
  createCardholder: { method: 'POST', path: '/v1/cardholders' },
  getCardholder: { method: 'GET', path: '/v1/cardholders/{id}' },
  updateCardholder: { method: 'PATCH', path: '/v1/cardholders/{id}' },
  verifyCardholder: { method: 'POST', path: '/v1/cardholders/{id}/verify' },
  freezeCardholder: { method: 'POST', path: '/v1/cardholders/{id}/freeze' },
  unfreezeCardholder: { method: 'POST', path: '/v1/cardholders/{id}/unfreeze' },
  setCardholderKycAsOperator: { method: 'POST', path: '/operator/v1/cardholders/{id}/kyc' },
  freezeCardholderAsOperator: { method: 'POST', path: '/operator/v1/cardholders/{id}/freeze' },
  unfreezeCardholderAsOperator: { method: 'POST', path: '/operator/v1/cardholders/{id}/unfreeze' },
  reviewSanctionsAlertAsOperator: { method: 'POST', path: '/operator/v1/sanctions_alerts/{id}/review' },
  listSpendingControls: { method: 'GET', path: '/v1/spending_controls' },
  createSpendingControl: { method: 'POST', path: '/v1/spending_controls' },
  getSpendingControl: { method: 'GET', path: '/v1/spending_controls/{id}' },
  updateSpendingControl: { method: 'PATCH', path: '/v1/spending_controls/{id}' },
  listSpendingControlVersions: { method: 'GET', path: '/v1/spending_controls/{id}/versions' },
  getSpendingControlShadow: { method: 'GET', path: '/v1/spending_controls/{id}/shadow' },
  activateSpendingControl: { method: 'POST', path: '/v1/spending_controls/{id}/activate' },
  retireSpendingControl: { method: 'POST', path: '/v1/spending_controls/{id}/retire' },
  listWalletTokens: { method: 'GET', path: '/v1/wallet_tokens' },
  createWalletToken: { method: 'POST', path: '/v1/wallet_tokens' },
  getWalletToken: { method: 'GET', path: '/v1/wallet_tokens/{id}' },
  suspendWalletToken: { method: 'POST', path: '/v1/wallet_tokens/{id}/suspend' },
  resumeWalletToken: { method: 'POST', path: '/v1/wallet_tokens/{id}/resume' },
  deactivateWalletToken: { method: 'POST', path: '/v1/wallet_tokens/{id}/deactivate' },
  createToken: { method: 'POST', path: '/v1/tokens' },
  getToken: { method: 'GET', path: '/v1/tokens/{id}' },
  listCards: { method: 'GET', path: '/v1/cards' },
  createCard: { method: 'POST', path: '/v1/cards' },
  getCard: { method: 'GET', path: '/v1/cards/{id}' },
  updateCard: { method: 'PATCH', path: '/v1/cards/{id}' },
  activateCard: { method: 'POST', path: '/v1/cards/{id}/activate' },
  suspendCard: { method: 'POST', path: '/v1/cards/{id}/suspend' },
  resumeCard: { method: 'POST', path: '/v1/cards/{id}/resume' },
  terminateCard: { method: 'POST', path: '/v1/cards/{id}/terminate' },
  replaceCard: { method: 'POST', path: '/v1/cards/{id}/replace' },
  createCardRevealToken: { method: 'POST', path: '/v1/cards/{id}/reveal_tokens' },
  evaluateCard: { method: 'POST', path: '/v1/cards/{id}/evaluate' },
  replaceCardLimits: { method: 'PUT', path: '/v1/cards/{id}/limits' },
  setCardPin: { method: 'PUT', path: '/v1/cards/{id}/pin' },
  shipCardAsOperator: { method: 'POST', path: '/operator/v1/cards/{id}/ship' },
  deliverCardAsOperator: { method: 'POST', path: '/operator/v1/cards/{id}/deliver' },
  returnCardAsOperator: { method: 'POST', path: '/operator/v1/cards/{id}/return' },
  createAuthentication: { method: 'POST', path: '/v1/authentications' },
  getAuthentication: { method: 'GET', path: '/v1/authentications/{id}' },
  listCardTransactions: { method: 'GET', path: '/v1/card_transactions' },
  getCardTransaction: { method: 'GET', path: '/v1/card_transactions/{id}' },
  listCardTransactionMessages: { method: 'GET', path: '/v1/card_transactions/{id}/messages' },
  listDisputes: { method: 'GET', path: '/v1/disputes' },
  createDispute: { method: 'POST', path: '/v1/disputes' },
  getDispute: { method: 'GET', path: '/v1/disputes/{id}' },
  updateDispute: { method: 'PATCH', path: '/v1/disputes/{id}' },
  listDisputeEvidence: { method: 'GET', path: '/v1/disputes/{id}/evidence' },
  createDisputeEvidence: { method: 'POST', path: '/v1/disputes/{id}/evidence' },
  submitDispute: { method: 'POST', path: '/v1/disputes/{id}/submit' },
  setDisputeOutcomeAsOperator: { method: 'POST', path: '/operator/v1/disputes/{id}/outcome' },
  requireEvidenceDisputeAsOperator: { method: 'POST', path: '/operator/v1/disputes/{id}/require_evidence' },
  listClearingExceptions: { method: 'GET', path: '/v1/clearing_exceptions' },
  listClearingFilesAsOperator: { method: 'GET', path: '/operator/v1/clearing_files' },
  createClearingFileAsOperator: { method: 'POST', path: '/operator/v1/clearing_files' },
  getClearingFileAsOperator: { method: 'GET', path: '/operator/v1/clearing_files/{id}' },
  listClearingFileExceptionsAsOperator: { method: 'GET', path: '/operator/v1/clearing_files/{id}/exceptions' },
  createClearingFilePartAsOperator: { method: 'POST', path: '/operator/v1/clearing_files/{id}/parts' },
  closeClearingFileAsOperator: { method: 'POST', path: '/operator/v1/clearing_files/{id}/close' },
  getSandboxClock: { method: 'GET', path: '/v1/sandbox/clock' },
  clockSandbox: { method: 'POST', path: '/v1/sandbox/clock' },
  wipeSandbox: { method: 'POST', path: '/v1/sandbox/wipe' },
  createSimulateCardNetworkMessage: { method: 'POST', path: '/v1/simulate/card_network/messages' },
  createSimulateCardNetworkScenario: { method: 'POST', path: '/v1/simulate/card_network/scenarios' },
  shipSimulateCard: { method: 'POST', path: '/v1/simulate/cards/{id}/ship' },
  deliverSimulateCard: { method: 'POST', path: '/v1/simulate/cards/{id}/deliver' },
  returnSimulateCard: { method: 'POST', path: '/v1/simulate/cards/{id}/return' },
  setSimulateCardholderKyc: { method: 'POST', path: '/v1/simulate/cardholders/{id}/kyc' },
  sanctionsHitSimulateCardholder: { method: 'POST', path: '/v1/simulate/cardholders/{id}/sanctions_hit' },
  setSimulateDisputeOutcome: { method: 'POST', path: '/v1/simulate/disputes/{id}/outcome' },
  requireEvidenceSimulateDispute: { method: 'POST', path: '/v1/simulate/disputes/{id}/require_evidence' },
  suspendSimulateProgram: { method: 'POST', path: '/v1/simulate/programs/{id}/suspend' },
  resumeSimulateProgram: { method: 'POST', path: '/v1/simulate/programs/{id}/resume' },
  createCardReveal: { method: 'POST', path: '/v1/card_reveals' },
}
