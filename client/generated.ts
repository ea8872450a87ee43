// Written by `npm run client` from the API's document; changes are lost.

/** The version that these types are of. */
export const API_VERSION = '2026-12-01'

export interface Account {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'account'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The name of the tenant. */
  name: string
  /** The environment of the key that asks. */
  environment: 'sandbox' | 'live'
  /** The version its answers and events are in, in both environments. */
  api_version: string
  /** Every version that may be pinned, newest first. */
  api_versions: string[]
  /** Only once approved are there live keys and active live programs. */
  kyb_status: 'pending' | 'submitted' | 'approved' | 'rejected'
  /** While suspended, nothing new is made. */
  status: 'active' | 'suspended'
  /** The party that suspended the tenant; null while it is not suspended. */
  suspended_by: SuspendedBy | null
  /** The reason of the suspension, in the words of the party that suspended it; null while it is not suspended. */
  suspend_reason: string | null
  /** Features that an operator has granted. */
  entitlements: {
    /** May be asked before an approval. */
    realtime: boolean
    /** May take payments; in the sandbox every tenant may. */
    payments: boolean
  }
  /** How often this environment may be called. */
  rate_limits: {
    /** Calls per minute of this environment, by bucket. */
    buckets: { [key: string]: number }
    /** How many times the usual, and until when (Unix seconds, by our clock); null where nothing was lifted. */
    override: {
      /** How many times the usual. */
      factor: number
      /** Until when, in Unix seconds by our clock. */
      expires_at: number
    } | null
  }
  /** The time in the sandbox; null in live. */
  sandbox_clock: {
    /** Unix seconds by it. */
    now: number
    /** How far it is ahead of ours. */
    offset_ms: number
  } | null
}

export interface Addons {
  /** Every add-on there is. */
  data: BillingAddon[]
}

export interface Address {
  /** Street and number. */
  line1: string
  /** What else the address needs; null where nothing. */
  line2: string | null
  /** The city. */
  city: string
  /** State, province or region; null where there is none. */
  state: string | null
  /** The postal code; null where there is none. */
  postal_code: string | null
  /** ISO 3166-1 alpha-2. */
  country: string
}

export interface AgreedTerms {
  /** Interval of the base price. */
  interval: 'month' | 'year'
  /** Currency of every amount, ISO 4217. */
  currency: 'USD' | 'EUR'
  /** Cents of a whole interval. */
  base_cents: number
  /** The price of usage, by meter. */
  meters: MeterPrices
  /** Whether real-time authorization belongs to the plan. */
  realtime: boolean
  /** Factor of the rate limits. */
  rate_factor: number
  /** The largest number of webhook endpoints. */
  endpoints_max: number
  /** Days from an invoice to its due date. */
  net_days: number
}

export interface ApiKey {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'api_key'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The environment of the resources the key reaches; livemode says the same as a boolean. */
  environment: 'sandbox' | 'live'
  /** The name that people gave the key. */
  name: string
  /** A secret key is for servers, a publishable one may stand in a page or an app. */
  role: 'secret' | 'publishable'
  /** The permissions of the key: read, write (and read), or admin (everything). */
  scope: 'read' | 'write' | 'admin'
  /** The state it is in. */
  status: 'active' | 'pending' | 'revoked'
  /** The first characters of the secret. */
  prefix: string
  /** The last four characters of the secret. */
  last4: string
  /** Address ranges it may be used from; none: from anywhere. */
  cidrs: string[]
  /** The person who approved the key, or the key that made it; null for the first keys of the installation. */
  created_by: string | null
  /** Unix seconds of its last call, to the minute; null before the first. */
  last_used_at: number | null
  /** The address of its last call; null before the first. */
  last_used_ip: string | null
  /** Until then a pending key works; null in the other states. */
  revokes_at: number | null
  /** Unix seconds from which the key is refused, by the clock of its account; null: no end. */
  expires_at: number | null
  /** Unix seconds; null while it is not revoked. */
  revoked_at: number | null
  /** Web pages from which it was sent. A secret key that has any is in the hands of strangers. */
  browser_sightings: {
    /** The origin that the browser named. */
    origin: string
    /** Unix seconds of the first call from there. */
    first_at: number
    /** Unix seconds of the last call from there. */
    last_at: number
    /** How many calls came from there. */
    count: number
  }[]
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
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
  /** The kind of resource. */
  object: 'audit_log_entry'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Counts the rows of the log from 1, without gaps. */
  seq: number
  /** The caller. */
  actor: {
    /** oauth: a connected platform; system: an action that time triggered; holder: a cardholder on a hosted page. */
    type: 'api_key' | 'oauth' | 'person' | 'operator' | 'system' | 'holder'
    /** The id, for ever the same. */
    id: string | null
  }
  /** The method and path of the call, for example POST /v1/cards/:id/suspend, or the name of an action of the system. Two names stand for calls that changed nothing: secret_key_in_browser for the first call with a secret key from each web page, ip_not_allowed for calls from outside a key's address ranges. */
  action: string
  /** The id of the resource in the response, if it has one. */
  resource_id: string | null
  /** The Request-Id of the call; null for an action of the system. */
  request_id: string | null
  /** Where the call came from. */
  address: string | null
  /** The person who approved the call, if it needed a second factor. */
  approved_by: string | null
  /** SHA-256, lower-case hex: of the row before, and over it and everything in this one. */
  previous_hash: string
  /** SHA-256 over this row and the hash of the row before, lower-case hex. */
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
  /** The kind of resource. */
  object: 'audit_log_verification'
  /** True if no checked row was changed. */
  valid: boolean
  /** Rows that were checked. */
  rows: number
  /** The first row that was changed, or the number of a missing one. Null if the chain holds. */
  broken: {
    /** Its number in the log. */
    seq: number
    /** The id, for ever the same. */
    id: string | null
    /** What is wrong with it. */
    problem: string
  } | null
  /** The newest row. Keep it elsewhere: it shows later whether an earlier row was changed. Null for an empty log. */
  head: {
    /** Its number in the log. */
    seq: number
    /** Its hash, lower-case hex. */
    hash: string
  } | null
  /** Where the next call goes on (from); null when everything was checked, or the chain is broken. */
  next_from: number | null
}

export interface Authentication {
  /** The 3DS transaction's id. */
  id: string
  /** The kind of resource. */
  object: 'authentication'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The card. */
  card_id: string
  /** The result of the cardholder's authentication. */
  result: 'authenticated' | 'attempted' | 'failed'
  /** Unix seconds from which the result no longer counts. */
  expires_at: number
}

export interface AuthorizationReply {
  /** Whether you approve. Only a JSON boolean counts; false declines whatever else the body holds. */
  approve: boolean
  /** Why you decline: one of the values, or your own words of up to 64 characters, which become `tenant_declined` and stay readable in `webhook.decline_reason`. Left out: `tenant_declined`. */
  decline_reason?: 'insufficient_funds' | 'exceeds_limit' | 'exceeds_frequency' | 'merchant_not_allowed' | 'card_paused' | 'suspected_fraud' | 'not_permitted' | 'duplicate' | 'invalid_driver' | 'invalid_vehicle' | 'invalid_id' | 'do_not_honor' | 'system_unavailable' | 'never_retry' | 'other' | 'tenant_declined' | string
  /** Less than was asked: a partial approval where the terminal can take one (`partial_approval_capable`), else a decline. Left out: the whole amount. */
  approved_amount_cents?: number
  /** Up to 20 texts of 2 KB together that are kept with the transaction. Left out: none. */
  metadata?: { [key: string]: string }
  /** An echo of `authorization_request.id`: compared where it is sent. */
  request_id?: string
}

export interface AuthorizationStatistics {
  /** The kind of resource. */
  object: 'authorization_statistics'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Begin of the first step, in Unix seconds of your clock. */
  from: number
  /** End of the last step, in Unix seconds of your clock. */
  to: number
  /** Length of a step; days begin at 00:00 UTC. */
  step: 'minute' | 'hour' | 'day'
  /** All steps together. */
  total: AuthorizationSums
  /** Every step, oldest first; steps without requests too. */
  steps: ({
    /** Begin of the step, in Unix seconds. */
    at: number
    /** Authorization requests about cards, whoever decided them. */
    requests: number
    /** Requests that were approved, in full or in part. */
    approved: number
    /** Requests that were declined. */
    declined: number
    /** The share of the requests that was approved; null without requests. */
    approval_share: number | null
    /** The same by amount, for each currency of the cards. */
    amounts: ({
      /** ISO 4217 code, three capital letters. */
      currency: string
      /** Requested, in minor units of the currency; at most 2^53 - 1. */
      requested_cents: number
      /** Approved, in minor units of the currency; at most 2^53 - 1. */
      approved_cents: number
      /** The share of the requested amount that was approved; null where nothing was requested. */
      approval_share: number | null
    })[]
    /** Declined requests by reason, the most frequent first. */
    reasons: {
      /** The decline reason. */
      reason: DeclineReason
      /** Whether the same request may get another answer, and when. */
      retry_advice: RetryAdvice
      /** Requests declined for it. */
      requests: number
    }[]
    /** Requests by who decided them, the most frequent first. */
    decided_by: {
      /** Decider: your endpoint, your controls, stand-in, or the system. */
      decided_by: DecidedBy
      /** Requests decided so. */
      requests: number
      /** Those that were approved among them. */
      approved: number
    }[]
    /** The answers of your endpoint to the requests it was sent. */
    answers: {
      /** Requests that were sent to your endpoint. */
      asked: number
      /** Those that it answered in time. */
      answered: number
      /** The share of the sent requests answered in less than 300 ms; null where none was sent. */
      under_300_ms_share: number | null
      /** The same in less than 800 ms. */
      under_800_ms_share: number | null
      /** The same in less than 1,500 ms. */
      under_1500_ms_share: number | null
      /** Time of the answers in time, estimated within the bounds that are counted. */
      answer_ms: {
        /** Half of them were this fast, in milliseconds. */
        p50: number | null
        /** 95 of 100 were this fast, in milliseconds. */
        p95: number | null
        /** 99 of 100 were this fast, in milliseconds. */
        p99: number | null
      }
    }
    /** Requests that stand-in decided. */
    stand_in: {
      /** Requests that stand-in approved. */
      approved: number
      /** Requests that stand-in declined. */
      declined: number
    }
    /** Replies after the deadline, by the moment of the reply. */
    late_answers: {
      /** Those that wanted to approve. */
      approved: number
      /** Those that wanted to decline. */
      declined: number
    }
  })[]
}

export interface AuthorizationSums {
  /** Authorization requests about cards, whoever decided them. */
  requests: number
  /** Requests that were approved, in full or in part. */
  approved: number
  /** Requests that were declined. */
  declined: number
  /** The share of the requests that was approved; null without requests. */
  approval_share: number | null
  /** The same by amount, for each currency of the cards. */
  amounts: ({
    /** ISO 4217 code, three capital letters. */
    currency: string
    /** Requested, in minor units of the currency; at most 2^53 - 1. */
    requested_cents: number
    /** Approved, in minor units of the currency; at most 2^53 - 1. */
    approved_cents: number
    /** The share of the requested amount that was approved; null where nothing was requested. */
    approval_share: number | null
  })[]
  /** Declined requests by reason, the most frequent first. */
  reasons: {
    /** The decline reason. */
    reason: DeclineReason
    /** Whether the same request may get another answer, and when. */
    retry_advice: RetryAdvice
    /** Requests declined for it. */
    requests: number
  }[]
  /** Requests by who decided them, the most frequent first. */
  decided_by: {
    /** Decider: your endpoint, your controls, stand-in, or the system. */
    decided_by: DecidedBy
    /** Requests decided so. */
    requests: number
    /** Those that were approved among them. */
    approved: number
  }[]
  /** The answers of your endpoint to the requests it was sent. */
  answers: {
    /** Requests that were sent to your endpoint. */
    asked: number
    /** Those that it answered in time. */
    answered: number
    /** The share of the sent requests answered in less than 300 ms; null where none was sent. */
    under_300_ms_share: number | null
    /** The same in less than 800 ms. */
    under_800_ms_share: number | null
    /** The same in less than 1,500 ms. */
    under_1500_ms_share: number | null
    /** Time of the answers in time, estimated within the bounds that are counted. */
    answer_ms: {
      /** Half of them were this fast, in milliseconds. */
      p50: number | null
      /** 95 of 100 were this fast, in milliseconds. */
      p95: number | null
      /** 99 of 100 were this fast, in milliseconds. */
      p99: number | null
    }
  }
  /** Requests that stand-in decided. */
  stand_in: {
    /** Requests that stand-in approved. */
    approved: number
    /** Requests that stand-in declined. */
    declined: number
  }
  /** Replies after the deadline, by the moment of the reply. */
  late_answers: {
    /** Those that wanted to approve. */
    approved: number
    /** Those that wanted to decline. */
    declined: number
  }
}

export interface BacktestResult {
  /** Authorization requests of the period under the control. */
  judged: number
  /** How many of them were approved. */
  approved: number
  /** How many of them were declined, for whatever reason. */
  declined: number
  /** Approved requests that the proposed terms decline, with the reasons they give. */
  would_decline: {
    /** Authorization requests. */
    count: number
    /** The requested amounts, in the currency of the card. */
    amounts: {
      /** ISO 4217 code, three capital letters. */
      currency: string
      /** A whole number of the currency’s smallest unit. */
      amount_cents: number
    }[]
    /** Why, the most frequent first. */
    decline_reasons: {
      /** Why it would have been declined. */
      decline_reason: DeclineReason
      /** How often. */
      count: number
    }[]
  }
  /** Requests that the control declined and the proposed terms let pass, with the recorded reasons. The rules behind the control, and your endpoint, were never asked about them. */
  would_approve: {
    /** Authorization requests. */
    count: number
    /** The requested amounts, in the currency of the card. */
    amounts: {
      /** ISO 4217 code, three capital letters. */
      currency: string
      /** A whole number of the currency’s smallest unit. */
      amount_cents: number
    }[]
    /** Why, the most frequent first. */
    decline_reasons: {
      /** Why it would have been declined. */
      decline_reason: DeclineReason
      /** How often. */
      count: number
    }[]
  }
  /** Days in UTC that had requests, oldest first. */
  days: {
    /** Unix seconds of its beginning. */
    day: number
    /** Authorization requests of the day under the control. */
    judged: number
    /** Approved requests of the day that the proposed terms decline. */
    would_decline: number
    /** Declined requests of the day that the proposed terms let pass. */
    would_approve: number
  }[]
  /** The first ten of each kind, in the order in which they came. */
  examples: ({
    /** would_decline: it was approved. would_approve: the control declined it. */
    change: 'would_decline' | 'would_approve'
    /** The card transaction. */
    transaction_id: string
    /** The card. */
    card_id: string
    /** Unix seconds of the request. */
    received: number
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** ISO 4217 code, three capital letters. */
    currency: string
    /** A part of the merchant’s name, in capitals or not. */
    merchant_name: string
    /** The merchant’s category, four digits (ISO 18245). */
    mcc: string
    /** Why it was declined; null where it was not. */
    decline_reason: DeclineReason
    /** The limit or control behind the reason; null where the reason names none. */
    decline_detail: string | null
  })[]
  /** Recorded messages that were read: those of the period and those that fill its windows. */
  entries: number
  /** Messages of transactions that began before the first of them: they count in no window. */
  skipped: number
}

export interface BillingAddon {
  /** The key of the add-on. */
  id: 'identity_checks' | 'physical_cards'
  /** The kind of resource. */
  object: 'billing_addon'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Whether the add-on may be used; its usage is charged by the unit. */
  enabled: boolean
  /** When it was enabled or disabled last, Unix seconds. */
  changed_at: number | null
}

export interface BillingNotice {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'billing_notice'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The message; _ahead comes three days before. */
  kind: 'trial_ending' | 'invoice_sent' | 'payment_failed' | 'action_required' | 'payment_succeeded' | 'restriction_ahead' | 'restricted' | 'suspension_ahead' | 'suspended' | 'cancellation_ahead' | 'canceled' | 'new_prices'
  /** The subscription that the message is about. */
  subscription_id: string
  /** The invoice that the message is about. */
  invoice_id: string | null
}

export interface BillingNoticeList {
  /** The resources of this page. */
  data: BillingNotice[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface BillingPlan {
  /** The kind of resource. */
  object: 'billing_plan'
  /** The plan. */
  key: 'starter' | 'growth'
  /** Date of the catalogue that the prices are from. */
  version: string
  /** Cents of a month, in the currency of the subscription. */
  month_cents: number
  /** Cents of a year, in the currency of the subscription. */
  year_cents: number
  /** The price of usage, by meter. */
  meters: MeterPrices
  /** Whether real-time authorization belongs to the plan. */
  realtime: boolean
  /** Factor of the rate limits. */
  rate_factor: number
  /** The largest number of webhook endpoints. */
  endpoints_max: number
}

export interface BillingPlans {
  /** The plans, the lowest first. */
  data: BillingPlan[]
}

export type BillingStatusReason = 'trial_ended' | 'payment_overdue' | 'uncollectible' | 'requested' | 'overridden'

export interface BillingUsage {
  /** The kind of resource. */
  object: 'billing_usage'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The subscription; null without one. */
  subscription_id: string | null
  /** Number of the month within the subscription; null in a trial. */
  month: number | null
  /** The month of usage, or the trial. */
  period: {
    /** The beginning, Unix seconds. */
    from: number
    /** The end, Unix seconds. */
    until: number
  } | null
  /** Every event that was recorded before this moment is counted, Unix seconds. */
  as_of: number
  /** Usage by meter and stretch of terms. */
  data: ({
    /** The counted thing. */
    meter: 'authorizations' | 'cards_issued' | 'passes_issued' | 'physical_cards' | 'identity_checks'
    /** The plan that prices it. */
    plan: 'starter' | 'growth' | 'enterprise'
    /** The stretch of the month in which these terms hold; a change of plan cuts the month. */
    period: {
      /** The beginning, Unix seconds. */
      from: number
      /** The end, Unix seconds. */
      until: number
    }
    /** Units so far, corrections included. */
    quantity: number
    /** Units of them that arrived after the invoice of their period. */
    late: number
    /** Sum of the corrections by operators. */
    adjusted: number
    /** Units that the base price contains. */
    included: number
    /** Units above. */
    over: number
    /** Price of the units above, in cents. */
    amount_cents: number
    /** The counted units by day; days without any are left out. */
    days: {
      /** Start of the day in UTC, Unix seconds. */
      day: number
      /** Counted units of the day. */
      quantity: number
      /** Units of them that arrived after the invoice of their period. */
      late: number
    }[]
  })[]
}

export interface Card {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'card'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Virtual, or physical with a shipment. */
  type: 'virtual' | 'physical'
  /** The state it is in. */
  status: 'issued' | 'active' | 'suspended' | 'terminated'
  /** Stands for the card where its number must not: in files of the network and in wallets. */
  token: string
  /** The last four digits of the number. */
  last4: string
  /** The month in which the card expires, 1 to 12. */
  exp_month: number
  /** The year in which the card expires, four digits. */
  exp_year: number
  /** ISO 4217 code, three capital letters. */
  currency: string
  /** The program. */
  program_id: string
  /** The cardholder. */
  cardholder_id: string
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
  /** The name printed on the card; null for the cardholder's own name. */
  name_on_card: string | null
  /** Null for virtual cards. */
  shipping: Shipping | null
  /** Every limit that binds the card: its own, its cardholder’s and its program’s. */
  limits: Limit[]
  /** Active ones that bind the card: its own, its cardholder's, its program's. */
  spending_control_ids: string[]
  /** The card that this one was issued for, which is terminated. */
  replaces: string | null
  /** The party that suspended the card: the tenant, the cardholder or the fraud rules; null while it is not suspended. */
  suspended_by: CardSuspendedBy | null
  /** Why it was suspended; null while it is not suspended. */
  suspend_reason: SuspendReason | null
  /** Why it was terminated; null before. */
  terminate_reason: TerminateReason | null
}

export interface CardDetails {
  /** The card’s number, digits only. */
  pan: string
  /** The month in which the card expires, 1 to 12. */
  exp_month: number
  /** The year in which the card expires, four digits. */
  exp_year: number
  /** The security code, three or four digits; kept nowhere. */
  cvc?: string
}

export interface CardEvaluation {
  /** The kind of resource. */
  object: 'card_evaluation'
  /** The card. */
  card_id: string
  /** Whether it would be approved. */
  approved: boolean
  /** How much of the amount was approved, in minor units; 0 where nothing was. */
  approved_amount_cents: number
  /** ISO 8583 field 39, for example 00. */
  response_code: string
  /** Why it was declined; null where it was not. */
  decline_reason: DeclineReason | null
  /** What in it was declined, where the reason has several causes; null otherwise. */
  decline_detail: string | null
  /** Whether the same question may get another answer, and when; null where it was approved. */
  retry_advice: RetryAdvice | null
  /** The currency of the amounts: that of the message. */
  currency: string
  /** The most that would be approved now, in minor units of currency. */
  max_approvable_amount_cents: number
  /** True where the tenant would be asked before the approval leaves. */
  would_ask: boolean
  /** Every rule that was looked at, in order. */
  trace: unknown[]
  /** The verdicts of draft controls; they change nothing. */
  shadow: ({
    /** The spending control of the draft. */
    spending_control_id: string
    /** Which version of it. */
    version: number
    /** Why it would have been declined; null where it would not. */
    decline_reason: DeclineReason | null
  })[]
  /** The versions of everything that was decided by. */
  config: {
    /** Of the program. */
    program_version: number
    /** Of the cardholder. */
    cardholder_state_version: number
    /** Of the card. */
    card_state_version: number
    /** The versions of the spending controls that bind it. */
    controls_version: ControlsVersion
    /** Which release of the engine decided. */
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
  /** The kind of resource. */
  object: 'card_reveal'
  /** The card’s number, 16 digits; null where it was not asked for. */
  pan: string | null
  /** The security code, three digits; null where it was not asked for. */
  cvc: string | null
  /** The month in which the card expires, 1 to 12. */
  exp_month: number | null
  /** The year in which the card expires, four digits. */
  exp_year: number | null
}

export interface CardRevealToken {
  /** The card's. */
  id: string
  /** The kind of resource. */
  object: 'card_reveal_token'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The details that the token shows: number, security code, expiry. */
  fields: ('pan' | 'cvc' | 'expiry')[]
  /** Shown here and never again. */
  token: string
  /** Unix seconds from which it is worth nothing. */
  expires_at: number
  /** Path of this API to which the token is sent, in a body and without a key. */
  url: '/v1/card_reveals'
}

export type CardSuspendedBy = 'tenant' | 'cardholder' | 'fraud_rule'

export interface CardTransaction {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'card_transaction'
  /** When it was made, in Unix seconds. */
  created: number
  /** The number of the message in the transaction, from 1. */
  sequence: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The state it is in. */
  status: 'authorized' | 'declined' | 'reversed' | 'expired' | 'partially_captured' | 'captured' | 'partially_refunded' | 'refunded' | 'pending'
  /** debit: money leaves the card. credit: it comes. */
  direction: 'credit' | 'debit'
  /** The amount of the latest authorization request, in minor units of the card's currency. */
  amount_cents: number
  /** How much of the amount was approved, in minor units; 0 where nothing was. */
  approved_amount_cents: number | null
  /** ISO 4217 code, three capital letters. */
  currency: string
  /** Why it was declined; null where it was not. */
  decline_reason: DeclineReason | null
  /** Unusual circumstances of the transaction, for example over_captured. */
  flags: TransactionFlag[]
  /** The sums of all messages, in minor units of the card’s currency. */
  sums: TransactionSums
  /** When the open hold ends; null where none is open. */
  hold_expires_at: string | null
  /** The transaction this one is about, where the engine no longer knew it. */
  original_transaction_id: string | null
  /** The authorization request that you are or were asked. */
  authorization_request: {
    /** The id, for ever the same. */
    id: string
    /** What the network asks. */
    kind: 'initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser'
    /** Always 1: you are asked once. A repeat by the network gets the first answer again. */
    attempt: number
    /** By then your answer has to be here. */
    deadline_at: string
    /** How long your answer may take, in milliseconds from when you were called. */
    budget_ms: number
  }
  /** The network's message, without the money. */
  message: {
    /** The id, for ever the same. */
    id: string
    /** What the message asks or says. */
    kind: 'authorization' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'advice' | 'reversal' | 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal'
    /** Its type in ISO 8583, that of its first sending. */
    mti: string
    /** A repeat of a message that did not reach us. Any other repeat gets the first answer and is shown nowhere. */
    is_repeat: boolean
    /** The message reports a decision that was made in our place. */
    is_advice: boolean
    /** No other amount follows. */
    is_final: boolean
    /** The card network that sent it. */
    network: string
    /** The network’s own id of the transaction. */
    network_transaction_id: string
    /** The network’s id of the transaction that this one continues; its own where it begins one. */
    original_network_transaction_id: string
    /** When the network sent it, ISO 8601. */
    transmitted_at: string
  }
  /** Every amount of it, each with its currency. */
  amounts: {
    /** The amount of the question as the network sent it, in the merchant’s currency. */
    merchant: Money
    /** The amount of the question in the card’s currency. */
    cardholder: Money
    /** The amount of this request beyond the amounts requested before. */
    requested_delta: Money
    /** The amount of all requests up to and including this one. */
    cumulative: Money
    /** The amount held for it. */
    hold: Money
    /** What the network was answered, in its own currency; null while nothing was. */
    approved: Money | null
    /** In the currency that the network settles in; null before that is known. */
    settlement: Money | null
    /** How the amount was converted; null where it was not. */
    fx: {
      /** Units of the card’s currency for one of the merchant’s, a decimal number as text. */
      rate: string
      /** Where the rate is from: the network, or our table. */
      source: string
      /** Of when the rate is, ISO 8601; null where that is not known. */
      rate_at: string | null
      /** What was added to the rate, in hundredths of a percent. */
      markup_bps: number
      /** Whether we compared the network’s amount with a rate of our own; null where the rate is not the network’s. */
      verified: boolean | null
    } | null
    /** Parts of the amount that are not for goods. */
    components: {
      /** What is paid out in cash. */
      cashback: Money
      /** What the terminal takes as a fee. */
      fee: Money
    }
  }
  /** The terminal can take less than it asked for. */
  partial_approval_capable: boolean
  /** Where the card was used. */
  merchant: {
    /** The merchant’s id, as the network sends it. */
    id: string
    /** The merchant’s name, as the network sends it. */
    name: string
    /** The merchant’s category, four digits (ISO 18245). */
    mcc: string
    /** Where the merchant is. */
    city: string
    /** Where the merchant is, ISO 3166-1 alpha-2. */
    country: string
  }
  /** How the card was used. */
  entry: {
    /** How the terminal got the card’s number. */
    method: 'chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown'
    /** The card, or the phone with it, was at the terminal. */
    card_present: boolean
    /** The party that began it: the cardholder, or the merchant with stored details. */
    initiator: 'cardholder' | 'merchant'
    /** One of a series of payments. */
    recurring: boolean
    /** The wallet that the card was used from; null where it was none. */
    wallet: string | null
    /** The wallet token that stood for the card; null where none did. */
    token_id: string | null
    /** The stripe was read because the chip would not be read. */
    fallback_from_chip: boolean
  }
  /** The checks of card and cardholder. Null for a check whose value the message did not carry. */
  verification: {
    /** Whether the security code was the card’s: match or mismatch. */
    cvc: string | null
    /** Whether the expiry that was sent is the card’s: match or mismatch. */
    expiry: string | null
    /** Whether the PIN was right: match or mismatch. */
    pin: string | null
    /** The known result of a 3DS authentication. */
    three_ds: {
      /** What the issuer’s own record says; null where there is none. */
      result: string | null
      /** The id of the 3DS transaction, by which the issuer’s own result is found. */
      transaction_id: string | null
      /** What the merchant says came of the authentication. */
      claim: string | null
    }
    /** The state of the wallet token. */
    wallet_token: string | null
  }
  /** The program, as it was then. */
  program: {
    /** The id, for ever the same. */
    id: string
    /** Counts its changes: by which version it was judged. */
    state_version: number
  }
  /** The cardholder, as they were then. */
  cardholder: {
    /** The id, for ever the same. */
    id: string
    /** The state the cardholder was in. */
    status: string
    /** Counts its changes: by which version it was judged. */
    state_version: number
  }
  /** The card, as it was then. */
  card: {
    /** The id, for ever the same. */
    id: string
    /** The last four digits of the number. */
    last4: string
    /** Virtual or physical. */
    type: 'virtual' | 'physical'
    /** The state the card was in. */
    status: string
    /** Counts its changes: by which version it was judged. */
    state_version: number
  }
  /** The spending controls that it was judged by. */
  controls_snapshot: {
    /** The versions of the spending controls that bind it. */
    controls_version: ControlsVersion
    /** Headroom of every limit that was judged, in order: up to the one that declined. */
    limits: LimitHeadroom[]
  }
  /** The answer without you; null if nobody is asked. */
  preliminary: {
    /** Always true: you are not asked about a request that is declined. */
    would_approve: boolean
    /** Always null: you are not asked about a request that is declined. */
    would_decline_reason: null
    /** The answer of stand-in if you are silent. */
    stand_in_would: {
      /** Whether it would have been approved. */
      approve: boolean
      /** Why it would have been declined; null where it would not. */
      decline_reason: DeclineReason | null
    } | null
  } | null
  /** The latest decision; null while you are asked. */
  decision: TransactionDecision | null
  /** Later authorization requests of the merchant that raised the amount. */
  increments: ({
    /** The id, for ever the same. */
    id: string
    /** Its place in the transaction, from 1. */
    sequence: number
    /** The network’s own id of the message; null where there was none. */
    message_id: string | null
    /** What was added, in minor units of the card’s currency. */
    amount_cents: number
    /** When it was made, in Unix seconds. */
    created: number
    /** Unusual circumstances of the transaction, for example over_captured. */
    flags: TransactionFlag[]
    /** Whether it was approved. */
    approved: boolean
    /** Why it was declined; null where it was not. */
    decline_reason: DeclineReason | null
  })[]
  /** Final amounts of an authorization that the network reported; below 0 if the hold became smaller. */
  adjustments: ({
    /** The id, for ever the same. */
    id: string
    /** Its place in the transaction, from 1. */
    sequence: number
    /** The network’s own id of the message; null where there was none. */
    message_id: string | null
    /** By how much the hold changed, in minor units of the card’s currency. */
    amount_cents: number
    /** When it was made, in Unix seconds. */
    created: number
    /** Unusual circumstances of the transaction, for example over_captured. */
    flags: TransactionFlag[]
  })[]
  /** Amounts that the merchant took. */
  captures: ({
    /** The id, for ever the same. */
    id: string
    /** Its place in the transaction, from 1. */
    sequence: number
    /** The network’s own id of the message; null where there was none. */
    message_id: string | null
    /** The amount that the merchant took, in minor units of the card’s currency. */
    amount_cents: number
    /** When it was made, in Unix seconds. */
    created: number
    /** Unusual circumstances of the transaction, for example over_captured. */
    flags: TransactionFlag[]
  })[]
  /** Refunds, and with reversed those that were taken back. */
  refunds: ({
    /** The id, for ever the same. */
    id: string
    /** Its place in the transaction, from 1. */
    sequence: number
    /** The network’s own id of the message; null where there was none. */
    message_id: string | null
    /** The amount given back or taken again, in minor units of the card’s currency. */
    amount_cents: number
    /** When it was made, in Unix seconds. */
    created: number
    /** Unusual circumstances of the transaction, for example over_captured. */
    flags: TransactionFlag[]
    /** True where this takes a refund back. */
    reversed: boolean
  })[]
  /** Reversals before and after capture, and holds that expired. */
  reversals: ({
    /** The id, for ever the same. */
    id: string
    /** Its place in the transaction, from 1. */
    sequence: number
    /** The network’s own id of the message; null where there was none. */
    message_id: string | null
    /** The amount given back, in minor units of the card’s currency. */
    amount_cents: number
    /** When it was made, in Unix seconds. */
    created: number
    /** Unusual circumstances of the transaction, for example over_captured. */
    flags: TransactionFlag[]
    /** Before or after it was captured. */
    stage: 'post_capture' | 'pre_capture'
    /** The merchant gave it back, or the hold ran out. */
    cause: 'expiry' | 'merchant'
    /** True if the transaction continues with the rest. */
    partial: boolean
  })[]
  /** The latest of reversals. */
  reversal: {
    /** Before or after it was captured. */
    stage: 'post_capture' | 'pre_capture'
    /** The merchant gave it back, or the hold ran out. */
    cause: 'expiry' | 'merchant'
    /** True if the transaction continues with the rest. */
    partial: boolean
  } | null
  /** The latest ones. */
  disputes: ({
    /** The id, for ever the same. */
    id: string
    /** What is disputed, in minor units of the card’s currency. */
    amount_cents: number
    /** The state the dispute is in. */
    status: 'needs_response' | 'submitted' | 'won' | 'lost' | 'expired'
    /** How the network decided. */
    outcome: 'won' | 'lost' | null
    /** When it was made, in Unix seconds. */
    created: number
  })[]
  /** Differences between the clearing file and the transaction; the latest ones. */
  clearing_exceptions: ({
    /** The clearing file. */
    clearing_file_id: string
    /** In what they do not agree. */
    kind: string
    /** The place of the message in the transaction; null where it has none. */
    sequence: number | null
    /** When it was made, in Unix seconds. */
    created: number
  })[]
  /** Data that your reply asked us to keep. */
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
  /** The kind of resource. */
  object: 'card_transaction_message'
  /** The card transaction. */
  transaction_id: string
  /** Its place in the transaction, from 1; null where it has none. */
  sequence: number
  /** When it was made, in Unix seconds. */
  created: number
  /** A network message's kind, or expiry. */
  kind: 'authorization' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'advice' | 'reversal' | 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal' | 'expiry'
  /** The event that reported it. */
  event: string
  /** The amount that the message moved. */
  amount_cents: number
  /** The status of the transaction after the message. */
  status: 'authorized' | 'declined' | 'reversed' | 'expired' | 'partially_captured' | 'captured' | 'partially_refunded' | 'refunded'
  /** Unusual circumstances after the message, for example over_captured. */
  flags: TransactionFlag[]
  /** The sums of all messages so far, in minor units of the card’s currency. */
  sums: TransactionSums
  /** When the open hold ends; null where none is open. */
  hold_expires_at: string | null
  /** The id of the authorization request; null for a notification or an expiry. */
  authorization_request_id: string | null
  /** The network's message, without the money; null where we made it ourselves. */
  message: {
    /** The id, for ever the same. */
    id: string
    /** What the message asks or says. */
    kind: 'authorization' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'advice' | 'reversal' | 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal'
    /** Its type in ISO 8583, that of its first sending. */
    mti: string
    /** A repeat of a message that did not reach us. Any other repeat gets the first answer and is shown nowhere. */
    is_repeat: boolean
    /** The message reports a decision that was made in our place. */
    is_advice: boolean
    /** No other amount follows. */
    is_final: boolean
    /** The card network that sent it. */
    network: string
    /** The network’s own id of the transaction. */
    network_transaction_id: string
    /** The network’s id of the transaction that this one continues; its own where it begins one. */
    original_network_transaction_id: string
    /** When the network sent it, ISO 8601. */
    transmitted_at: string
  } | null
  /** Every amount of it, each with its currency. */
  amounts: {
    /** The amount of the question as the network sent it, in the merchant’s currency. */
    merchant: Money
    /** The amount of the question in the card’s currency. */
    cardholder: Money
    /** How the amount was converted; null where it was not. */
    fx: {
      /** Units of the card’s currency for one of the merchant’s, a decimal number as text. */
      rate: string
      /** Where the rate is from: the network, or our table. */
      source: string
      /** Of when the rate is, ISO 8601; null where that is not known. */
      rate_at: string | null
      /** What was added to the rate, in hundredths of a percent. */
      markup_bps: number
      /** Whether we compared the network’s amount with a rate of our own; null where the rate is not the network’s. */
      verified: boolean | null
    } | null
  } | null
  /** The decision about this message; null for a notification, and while you are asked. */
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
  /** The kind of resource. */
  object: 'cardholder'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The program. */
  program_id: string
  /** Cardholders are persons. */
  type: 'individual'
  /** The whole name. */
  name: string
  /** The given name; null where only the whole name is known. */
  first_name: string | null
  /** The family name; null where only the whole name is known. */
  last_name: string | null
  /** Where they are written to; null where it is not known. */
  email: string | null
  /** E.164. */
  phone: string | null
  /** YYYY-MM-DD. */
  date_of_birth: string | null
  /** Where they live; null where it is not known. */
  address: Address | null
  /** An inactive cardholder gets no cards, and every authorization of theirs is declined. */
  status: 'active' | 'inactive'
  /** Where the verification of their identity stands. */
  kyc: Kyc
  /** Whether they stand on a sanctions or PEP list. */
  screening: Screening
  /** While true, every authorization of every card of this cardholder is declined, whatever status says. */
  frozen: boolean
  /** The reason of the freeze, in the words of the party that froze them; null while they are not frozen. */
  frozen_reason: string | null
  /** The party that froze the cardholder; null while they are not frozen. */
  frozen_by: FrozenBy | null
  /** Unix seconds of the erasure: name, details, external_id and metadata are gone, and nothing changes any more; null before. */
  erased_at: number | null
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
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
  /** The kind of resource. */
  object: 'certification'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: false
  /** The webhook endpoint. */
  endpoint_id: string
  /** Where the endpoint was when it was probed. */
  url: string
  /** The state it is in. */
  status: 'running' | 'finished'
  /** True where every probe passed; null while it runs. */
  certified: boolean | null
  /** Unix seconds; null while it runs. */
  finished_at: number | null
  /** Names of the probes that did not pass. */
  failed: string[]
  /** Every case that was tried, in order. */
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
  /** The case that is tried, for example timeout. */
  name: string
  /** The request that was sent to the endpoint. */
  sent: string
  /** The expected response. */
  expected: string
  /** The actual response. */
  got: string
  /** Until its answer was there, in milliseconds. */
  latency_ms: number
  /** Whether it answered as expected. */
  passed: boolean
}

export interface ClearingException {
  /** The kind of resource. */
  object: 'clearing_exception'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The file in which it was found. */
  clearing_file_id: string
  /** The card network of the file. */
  network: string
  /** The day it is about, YYYY-MM-DD in UTC. */
  business_date: string
  /** The field in which they differ. */
  kind: 'amount_mismatch' | 'currency_mismatch' | 'missing_here' | 'missing_in_file' | 'named_twice'
  /** The network’s own id of the message; null where there was none. */
  message_id: string
  /** The kind of the message in question. */
  message_kind: 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal'
  /** The value in the file. */
  in_file: {
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** ISO 4217 code, three capital letters. */
    currency: string
  } | null
  /** The value in the network's message. */
  recorded: {
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** ISO 4217 code, three capital letters. */
    currency: string
  } | null
  /** The tenant of the transaction; null if no transaction is recorded. */
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

export interface ControlLimit {
  /** The id, for ever the same. */
  id: string
  /** The interval of the count: one authorization, a part of the calendar in time_zone, or the last rolling_seconds. */
  interval: 'per_authorization' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'all_time' | 'rolling'
  /** A whole number of the currency’s smallest unit. */
  amount_cents: number | null
  /** Approved authorizations; null is no limit of their number. */
  count: number | null
  /** ISO 4217 code, three capital letters. */
  currency: string
  /** IANA name of the zone in which days, weeks and months begin. */
  time_zone: string
  /** How far a rolling limit looks back, in seconds: ten seconds to ninety days; null of the others. */
  rolling_seconds: number | null
  /** Which authorizations it counts; null: all. */
  filters: {
    /** Only these category codes count, four digits or ranges; null: all. */
    mccs: string[] | null
    /** Only these named categories count; null: all. */
    categories: string[] | null
    /** Only merchants in these countries count, ISO 3166-1 alpha-2; null: all. */
    countries: string[] | null
    /** Only these kinds of authorization requests count; null: all. */
    kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
    /** Only with the card present, or only without; null: both. */
    card_presence: 'present' | 'not_present' | null
  } | null
}

export interface ControlLimitInput {
  /** The interval of the count: one authorization, a part of the calendar in time_zone, or the last rolling_seconds. */
  interval: 'per_authorization' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'all_time' | 'rolling'
  /** 0 allows nothing; null is no limit of the amount. */
  amount_cents?: number | null
  /** Approved authorizations; null is no limit of their number. */
  count?: number | null
  /** ISO 4217 code, three capital letters. */
  currency?: string
  /** IANA name of the zone in which days, weeks and months begin. */
  time_zone?: string
  /** How far a rolling limit looks back, in seconds: ten seconds to ninety days; null of the others. */
  rolling_seconds?: number | null
  /** Which authorizations it counts; null: all. */
  filters?: {
    /** Only these category codes count, four digits or ranges; null: all. */
    mccs?: string[] | null
    /** Only these named categories count; null: all. */
    categories?: string[] | null
    /** Only merchants in these countries count, ISO 3166-1 alpha-2; null: all. */
    countries?: string[] | null
    /** Only these kinds of authorization requests count; null: all. */
    kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
    /** Only with the card present, or only without; null: both. */
    card_presence?: 'present' | 'not_present' | null
  } | null
  /** The id of a limit, as shown. A write ignores it, because a limit keeps its count by interval, zone and filters. */
  id?: string
}

export interface ControlsVersion {
  /** Of those of the program; 0 where there are none. */
  program: number
  /** Of those of the cardholder; 0 where there are none. */
  cardholder: number
  /** Of those of the card; 0 where there are none. */
  card: number
}

export type DecidedBy = 'static_controls' | 'tenant' | 'stand_in' | 'system' | 'network' | 'sponsor_bank'

export interface DeclineCategories {
  /** The kind of resource. */
  object: 'decline_categories'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Declined transactions that were counted: the newest, 1,000 at most. */
  declines: number
  /** When the oldest of them was made, in Unix seconds; null without one. */
  since: number | null
  /** Categories of their merchants, the most frequent first. */
  categories: ({
    /** Four digits, ISO 18245; empty where the network named none. */
    mcc: string
    /** Declines at merchants of the category. */
    declines: number
    /** The most frequent reason among them; null where none is known. */
    reason: DeclineReason | null
  })[]
}

export type DeclineReason = 'program_suspended' | 'program_not_active' | 'card_not_found' | 'card_not_activated' | 'card_suspended' | 'card_terminated' | 'card_lost' | 'card_stolen' | 'card_expired' | 'cardholder_inactive' | 'cardholder_frozen' | 'cardholder_verification_required' | 'pin_incorrect' | 'pin_tries_exceeded' | 'authentication_required' | 'authentication_failed' | 'insecure_entry_method' | 'token_inactive' | 'cvc_mismatch' | 'expiry_mismatch' | 'currency_blocked' | 'merchant_category_blocked' | 'merchant_blocked' | 'merchant_country_blocked' | 'card_presence_blocked' | 'entry_method_blocked' | 'transaction_kind_blocked' | 'wallet_blocked' | 'schedule_blocked' | 'card_single_use_spent' | 'fx_rate_unavailable' | 'billing_amount_mismatch' | 'credit_limit' | 'card_testing_suspected' | 'original_not_found' | 'original_expired' | 'original_reversed' | 'invalid_amount' | 'limit_per_authorization' | 'limit_daily' | 'limit_weekly' | 'limit_monthly' | 'limit_yearly' | 'limit_rolling' | 'limit_count' | 'limit_all_time' | 'compliance_blocked' | 'stand_in_declined' | 'stand_in_limit_exceeded' | 'network_stand_in_declined' | 'duplicate_mismatch' | 'issuer_overloaded' | 'tenant_declined' | 'insufficient_funds' | 'exceeds_limit' | 'exceeds_frequency' | 'merchant_not_allowed' | 'card_paused' | 'suspected_fraud' | 'not_permitted' | 'duplicate' | 'invalid_driver' | 'invalid_vehicle' | 'invalid_id' | 'do_not_honor' | 'system_unavailable' | 'never_retry' | 'other'

export type DeliveryError = 'http' | 'dns' | 'blocked_address' | 'connect' | 'tls' | 'timeout' | 'reset' | 'invalid_response' | 'invalid_url' | 'interrupted' | 'expired' | 'endpoint_deleted'

export type DisabledReason = 'paused' | 'retry_exhausted' | string

export interface Dispute {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
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
  /** Why the cardholder does not accept the charge. */
  reason: 'fraudulent' | 'not_received' | 'duplicate' | 'product_unacceptable' | 'credit_not_processed' | 'canceled' | 'other'
  /** The cardholder's explanation; null without one. */
  explanation: string | null
  /** The state it is in. */
  status: 'needs_response' | 'submitted' | 'won' | 'lost' | 'expired'
  /** How the network decided; null before. */
  outcome: 'won' | 'lost' | null
  /** When the latest response was or is due. */
  evidence_due_by: string
  /** The latest request of the sponsor bank for evidence, in its words. */
  evidence_requested: string | null
  /** How many pieces of evidence were given. */
  evidence_count: number
  /** When it was submitted to the network, ISO 8601; null before. */
  submitted_at: string | null
  /** When it was won or lost, ISO 8601; null before. */
  resolved_at: string | null
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface DisputeEvidence {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'dispute_evidence'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The dispute it is evidence for. */
  dispute_id: string
  /** The kind of the evidence. */
  kind: 'statement' | 'receipt' | 'correspondence' | 'shipping' | 'cancellation' | 'credit_promise' | 'other'
  /** In your words; null where there are only fields. */
  text: string | null
  /** Evidence by name, for example received_at. */
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

export interface Entitlements {
  /** The kind of resource. */
  object: 'entitlements'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The status of the subscription, from which the entitlements follow. */
  status: 'none' | 'trialing' | 'active' | 'past_due' | 'restricted' | 'suspended' | 'canceled'
  /** Cards, passes, programs and templates may be made. */
  issuing: boolean
  /** New authorizations are decided; otherwise they are declined. */
  authorizations: boolean
  /** Real-time authorization belongs to the plan. */
  realtime: boolean
  /** Factor of the rate limits. */
  rate_factor: number
  /** The largest number of webhook endpoints. */
  endpoints_max: number | null
  /** Add-ons that may be used. */
  addons: string[]
  /** The most that a trial makes; null without a bound. */
  caps: {
    /** Cards. */
    cards_issued: number | null
    /** Passes. */
    passes_issued: number | null
    /** Identity checks. */
    identity_checks: number | null
  }
}

export interface Error {
  /** What is wrong. */
  error: {
    /** The category. */
    type: 'invalid_request' | 'authentication_failed' | 'permission_denied' | 'not_found' | 'conflict' | 'rate_limited' | 'internal_error' | 'unavailable'
    /** What went wrong, for programs. New codes may be added. */
    code: 'parameter_missing' | 'parameter_invalid' | 'parameter_unknown' | 'parameters_exclusive' | 'invalid_cursor' | 'invalid_json' | 'malformed_request' | 'message_stale' | 'header_duplicated' | 'missing_credential' | 'invalid_credential' | 'key_revoked' | 'malformed_header' | 'invalid_signature' | 'timestamp_out_of_tolerance' | 'certificate_required' | 'certificate_refused' | 'insufficient_scope' | 'ip_not_allowed' | 'feature_not_enabled' | 'program_not_active' | 'account_suspended' | 'kyb_not_approved' | 'second_way_missing' | 'role_not_allowed' | 'address_not_verified' | 'factor_required' | 'factor_denied' | 'resource_missing' | 'route_not_found' | 'method_not_allowed' | 'request_timeout' | 'invalid_state' | 'version_conflict' | 'already_exists' | 'last_owner' | 'cardholder_not_approved' | 'cardholder_frozen' | 'amount_not_disputable' | 'too_much_evidence' | 'clearing_file_differs' | 'clearing_file_incomplete' | 'too_many_endpoints' | 'template_archived' | 'too_many_images' | 'image_in_use' | 'too_many_controls' | 'idempotency_key_in_use' | 'factor_expired' | 'length_required' | 'payload_too_large' | 'unsupported_media_type' | 'idempotency_key_reused' | 'headers_too_large' | 'tenant_limit' | 'address_limit' | 'unauthenticated_limit' | 'connection_limit' | 'internal_error' | 'overloaded' | 'not_ready' | 'dependency_unavailable' | 'key_expired' | 'second_operator_required' | 'token_expired' | 'token_revoked' | 'invalid_proof' | 'last_operator_person' | 'amount_not_available' | 'amount_not_capturable' | 'amount_not_refundable' | 'approval_expired' | 'payment_account_not_active' | 'settlement_account_not_usable' | 'passkey_in_use' | 'address_refused' | 'assertion_invalid' | 'chain_not_configured' | 'trial_used' | 'plan_limit_reached' | 'payment_method_required' | 'invoice_overdue' | 'billing_restricted' | 'http_version_unsupported'
    /** What went wrong, for people. */
    message: string
    /** The field at fault: its name, or a JSON pointer where it is nested; null where no field is. */
    param: string | null
    /** Names the request in our log. */
    request_id: string
    /** The page of this reference that explains the code. */
    doc_url: string
    /** Every field at fault, ten at most. A large body is refused with the first. Of `parameter_missing`, `parameter_unknown`, `parameter_invalid`. */
    errors?: ({
      /** The code of this fault. */
      code: string
      /** The field at fault. */
      param: string | null
      /** What went wrong, for people. */
      message: string
    })[]
    /** The narrowest scope that may make the call. Of `insufficient_scope`. */
    required_scope?: string
    /** The scopes that the credential has. Of `insufficient_scope`. */
    granted_scopes?: string[]
    /** Every version that may be asked for. Of `parameter_invalid`. */
    known_versions?: string[]
    /** The state in which the resource is now. Of `program_not_active`, `kyb_not_approved`, `invalid_state`, `payment_account_not_active`, `settlement_account_not_usable`. */
    current_status?: string
    /** The states from which the move is possible. Of `invalid_state`. */
    allowed_from?: string[]
    /** Who suspended the card, where that is the obstacle. Of `invalid_state`. */
    suspended_by?: CardSuspendedBy
    /** The latest version of the resource. Of `version_conflict`. */
    current_version?: number
    /** The state of the verification of the cardholder. Of `cardholder_not_approved`. */
    kyc_status?: string
    /** Who froze the cardholder. Of `cardholder_frozen`. */
    frozen_by?: FrozenBy
    /** The most that can be disputed, in minor units of the card’s currency. Of `amount_not_disputable`. */
    disputable_cents?: number
    /** The most that can be withdrawn, in US cents. Of `amount_not_available`. */
    available_cents?: number
    /** The most that can be captured, in US cents. Of `amount_not_capturable`. */
    capturable_cents?: number
    /** The most that can be refunded, in US cents. Of `amount_not_refundable`. */
    refundable_cents?: number
    /** The status of the subscription. Of `billing_restricted`. */
    billing_status?: string
    /** The check that failed, for programs. Of `address_refused`, `assertion_invalid`. */
    reason?: string
    /** The resource that holds the place, or that the earlier call made or changed. Of `second_operator_required`, `invalid_state`, `already_exists`, `idempotency_key_reused`, `dependency_unavailable`. */
    resource_id?: string | null
    /** The largest number of these. Of `plan_limit_reached`, `too_many_endpoints`. */
    max?: number
    /** The plan that sets the bound. Of `plan_limit_reached`. */
    plan?: string
    /** The number of images now. Of `too_many_images`. */
    images?: number
    /** The largest number of images. Of `too_many_images`. */
    images_max?: number
    /** The bytes of all images now. Of `too_many_images`. */
    bytes?: number
    /** The largest number of bytes. Of `too_many_images`, `too_many_controls`. */
    bytes_max?: number
    /** The largest number of controls of one subject. Of `too_many_controls`. */
    controls_max?: number
    /** The largest number of limits of one subject. Of `too_many_controls`. */
    limits_max?: number
    /** The number of entries in the parts of the file. Of `clearing_file_incomplete`. */
    entries_given?: number
    /** Milliseconds to wait before the next attempt. Of `tenant_limit`, `address_limit`, `unauthenticated_limit`. */
    retry_after_ms?: number
    /** The page on which a person approves the call. Of `factor_required`, `second_operator_required`. */
    challenge_url?: string
    /** The approval request to that person, for the caller to follow. Of `factor_required`. */
    challenge?: {
      /** The id of the challenge. */
      id: string
      /** Where the caller asks whether the person has decided. */
      status_url: string
      /** Unix seconds by which the person has to decide. */
      expires_at: number
      /** The second factors that the page takes. */
      methods: ('passkey' | 'totp' | 'recovery_code')[]
    }
  }
}

export interface Event {
  /** The id, for ever the same. */
  id: string
  /** The type of the event, for example card.created. */
  type: string
  /** When it was made, in Unix seconds. */
  created: number
  /** The version that data is in: the one you were pinned to when it happened. */
  api_version: string
  /** The resource at that moment, under its name, as its GET shows it in that version. */
  data: { [key: string]: unknown }
  /** For changes: the earlier values of the changed fields. */
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
  /** The kind of resource. */
  object: 'factor_challenge'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The state it is in. */
  status: 'pending' | 'completed'
  /** The value of Svc-Factor for the repeated call; null while nobody has decided. */
  token: string | null
  /** Unix seconds. Until then a person may decide and, after an approval, the caller may use the token. */
  expires_at: number
}

export type FraudRuleName = 'card_testing' | 'cvc_failures' | 'pin_failures'

export type FrozenBy = 'tenant' | 'operator' | 'sanctions'

export interface Invitation {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'invitation'
  /** When it was made, in Unix seconds. */
  created: number
  /** The invited address, in lower case. Nobody else can accept. */
  email: string
  /** The role in sandbox and live alike. */
  role: 'owner' | 'admin' | 'developer' | 'analyst' | 'support'
  /** The state it is in. */
  status: 'pending' | 'accepted' | 'revoked' | 'expired'
  /** The inviting person; null: an operator. */
  invited_by: string | null
  /** Unix seconds. */
  expires_at: number
}

export interface InvitationList {
  /** The resources of this page. */
  data: Invitation[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface Invoice {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'invoice'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The subscription that the invoice bills. */
  subscription_id: string
  /** Period at a boundary, change of the plan, or final after the last period. */
  kind: 'period' | 'change' | 'final'
  /** Number of the boundary, or of the change, within the subscription. */
  ordinal: number
  /** Currency of every amount, ISO 4217. */
  currency: 'USD' | 'EUR'
  /** A draft waits for the usage of its period and has no lines yet. */
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'
  /** Sum of the lines; never negative. */
  total_cents: number
  /** When a sent invoice is due, Unix seconds; null where the payment method is charged. */
  due_at: number | null
  /** When the lines were fixed, Unix seconds. */
  finalized_at: number | null
  /** When it was paid, Unix seconds. */
  paid_at: number | null
  /** Attempts to collect so far. */
  attempts: number
  /** When the next attempt is made, Unix seconds. */
  next_attempt_at: number | null
  /** The processor’s page on which the invoice can be paid. */
  hosted_url: string | null
  /** The lines; their amounts add up to the total. */
  lines: InvoiceLine[]
}

export interface InvoiceLine {
  /** Base price, usage, usage that arrived late, correction of usage, or credit. */
  kind: 'base' | 'usage' | 'late' | 'correction' | 'credit'
  /** The plan of a base price, or of its unused time; null for other lines. */
  plan: 'starter' | 'growth' | 'enterprise' | null
  /** The counted thing; null for other lines than those of usage. */
  meter: string | null
  /** Units that the price was computed from: all of the period so far. */
  quantity: number | null
  /** The stretch of time that the line is about. */
  period: {
    /** The beginning, Unix seconds. */
    from: number
    /** The end, Unix seconds. */
    until: number
  }
  /** Cents; negative for credits. */
  amount_cents: number
}

export interface InvoiceList {
  /** The resources of this page. */
  data: Invoice[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface InvoicePreview {
  /** The kind of resource. */
  object: 'invoice_preview'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The plan afterwards. */
  plan: 'starter' | 'growth' | 'enterprise'
  /** The interval afterwards. */
  interval: 'month' | 'year'
  /** Whether the change holds now or at period_end. */
  effective: 'now' | 'period_end'
  /** When the change would come into force, Unix seconds. */
  effective_at: number
  /** Name this moment in the change, within an hour: it then costs the same. Unix seconds. */
  prorate_at: number | null
  /** Currency of every amount, ISO 4217. */
  currency: 'USD' | 'EUR'
  /** The lines of the base price; usage is billed after its month. */
  lines: InvoiceLine[]
  /** Sum of the lines; negative for a credit. */
  net_cents: number
  /** Total of the invoice, after credit and small totals that were carried on. */
  total_cents: number
  /** Credit that is left afterwards. */
  credit_cents: number
}

export interface KybApplication {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'kyb_application'
  /** When it was made, in Unix seconds. */
  created: number
  /** The state it is in. */
  status: 'submitted' | 'approved' | 'rejected'
  /** The legal name of the business. */
  legal_name: string
  /** The number in the register of companies. */
  registration_number: string
  /** ISO 3166-1 alpha-2. */
  country: string
  /** Where the business is registered. */
  address: {
    /** Street and number. */
    line1: string
    /** The city. */
    city: string
    /** The postal code; null where there is none. */
    postal_code: string
    /** ISO 3166-1 alpha-2. */
    country: string
  }
  /** The website of the business, over https. */
  website: string
  /** The business, and the use of cards and payments, in a few sentences. */
  description: string
  /** The program that is activated with the approval. */
  program: {
    /** The name of the program. */
    name: string
    /** ISO 4217. */
    currency: string
  }
  /** The owner or admin who approved the application. */
  submitted_by: string
  /** Why it was decided like that, in the operator's words. */
  reason: string | null
  /** Unix seconds; null before the decision. */
  decided_at: number | null
}

export interface Kyc {
  /** Cards are issued to the approved only. */
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
  /** The holder of the limit. */
  scope: 'program' | 'cardholder' | 'card'
  /** The interval of the count; all but rolling begin anew with the calendar, in time_zone. */
  interval: 'per_authorization' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'all_time' | 'rolling'
  /** A whole number of the currency’s smallest unit. */
  amount_cents: number | null
  /** How many approved authorizations at most; null where the limit counts none. */
  count: number | null
  /** ISO 4217 code, three capital letters. */
  currency: string
  /** IANA name of the zone in which days, weeks and months begin. */
  time_zone: string
  /** How far a rolling limit looks back, in seconds; null of the others. */
  rolling_seconds: number | null
}

export interface LimitHeadroom {
  /** The id, for ever the same. */
  id: string | number | boolean | null
  /** The level of the limit: the program’s, the cardholder’s or the card’s. */
  scope: string | number | boolean | null
  /** Rolling slides: its count began at window_start, and no moment resets it. */
  interval: string | number | boolean | null
  /** The most it allows, in minor units of currency; null where it limits no amount. */
  amount_cents: number | null
  /** Used of it before this authorization, in minor units. */
  used_cents: number | null
  /** Held of it by authorizations that were not decided yet, in minor units. */
  reserved_cents: number | null
  /** The rest of the limit, in minor units. */
  remaining_cents: number | null
  /** ISO 4217 code, three capital letters. */
  currency: string | number | boolean | null
  /** How many authorizations it allows; null where it counts none. */
  count: number | null
  /** Authorizations that were approved before this one. */
  used_count: number | null
  /** Authorizations that were not decided yet. */
  reserved_count: number | null
  /** How many more it would have allowed. */
  remaining_count: number | null
  /** Since when it counts, ISO 8601; null where it counts from the beginning. */
  window_start: string | null
  /** When it begins anew, ISO 8601; null where it never does. */
  resets_at: string | null
  /** IANA name of the zone in which days, weeks and months begin. */
  time_zone: string | number | boolean | null
}

export interface MeterPrices {
  /** Authorizations, approved and declined. */
  authorizations: {
    /** Units of a whole month that the base price contains. */
    included: number
    /** Cents for 1,000 units more. */
    per_thousand_cents: number
  }
  /** Cards issued. */
  cards_issued: {
    /** Units of a whole month that the base price contains. */
    included: number
    /** Cents for 1,000 units more. */
    per_thousand_cents: number
  }
  /** Passes issued. */
  passes_issued: {
    /** Units of a whole month that the base price contains. */
    included: number
    /** Cents for 1,000 units more. */
    per_thousand_cents: number
  }
  /** Physical cards handed to the carrier. */
  physical_cards: {
    /** Units of a whole month that the base price contains. */
    included: number
    /** Cents for 1,000 units more. */
    per_thousand_cents: number
  }
  /** Identity checks with a result. */
  identity_checks: {
    /** Units of a whole month that the base price contains. */
    included: number
    /** Cents for 1,000 units more. */
    per_thousand_cents: number
  }
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
  /** The card that is used. */
  card_id: string
  /** Names the message: the same again is a repeat, which is answered as before. */
  id?: string
  /** The kind of the message; authorization if it is left out. */
  kind?: 'authorization' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'advice' | 'reversal' | 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal'
  /** When the network sent it, by the installation’s clock; now where it is left out. */
  transmitted_at?: string
  /** Names the transaction; a new one where it is left out. */
  network_transaction_id?: string
  /** The network_transaction_id of the transaction that this message continues. */
  original_network_transaction_id?: string
  /** The card’s where it is left out. */
  currency?: string
  /** Where the card is used; a shop of ours where it is left out. */
  merchant?: {
    /** The merchant’s id, as the network sends it. */
    id: string
    /** The merchant’s name, as the network sends it. */
    name: string
    /** The merchant’s category, four digits (ISO 18245). */
    mcc: string
    /** Where the merchant is. */
    city: string
    /** Where the merchant is, ISO 3166-1 alpha-2. */
    country: string
  }
  /** The data that the terminal reads from the card; the card's own data if it is left out. */
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
  /** The amount as the network converted it into the card’s currency. */
  billing?: {
    /** In minor units of the card’s currency. */
    amount_cents: number
    /** The card’s currency, ISO 4217. */
    currency: string
    /** Units of the card’s currency for one of the message’s, a decimal number as text. */
    rate?: string
  }
  /** A decision that was made in our place; required for the kind advice and forbidden for others. */
  advice?: {
    /** Whether it was approved in our place. */
    approved: boolean
    /** The party that decided in our place. */
    decided_by?: 'network' | 'sponsor_bank'
    /** ISO 8583 field 39, for example 00. */
    response_code?: string
  }
  /** The wallet that the card was used from. */
  wallet?: {
    /** The provider of the wallet, for example apple_pay. */
    provider?: string
    /** The wallet token that stands for the card. */
    token_id: string
  }
  /** The merchant's claim about a 3DS authentication. */
  three_ds?: {
    /** The id of the 3DS transaction, by which the issuer’s own result is found. */
    transaction_id?: string
    /** What the merchant says came of the authentication. */
    claim: 'authenticated' | 'attempted' | 'failed' | 'exempt'
  }
  /** The network sends it again, because it had no answer to the first. */
  is_repeat?: boolean
  /** The amount that is requested, added, reversed, captured or refunded, by kind; 0 for a verification or an inquiry. */
  amount_cents: number
  /** The part of the amount that is paid out in cash, in minor units; with the fee at most the amount. */
  cashback_cents?: number
  /** The part of the amount that the terminal takes as a fee, in minor units; with the cashback at most the amount. */
  fee_cents?: number
  /** The type of the transaction: purchase, cash_withdrawal, quasi_cash and so on; others count as unknown. */
  transaction_type?: string
  /** How the terminal got the card’s number: chip, contactless, swipe, manual, online and so on. */
  entry_method?: string
  /** The terminal read the stripe because the chip would not be read. */
  fallback_from_chip?: boolean
  /** The party that began it: the cardholder, or the merchant with stored details. */
  initiator?: 'cardholder' | 'merchant'
  /** One of a series of payments. */
  recurring?: boolean
  /** The terminal can take less than it asked for. */
  partial_approval_capable?: boolean
  /** For a capture: nothing more follows (the default). For an authorization: the amount will not change. */
  final?: boolean
}

export interface OauthGrant {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'oauth_grant'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The platform. */
  client: {
    /** The id, for ever the same. */
    id: string
    /** The name, for people. */
    name: string
  }
  /** Scopes that the person agreed to. */
  scopes: ('read' | 'write' | 'admin' | 'pass:read' | 'pass:write' | 'card:read' | 'card:write' | 'settlement:read' | 'settlement:write')[]
  /** The person who agreed. The connection stays when the person leaves. */
  granted_by: string
  /** Whether that person is still active in the tenant, is disabled, or was removed. */
  granted_by_status: 'active' | 'disabled' | 'removed'
  /** The state it is in. */
  status: 'active' | 'revoked'
  /** Unix seconds; null while it is active. */
  revoked_at: number | null
  /** The cause of its end: the platform or the tenant ended it, or a token was used twice; null while it is active. */
  revoke_reason: 'platform' | 'tenant' | 'token_reused' | null
}

export interface OauthGrantList {
  /** The resources of this page. */
  data: OauthGrant[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface Pass {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'pass'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Active from its issuance, installed while a wallet has it, removed when none has it any more, revoked for ever. */
  status: 'active' | 'installed' | 'removed' | 'revoked'
  /** The pass template. */
  template_id: string
  /** The version of the template that it shows. */
  template_version: number
  /** Counts its changes from 1. */
  version: number
  /** When it was changed last, in Unix seconds. */
  updated: number
  /** The wallet it was put into first, of those that have it; of a removed one the last that had it; null before. */
  platform: 'apple' | 'google' | null
  /** The name of the holder; null for a pass without one. */
  holder_name: string | null
  /** The values of the placeholders in its template. */
  values: { [key: string]: string }
  /** The card that it represents; null: none. */
  card_id: string | null
  /** The end of the pass, ISO 8601 in UTC; null: the end in its template. */
  expires_at: string | null
  /** When it was scanned, in Unix seconds, where it counts once; null before. */
  redeemed_at: number | null
  /** The text that a scanner reads from its barcode or by NFC. */
  payload: string
  /** The page on which a holder looks at the pass and adds it to a wallet. Everyone who has this address has the pass. */
  url: string
  /** Why it was revoked; null before. */
  revoke_reason: string | null
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface PassBarcode {
  /** The symbology of the barcode. */
  format: 'qr' | 'pdf417' | 'aztec' | 'code128'
  /** What it holds. {{payload}} stands for what our scans verify, {{name}} for a value of the pass. */
  message: string
  /** The text below the barcode; null: none. */
  alt_text: string | null
}

export interface PassBatch {
  /** The kind of resource. */
  object: 'pass_batch'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** One for each part of the call, in its order. */
  data: PassBatchItem[]
  /** How many were done. */
  succeeded: number
  /** How many were not. */
  failed: number
}

export interface PassBatchItem {
  /** Its place in the call, from 0. */
  index: number
  /** Ok: it was done. Error: it was not, and the others go on. */
  status: 'ok' | 'error'
  /** The pass afterwards, where it was done. */
  pass?: Pass
  /** Why it was not done. */
  error?: {
    /** The category. */
    type: string
    /** Which error of that category. */
    code: string
    /** In words. */
    message: string
    /** The field of this part of the batch; null where it is none. */
    param: string | null
  }
}

export interface PassColors {
  /** Of the front, #rrggbb. */
  background: string
  /** The color of values, #rrggbb. */
  foreground: string
  /** Of labels, #rrggbb. */
  label: string
}

export interface PassCount {
  /** The kind of resource. */
  object: 'pass_count'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** How many passes there are. */
  count: number
  /** The time of the number, in Unix seconds. */
  as_of: number
}

export interface PassFields {
  /** Beside the logo: seen while the pass is in a stack. */
  header: ({
    /** The key of the field, unique in the template. */
    key: string
    /** What stands above the value. */
    label: string
    /** Text in which {{name}} stands for that value of a pass. */
    value: string
    /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. */
    change_message: string | null
    /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
    format: 'number' | 'currency' | 'date' | 'date_time' | 'text'
    /** For an amount: its currency, ISO 4217. */
    currency: string | null
    /** To which side it stands; natural: as the language is written. */
    alignment: 'natural' | 'left' | 'center' | 'right'
  })[]
  /** Large, in the middle. */
  primary: ({
    /** The key of the field, unique in the template. */
    key: string
    /** What stands above the value. */
    label: string
    /** Text in which {{name}} stands for that value of a pass. */
    value: string
    /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. */
    change_message: string | null
    /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
    format: 'number' | 'currency' | 'date' | 'date_time' | 'text'
    /** For an amount: its currency, ISO 4217. */
    currency: string | null
    /** To which side it stands; natural: as the language is written. */
    alignment: 'natural' | 'left' | 'center' | 'right'
  })[]
  /** Below the primary ones. */
  secondary: ({
    /** The key of the field, unique in the template. */
    key: string
    /** What stands above the value. */
    label: string
    /** Text in which {{name}} stands for that value of a pass. */
    value: string
    /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. */
    change_message: string | null
    /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
    format: 'number' | 'currency' | 'date' | 'date_time' | 'text'
    /** For an amount: its currency, ISO 4217. */
    currency: string | null
    /** To which side it stands; natural: as the language is written. */
    alignment: 'natural' | 'left' | 'center' | 'right'
  })[]
  /** Below the secondary ones. */
  auxiliary: ({
    /** The key of the field, unique in the template. */
    key: string
    /** What stands above the value. */
    label: string
    /** Text in which {{name}} stands for that value of a pass. */
    value: string
    /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. */
    change_message: string | null
    /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
    format: 'number' | 'currency' | 'date' | 'date_time' | 'text'
    /** For an amount: its currency, ISO 4217. */
    currency: string | null
    /** To which side it stands; natural: as the language is written. */
    alignment: 'natural' | 'left' | 'center' | 'right'
  })[]
  /** On the back. */
  back: ({
    /** The key of the field, unique in the template. */
    key: string
    /** What stands above the value. */
    label: string
    /** Text in which {{name}} stands for that value of a pass. */
    value: string
    /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. */
    change_message: string | null
    /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
    format: 'number' | 'currency' | 'date' | 'date_time' | 'text'
    /** For an amount: its currency, ISO 4217. */
    currency: string | null
    /** To which side it stands; natural: as the language is written. */
    alignment: 'natural' | 'left' | 'center' | 'right'
  })[]
}

export interface PassImage {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'pass_image'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Where on a pass it stands; it was cut to the size of that place. */
  role: 'icon' | 'logo' | 'strip' | 'thumbnail' | 'background' | 'footer'
  /** Pixels, at three of them per point. */
  width: number
  /** Pixels, at three of them per point. */
  height: number
  /** The SHA-256 digest of the picture as wallets get it, 64 hex digits. Equal pictures have equal digests. */
  sha256: string
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface PassImageList {
  /** The resources of this page. */
  data: PassImage[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface PassImages {
  /** In messages, and where the pass is small. */
  icon: string | null
  /** Top left. */
  logo: string | null
  /** Behind the primary fields of store cards, coupons and event tickets. */
  strip: string | null
  /** Beside the fields of generic passes and event tickets. */
  thumbnail: string | null
  /** Behind the whole front of an event ticket. */
  background: string | null
  /** Above the barcode of a boarding pass. */
  footer: string | null
}

export interface PassInput {
  /** The pass template. */
  template_id: string
  /** The name of the holder; {{holder_name}} stands for it in the template. */
  holder_name?: string
  /** The values of the template's placeholders: at most 50 texts of 1,000 characters. */
  values?: { [key: string]: string }
  /** A card of yours that it represents: when that ends, so does the pass. */
  card_id?: string
  /** The end of the pass, ISO 8601; the end in its template if it is left out. */
  expires_at?: string
  /** Your own id of it, unique among resources of this kind. */
  external_id?: string
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata?: { [key: string]: string }
}

export interface PassList {
  /** The resources of this page. */
  data: Pass[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface PassLocation {
  /** In degrees, -90 to 90. */
  latitude: number
  /** In degrees, -180 to 180. */
  longitude: number
  /** Shown on the locked screen near it; null: a text of the wallet’s. */
  relevant_text: string | null
}

export interface PassNfc {
  /** What a reader gets, 64 bytes at most; {{payload}} stands for what our scans verify. */
  message: string
  /** The public key of the readers: P-256, X.509 SubjectPublicKeyInfo in base64. */
  encryption_public_key: string
  /** Whether the holder has to unlock the device first. */
  requires_authentication: boolean
}

export interface PassScan {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'pass_scan'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The scanner. */
  scanner_id: string
  /** The pass; null if the payload names none of yours. */
  pass_id: string | null
  /** How it was read. */
  medium: 'barcode' | 'nfc'
  /** Valid; replayed: it counts once and was scanned before; revoked; expired; forged: its check is wrong; unknown: it is no pass of yours. */
  verification_result: 'valid' | 'replayed' | 'revoked' | 'expired' | 'forged' | 'unknown'
  /** The latitude of the scanner in degrees; null if it is not known. */
  latitude: number | null
  /** The longitude of the scanner in degrees; null if it is not known. */
  longitude: number | null
}

export interface PassScanList {
  /** The resources of this page. */
  data: PassScan[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface PassStatistics {
  /** The kind of resource. */
  object: 'pass_statistics'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** All days together. */
  total: {
    /** Passes that came into their first wallet. */
    installed: number
    /** Passes that left their last wallet. */
    removed: number
  }
  /** Every day, oldest first; days begin at 00:00 UTC of your clock, and the last one runs. */
  days: ({
    /** Begin of the day, in Unix seconds. */
    at: number
    /** Passes that came into their first wallet; null for a day that began before the counts. */
    installed: number | null
    /** Passes that left their last wallet; null for a day that began before the counts. */
    removed: number | null
  })[]
}

export interface PassTemplate {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'pass_template'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** No more passes are issued from an archived template. */
  status: 'active' | 'archived'
  /** For you; holders do not see it. */
  name: string
  /** The current version, counted from 1; new passes are issued from it. */
  version: number
  /** When it was changed last, in Unix seconds. */
  updated: number
  /** The style of the pass; it never changes. */
  style: 'generic' | 'store_card' | 'coupon' | 'event_ticket' | 'boarding_pass'
  /** For boarding passes: the means of transport. */
  transit_type: 'air' | 'boat' | 'bus' | 'train' | 'generic' | null
  /** The name of the issuer, for the holder. */
  organization_name: string
  /** A description of the pass in a sentence, for screen readers. */
  description: string
  /** Beside the logo; null: nothing. */
  logo_text: string | null
  /** The colors of the front. */
  colors: PassColors
  /** Pictures by where they stand; each is the id of an image. */
  images: PassImages
  /** What stands on a pass, and where. */
  fields: PassFields
  /** Null: there is none. */
  barcode: PassBarcode | null
  /** The message to an NFC reader; null: none. */
  nfc: PassNfc | null
  /** Whether a pass counts at its first scan only. */
  one_time: boolean
  /** When the event is or the train leaves, ISO 8601 in UTC: the wallet offers the pass then. */
  relevant_at: string | null
  /** The end of passes without an end of their own, ISO 8601 in UTC; null: never. */
  expires_at: string | null
  /** Places near which the wallet offers the pass. */
  locations: PassLocation[]
  /** Translations by language, for example de: for a text of the template the text in that language. */
  localizations: { [key: string]: { [key: string]: string } }
  /** How far the latest version is on its way to the passes; null while there was one version only. */
  fanout: {
    /** The version that is brought to them. */
    version: number
    /** Passes that have to be changed. */
    total: number
    /** Passes that were. */
    done: number
    /** Running, completed, or superseded by a later version, to which the rest went directly. */
    state: 'running' | 'completed' | 'superseded'
  } | null
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface PassTemplateList {
  /** The resources of this page. */
  data: PassTemplate[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface PassUpdate {
  /** The pass. */
  id: string
  /** Null: without a holder's name. */
  holder_name?: string | null
  /** Merged with those it has; null takes one away. */
  values?: { [key: string]: string | null }
  /** Null: it represents none. */
  card_id?: string | null
  /** ISO 8601; null: the end in its template. */
  expires_at?: string | null
  /** Your own id of it, unique among resources of this kind. */
  external_id?: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata?: { [key: string]: string | null }
}

export interface Payment {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'payment'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The state it is in. */
  status: 'risk_declined' | 'needs_confirmation' | 'authorized' | 'confirmed' | 'capture_pending' | 'partially_captured' | 'captured' | 'partially_refunded' | 'refunded' | 'voided' | 'failed'
  /** The authorized amount, in US cents. */
  amount_cents: number
  /** ISO 4217 code, three capital letters. */
  currency: 'USD'
  /** The account that pays. */
  payment_account_id: string
  /** The cardholder. */
  cardholder_id: string
  /** The account that is paid. */
  settlement_account_id: string
  /** Text that the holder reads before approving; null without one. */
  description: string | null
  /** Left to capture, in US cents. */
  capturable_cents: number
  /** Asked for and not landed yet, in US cents. */
  capture_pending_cents: number
  /** Landed on the chain, in US cents. */
  captured_cents: number
  /** Refunds that have not landed yet, in US cents. */
  refund_pending_cents: number
  /** Refunds that landed, in US cents. */
  refunded_cents: number
  /** Released without being captured, in US cents. */
  voided_cents: number
  /** The reason of the release; null where nothing was released but by a final capture. */
  void_cause: 'requested' | 'holder_denied' | 'confirmation_expired' | 'authorization_expired' | 'settlement_abandoned' | null
  /** When the rest is released by itself, ISO 8601. */
  expires_at: string
  /** The mandate that covers it; null where the holder approves the payment itself. */
  payment_mandate_id: string | null
  /** The holder’s approval; null for a declined payment. */
  confirmation: {
    /** The holder’s passkey, or a mandate that the holder signed before; null until it is known. */
    by: 'passkey' | 'mandate' | null
    /** The page on which the holder approves. Only the call that made the link shows it; null everywhere else. */
    url: string | null
    /** Until when the holder may approve, ISO 8601. */
    expires_at: string | null
    /** When the holder approved, ISO 8601; null before. */
    confirmed_at: string | null
  } | null
  /** The rule that declined; null for a payment that was approved. */
  decline_reason: DeclineReason | null
  /** The engine’s decision with its trace. */
  decision: PaymentDecision | null
  /** The first captures first. */
  captures: PaymentCapture[]
  /** The first refunds first. */
  refunds: PaymentRefund[]
  /** The reason why a capture failed; null while none has. */
  failure: SettlementFailure | null
  /** The EIP-712 digest of the terms that the holder’s passkey signs, hex. */
  approval_hash: string | null
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface PaymentAccount {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'payment_account'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The cardholder. */
  cardholder_id: string
  /** The program. */
  program_id: string
  /** Pending until a passkey is enrolled; only an active account pays; closed is for ever. */
  status: 'pending' | 'active' | 'suspended' | 'closed'
  /** The reason of the suspension; null for an account that is not suspended. */
  suspend_reason: PaymentAccountSuspendReason | null
  /** The account’s address on the chain; null until a passkey is enrolled. */
  address: string | null
  /** The chain (EIP-155). */
  chain_id: number
  /** The address that may withdraw everything to itself for a lost passkey; null: none. */
  recovery_address: string | null
  /** The passkey that commands the account; null until one is enrolled. */
  credential: {
    /** The passkey’s credential id, base64url. */
    id: string
    /** When the passkey was enrolled, ISO 8601. */
    created: string
    /** True where the authenticator keeps a copy of the passkey elsewhere. */
    backed_up: boolean
  } | null
  /** Tokens at the latest finalized block, in US cents. */
  balance_cents: number
  /** Held for payments that are authorized and not captured, in US cents. */
  held_cents: number
  /** Asked for by a withdrawal, in US cents. */
  leaving_cents: number
  /** Free for payments, in US cents. */
  available_cents: number
  /** The block that the balance is of; null before the first. */
  as_of_block: number | null
  /** The page on which the holder enrols a passkey. Only the call that made the link shows it; null everywhere else. */
  enrolment_url: string | null
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface PaymentAccountList {
  /** The resources of this page. */
  data: PaymentAccount[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export type PaymentAccountSuspendReason = 'requested' | 'ledger_apart' | string

export interface PaymentCapture {
  /** The id, for ever the same. */
  id: string
  /** When it was made, in Unix seconds. */
  created: number
  /** The amount that the merchant took, in minor units of the card’s currency. */
  amount_cents: number
  /** Landed only when the block is final. */
  status: 'pending' | 'awaiting_funds' | 'submitted' | 'included' | 'landed' | 'failed'
  /** The settlement batch; null while it waits for one. */
  settlement_batch_id: string | null
  /** The chain transaction; null before one is included. */
  transaction_hash: string | null
  /** The block of the transaction; null before one is included. */
  block_number: number | null
  /** The reason of the last failure; null without one. */
  failure: SettlementFailure | null
  /** The kind of resource. */
  object: 'payment_capture'
  /** True where the rest of the payment was released with it. */
  final: boolean
}

export interface PaymentDecision {
  /** The control or limit that declined; null where none did. */
  detail: string | null
  /** Every rule that was looked at, in order. */
  trace: TraceStep[]
}

export interface PaymentList {
  /** The resources of this page. */
  data: Payment[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface PaymentMandate {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'payment_mandate'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** exhausted: the limit or the 64 captures of an approval are used. */
  status: 'pending' | 'active' | 'exhausted' | 'expired' | 'revoked'
  /** The account that pays. */
  payment_account_id: string
  /** The account that is paid. */
  settlement_account_id: string
  /** Text that the holder reads before approving; null without one. */
  description: string | null
  /** The most that all payments under it take, in US cents. */
  limit_cents: number
  /** The most that one payment takes, in US cents. */
  per_payment_cents: number
  /** Payments under it that have not landed, in US cents. */
  reserved_cents: number
  /** Captures under it that landed, in US cents. */
  used_cents: number
  /** When it stops covering payments, ISO 8601. */
  expires_at: string
  /** The holder’s approval. */
  confirmation: {
    /** The page on which the holder approves. Only the call that made the link shows it; null everywhere else. */
    url: string | null
    /** Until when the holder may approve, ISO 8601. */
    expires_at: string
    /** When the holder approved, ISO 8601; null before. */
    confirmed_at: string | null
  }
  /** The EIP-712 digest of the terms that the holder’s passkey signs, hex. */
  approval_hash: string
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface PaymentMandateList {
  /** The resources of this page. */
  data: PaymentMandate[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface PaymentMethod {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'payment_method'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Detached once it was removed; it then pays nothing. */
  status: 'attached' | 'detached'
  /** Whether invoices are charged to it. */
  default: boolean
  /** The brand of the card. */
  brand: string
  /** The last four digits of the number. */
  last4: string
  /** The month in which the card expires, 1 to 12. */
  exp_month: number
  /** The year in which the card expires, four digits. */
  exp_year: number
}

export interface PaymentMethods {
  /** The resources of this page. */
  data: PaymentMethod[]
}

export interface PaymentRefund {
  /** The id, for ever the same. */
  id: string
  /** When it was made, in Unix seconds. */
  created: number
  /** The amount given back or taken again, in minor units of the card’s currency. */
  amount_cents: number
  /** Landed only when the block is final. */
  status: 'pending' | 'awaiting_funds' | 'submitted' | 'included' | 'landed' | 'failed'
  /** The settlement batch; null while it waits for one. */
  settlement_batch_id: string | null
  /** The chain transaction; null before one is included. */
  transaction_hash: string | null
  /** The block of the transaction; null before one is included. */
  block_number: number | null
  /** The reason of the last failure; null without one. */
  failure: SettlementFailure | null
  /** The kind of resource. */
  object: 'payment_refund'
}

export interface PaymentWithdrawal {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'payment_withdrawal'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Included is provisional: the block of the transaction may still be replaced. */
  status: 'needs_confirmation' | 'pending' | 'submitted' | 'included' | 'completed' | 'failed' | 'canceled' | 'expired'
  /** The account that the money leaves. */
  payment_account_id: string
  /** In US cents. */
  amount_cents: number
  /** The address that is paid, with its checksum (EIP-55). */
  to_address: string
  /** The chain (EIP-155). */
  chain_id: number
  /** The holder’s approval. */
  confirmation: {
    /** The page on which the holder approves. Only the call that made the link shows it; null everywhere else. */
    url: string | null
    /** Until when the holder may approve, ISO 8601. */
    expires_at: string
    /** When the holder approved, ISO 8601; null before. */
    confirmed_at: string | null
  }
  /** The digest of the terms that the holder’s passkey signs, hex. */
  withdrawal_hash: string
  /** The transaction on the chain; null until one is sent. */
  transaction_hash: string | null
  /** The block of the transaction; null while it is in none. */
  block_number: number | null
  /** The reason that no money left; null without one. */
  failure: WithdrawalFailure | null
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface PaymentWithdrawalList {
  /** The resources of this page. */
  data: PaymentWithdrawal[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface Person {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'person'
  /** When it was made, in Unix seconds. */
  created: number
  /** The address for signing in, in lower case. */
  email: string
  /** The name of the person. */
  name: string
  /** Owners and admins approve calls, developers those of the sandbox. Analysts read, support helps holders of cards. */
  role: 'owner' | 'admin' | 'developer' | 'analyst' | 'support'
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

export interface PortalSession {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'portal_session'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The page of yours to which the portal leads back. */
  return_url: string
  /** The address of the portal, for one person and a short time. */
  url: string
}

export interface Program {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'program'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
  /** The name, for people. */
  name: string
  /** Only while active are cards issued in it and authorizations approved. */
  status: 'pending' | 'active' | 'suspended' | 'rejected'
  /** The party that suspended it; null while it is not suspended. */
  suspended_by: SuspendedBy | null
  /** The reason of the suspension, in the words of the party that suspended it; null while it is not suspended. */
  suspend_reason: string | null
  /** Why it is not activated; null where it was not rejected. */
  reject_reason: string | null
  /** The currency of cards that name none; null where each names its own. */
  currency: string | null
  /** True when the tenant is asked before an approval. */
  realtime: boolean
  /** The decision when the tenant is silent. */
  stand_in: 'controls' | 'decline'
  /** The duration of holds by kind of payment; a payment without a matching row uses the built-in table. */
  hold_expiry: ({
    /** The merchant’s categories, four digits each; null: every category. */
    mccs: string[] | null
    /** With the card at the terminal, or without; null: either. */
    card_present: boolean | null
    /** Begun by the cardholder or by the merchant; null: either. */
    initiator: 'cardholder' | 'merchant' | null
    /** How long such a hold stands, in hours. */
    hours: number
  })[]
  /** The amount held beyond the requested amount, by category; none: the built-in presets. */
  hold_adjustments: ({
    /** The merchant’s categories, four digits or ranges `3000-3299`. */
    mccs: string[]
    /** replace: hold the value instead. add_percent, add_amount: hold so much more. */
    mode: 'replace' | 'add_percent' | 'add_amount'
    /** Minor units, or whole percent. */
    value: number
    /** The most that is added, in minor units of the card’s currency; null: no cap. */
    max_cents: number | null
  })[]
  /** The margin on our own rates, in hundredths of a percent. */
  fx_margin_bps: number
  /** The largest difference between the network’s billing amount and the amount by our own rate, in hundredths of a percent. */
  billing_tolerance_bps: number
  /** Beyond that: decline the authorization, or count the larger of the two amounts. The transaction is flagged. */
  billing_mismatch_action: 'decline' | 'take_larger'
  /** IANA name of the zone in which days, weeks and months begin. */
  time_zone: string
  /** The endpoint that is asked, or null where the tenant made none the one. */
  realtime_endpoint_id: string | null
  /** The authorizations that stand-in may approve while you are silent; null: all that the controls allow. */
  stand_in_policy: {
    /** Counts its changes. */
    version: number
    /** The most that stand-in approves at once; null: no cap. */
    max_per_authorization_cents: number | null
    /** The most that stand-in approves of one card in a day; null: no cap. */
    max_per_card_per_day_cents: number | null
    /** Over all cards of the tenant in the running hour. */
    max_per_hour_cents: number | null
    /** Kinds that stand-in always declines. */
    excluded_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[]
  } | null
  /** Rules that suspend a card automatically; rules that a change does not name stay as they are. */
  fraud_rules: ({
    /** Which rule: many small authorizations, wrong security codes, or wrong PINs. */
    name: FraudRuleName
    /** A draft only reports; an active rule suspends the card. */
    state: 'draft' | 'active' | 'off'
    /** The number of events within seconds that is too many. */
    count: number
    /** How far the rule looks back, in seconds. */
    seconds: number
    /** For card_testing: authorizations up to this amount count. Null for the other rules. */
    amount_cents: number | null
  })[]
  /** The most that refunds and payouts may add to a card without a capture behind them; a limit that a change does not name stays. */
  credit_limit: {
    /** The most that one refund or payout may add beyond the capture it names; null: no limit. */
    per_authorization_cents: number | null
    /** The most that they may bring to one card in a day, UTC; null: no limit. */
    per_card_per_day_cents: number | null
  }
}

export interface ProgramList {
  /** The resources of this page. */
  data: Program[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface Quote {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'quote'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Expired once an offer ran out unaccepted. */
  status: 'requested' | 'offered' | 'accepted' | 'provisioned' | 'withdrawn' | 'declined' | 'expired'
  /** Expected units of a month, by meter. */
  volumes: QuoteVolumes
  /** The person to talk to. */
  contact: QuoteContact
  /** A note of the tenant. */
  note: string | null
  /** The offered terms; null until an operator offers. */
  offer: AgreedTerms | null
  /** When the offer runs out, Unix seconds. */
  offer_expires_at: number | null
  /** SHA-256 of the offered terms and their end, in hex: another offer has another digest. */
  offer_digest: string | null
  /** When the offer was accepted, Unix seconds. */
  accepted_at: number | null
  /** The person who accepted. */
  accepted_by: string | null
  /** Why an operator declined. */
  decline_reason: string | null
}

export interface QuoteContact {
  /** The name of the person. */
  name: string
  /** The mail address of the person. */
  email: string
}

export interface QuoteList {
  /** The resources of this page. */
  data: Quote[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface QuoteVolumes {
  /** Authorizations, approved and declined. */
  authorizations?: number
  /** Cards issued. */
  cards_issued?: number
  /** Passes issued. */
  passes_issued?: number
  /** Physical cards handed to the carrier. */
  physical_cards?: number
  /** Identity checks with a result. */
  identity_checks?: number
}

export interface RefusedCall {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'refused_call'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The Request-Id of the answer. */
  request_id: string
  /** The method of the call. */
  method: string
  /** The path of the operation, with :id in the place of an id. */
  path: string
  /** HTTP status of the answer. */
  status: number
  /** The error code of the answer. */
  code: string
  /** The field that the answer named; null where it named none. */
  param: string | null
  /** The caller. */
  credential: {
    /** oauth: a connected platform; person: somebody at the dashboard. */
    kind: 'api_key' | 'oauth' | 'person'
    /** The id, for ever the same. */
    id: string
  }
  /** Address that the call came from; null when unknown. */
  address: string | null
}

export interface RefusedCallHours {
  /** The kind of resource. */
  object: 'refused_call_hours'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The hours of the last thousand refused calls, oldest first; hours without one are left out. */
  hours: {
    /** When it began, in Unix seconds. */
    hour: number
    /** Refused calls of the hour by error code, the most frequent first. */
    codes: {
      /** The error code. */
      code: string
      /** Calls refused with it. */
      count: number
    }[]
  }[]
}

export interface RefusedCallList {
  /** The resources of this page. */
  data: RefusedCall[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export type RetryAdvice = 'never' | 'later' | 'fix_data' | 'authenticate'

export interface SanctionsAlert {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'sanctions_alert'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The cardholder. */
  cardholder_id: string
  /** Dismissed: the cardholder is another person. Confirmed: the cardholder is the person on the list and stays frozen. */
  status: 'open' | 'dismissed' | 'confirmed'
  /** Best first. */
  hits: ({
    /** The list and its own id of the entry, for example ofac:2674. */
    listed_id: string
    /** A list of sanctions, or of politically exposed persons. */
    kind: 'sanctions' | 'pep'
    /** The name on the list that is most alike. */
    name: string
    /** Why they are listed, in the list’s own words. */
    program: string
    /** How alike, to 100. */
    score: number
    /** The reasons for and against the match. */
    reasons: string[]
  })[]
  /** The version of the lists in the screening. */
  list_version: string
  /** Unix seconds; null before the decision. */
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
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'sandbox_clock'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The time in the sandbox, in Unix seconds. */
  now: number
  /** How far it is ahead of the installation’s time, in milliseconds. It never goes back. */
  offset_ms: number
}

export interface SandboxWipe {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'sandbox_wipe'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** How often this sandbox was emptied, this time included. */
  wipes: number
  /** Rows that were deleted, by table; only where there were some. */
  deleted: { [key: string]: number }
}

export interface Scanner {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'scanner'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The name, for people. */
  name: string
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface ScannerList {
  /** The resources of this page. */
  data: Scanner[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface SchedulePeriod {
  /** On which days of the week; every day where it is left out. */
  days: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[]
  /** Local time 08:00; until may be 24:00. */
  from: string
  /** Local time up to which it is open, 18:00, at most 24:00. */
  until: string
  /** IANA name of the zone in which days, weeks and months begin. */
  time_zone: string
}

export interface SchedulePeriodInput {
  /** On which days of the week; every day where it is left out. */
  days?: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[]
  /** Local time 08:00; 00:00 where it is left out. */
  from?: string
  /** Local time up to which it is open, 18:00, at most 24:00. */
  until?: string
  /** IANA name of the zone in which days, weeks and months begin. */
  time_zone?: string
}

export interface Screening {
  /** Pending: not screened yet. Alert: a hit awaits its review, and they are frozen. Confirmed: they stay frozen for good. */
  status: 'pending' | 'clear' | 'alert' | 'confirmed'
  /** Unix seconds; null before the first screening. */
  screened_at: number | null
  /** The version of the lists in the latest screening; null before the first. */
  list_version: string | null
  /** Alerts that await their review, oldest first. */
  open_alert_ids: string[]
}

export interface SettlementAccount {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'settlement_account'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Waiting until usable_at; payments name only a usable account. */
  status: 'waiting' | 'usable' | 'disabled'
  /** When payments may name the account, ISO 8601. */
  usable_at: string
  /** The address that is paid, with the checksum of EIP-55. */
  address: string
  /** The chain (EIP-155). */
  chain_id: number
  /** The name that the holder reads before approving. */
  name: string
  /** The merchant’s category, four digits (ISO 18245). */
  mcc: string
  /** ISO 3166-1 alpha-2. */
  country: string
  /** The times at which batches are closed. */
  schedule: {
    /** continuous: whenever something waits; daily: once a day at the hour. */
    interval: 'continuous' | 'daily'
    /** The hour of a daily cut-off, 0 to 23, UTC. */
    hour?: number
  }
  /** Share of what is captured that stays with the service, in hundredths of a percent. */
  fee_bps: number
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface SettlementAccountList {
  /** The resources of this page. */
  data: SettlementAccount[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface SettlementAges {
  /** The kind of resource. */
  object: 'settlement_ages'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The account that the sums are of; null for all of the tenant’s. */
  settlement_account_id: string | null
  /** ISO 4217 code, three capital letters. */
  currency: 'USD'
  /** Seconds since the oldest capture that waits for a batch was made; null where none waits. */
  oldest_pending_seconds: number | null
  /** The same of captures in batches that are not final. */
  oldest_in_settlement_seconds: number | null
  /** Spans of age, youngest first. */
  ages: ({
    /** The least age, in seconds. */
    from_seconds: number
    /** The age at which the next span begins, in seconds; null for the last one. */
    until_seconds: number | null
    /** Captures that wait for a batch, in US cents. */
    pending_cents: number
    /** Their number. */
    pending_captures: number
    /** Captures in batches that are not final, in US cents. */
    in_settlement_cents: number
    /** Their number. */
    in_settlement_captures: number
  })[]
}

export interface SettlementBalance {
  /** The kind of resource. */
  object: 'settlement_balance'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The account that the sums are of; null for all of the tenant’s. */
  settlement_account_id: string | null
  /** ISO 4217 code, three capital letters. */
  currency: 'USD'
  /** Captures that wait for a batch, in US cents. */
  pending_cents: number
  /** Captures of batches that are not final, in US cents. */
  in_settlement_cents: number
  /** Paid to the addresses by final batches, after fees and refunds, in US cents. */
  paid_out_cents: number
  /** Refunds that have not landed, in US cents. */
  refunds_due_cents: number
}

export interface SettlementBatch {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'settlement_batch'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The account that is paid. */
  settlement_account_id: string
  /** Completed only when the block is final. */
  status: 'open' | 'submitted' | 'included' | 'completed' | 'failed'
  /** The cause that closed the batch. */
  trigger: 'interval' | 'size' | 'manual' | 'retry'
  /** Number of captures and refunds. */
  counts: {
    /** Number of captures. */
    captures: number
    /** Number of refunds. */
    refunds: number
  }
  /** Captured by it, in US cents. */
  gross_cents: number
  /** Refunded by it, in US cents. */
  refunds_cents: number
  /** The service’s fee, in US cents. */
  fee_cents: number
  /** Paid to the address, in US cents. */
  net_cents: number
  /** The chain (EIP-155). */
  chain_id: number
  /** The chain transaction, hex; null before one is sent, and after a refused rehearsal. */
  transaction_hash: string | null
  /** The block of the transaction; null before one is included. */
  block_number: number | null
  /** Gas that the transaction took; null before one is included. */
  gas_used: number | null
  /** The manual review; null for a batch that has not failed. */
  review: {
    /** Open until an operator resolves it. */
    status: 'open' | 'resolved'
    /** When it was opened, ISO 8601. */
    opened_at: string
    /** When it was resolved, ISO 8601; null before. */
    resolved_at: string | null
    /** The operator’s resolution; null before. */
    resolution: 'retried' | 'abandoned' | null
  } | null
  /** The reason of the failure; null without one. */
  failure: SettlementFailure | null
  /** When it was completed, ISO 8601; null before. */
  completed_at: string | null
}

export interface SettlementBatchList {
  /** The resources of this page. */
  data: SettlementBatch[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface SettlementFailure {
  /** The step that failed. */
  stage: 'encoding' | 'rehearsal' | 'transaction' | 'capture' | 'refund' | 'cancelled'
  /** The reason, for programs. */
  code: SettlementFailureCode
  /** The reason in a sentence; null where the code says everything. */
  detail: string | null
}

export type SettlementFailureCode = 'amount_not_available' | 'amount_not_allowed' | 'approval_mismatch' | 'assertion_missing' | 'invalid_assertion' | 'expired' | 'wrong_payee' | 'batch_empty' | 'bit_missing' | 'refunds_exhausted' | 'already_landed' | 'invalid_index' | 'transfer_failed' | 'nothing_landed' | 'reverted' | 'cancelled' | string

export interface Shipping {
  /** The name of the recipient. */
  name: string | null
  /** Street and number. */
  line1: string | null
  /** What else the address needs; null where nothing. */
  line2: string | null
  /** The city. */
  city: string | null
  /** State, province or region; null where there is none. */
  state: string | null
  /** The postal code; null where there is none. */
  postal_code: string | null
  /** ISO 3166-1 alpha-2. */
  country: string | null
  /** The state it is in. */
  status: 'pending' | 'shipped' | 'delivered' | 'returned'
  /** The carrier; null until the card was handed over. */
  carrier: string | null
  /** Once handed to the carrier. */
  tracking_number: string | null
}

export interface SimulatedMessage {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'simulated_message'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The card. */
  card_id: string
  /** Null where the engine made none of it. The transaction is there as soon as it is recorded, within moments. */
  transaction_id: string | null
  /** The network's message, without the card’s details. */
  message: {
    /** The id, for ever the same. */
    id: string
    /** What the message asks or says. */
    kind: 'authorization' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'advice' | 'reversal' | 'capture' | 'refund' | 'capture_reversal' | 'refund_reversal'
    /** When the network sent it, ISO 8601. */
    transmitted_at: string
    /** The network’s own id of the transaction. */
    network_transaction_id: string
    /** Null where the message begins a transaction. */
    original_network_transaction_id: string | null
    /** A whole number of the currency’s smallest unit. */
    amount_cents: number
    /** ISO 4217 code, three capital letters. */
    currency: string
    /** Where the card is used. */
    merchant: {
      /** The merchant’s id, as the network sends it. */
      id: string
      /** The merchant’s name, as the network sends it. */
      name: string
      /** The merchant’s category, four digits (ISO 18245). */
      mcc: string
      /** Where the merchant is. */
      city: string
      /** Where the merchant is, ISO 3166-1 alpha-2. */
      country: string
    }
  }
  /** The answer to the network. */
  answer: {
    /** The network’s own id of the message; null where there was none. */
    message_id: string
    /** The card transaction. */
    transaction_id: string | null
    /** Whether it was approved. */
    approved: boolean
    /** How much of the amount was approved, in minor units; 0 where nothing was. */
    approved_amount_cents: number
    /** ISO 8583 field 39. */
    response_code: string
    /** Six characters by which the network knows the approval; null where it was declined. */
    authorization_code: string | null
    /** Why it was declined; null where it was not. */
    decline_reason: DeclineReason | null
    /** The party that decided. */
    decided_by: DecidedBy
    /** True where stand-in decided, because you were silent. */
    stand_in: boolean
    /** Only in the answer to a balance inquiry: the amount that could be spent now. */
    available_amount_cents?: number
  }
}

export interface SimulatedScenario {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'simulated_scenario'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The card. */
  card_id: string
  /** Which story was played. */
  scenario: 'approve' | 'approve_and_capture' | 'approve_and_reverse' | 'capture_in_parts' | 'incremental' | 'refund' | 'wrong_expiry' | 'account_verification' | 'duplicate' | 'answer_lost' | 'authorization_lost' | 'reversal_first' | 'delayed'
  /** The transaction of its first message. */
  transaction_id: string | null
  /** One after the other, each answered before the next was sent. */
  messages: SimulatedMessage[]
}

export interface SpendingControl {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'spending_control'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The level of the subject it binds: a program, a cardholder, a card or a payment account. */
  scope: 'program' | 'cardholder' | 'card' | 'payment_account'
  /** The program, cardholder, card or payment account that it binds. */
  subject_id: string
  /** A draft only reports; an active control binds; a retired one does neither. */
  state: 'draft' | 'active' | 'retired'
  /** Counts its versions from 1. */
  version: number
  /** When the version was written, and by which key; null where no caller wrote it. */
  updated: number
  /** The key that wrote this version; null where no caller did. */
  updated_by: string | null
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
  /** Codes, and ranges 3000-3299. */
  allowed_mccs: string[] | null
  /** Codes, and ranges 3000-3299; instead of allowed_mccs, as with every pair here. */
  blocked_mccs: string[] | null
  /** Names of categories; with allowed_mccs they are one list. */
  allowed_categories: string[] | null
  /** Names of categories that are declined; with blocked_mccs they are one list. */
  blocked_categories: string[] | null
  /** Only these merchants, by the network’s id; null: all. */
  allowed_merchant_ids: string[] | null
  /** Not these merchants, by the network’s id. */
  blocked_merchant_ids: string[] | null
  /** Only merchants in these countries, ISO 3166-1 alpha-2; null: all. */
  allowed_countries: string[] | null
  /** No merchants in these countries, ISO 3166-1 alpha-2. */
  blocked_countries: string[] | null
  /** Only these currencies of the merchant, ISO 4217; null: all. */
  allowed_currencies: string[] | null
  /** Not these currencies of the merchant, ISO 4217. */
  blocked_currencies: string[] | null
  /** Only with the card’s number got like this; null: any way. */
  allowed_entry_methods: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
  /** Not with the card’s number got like this. */
  blocked_entry_methods: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
  /** Only with the card present, or only without; null: both. */
  allowed_card_presence: ('present' | 'not_present')[] | null
  /** Not with the card present, or not without. */
  blocked_card_presence: ('present' | 'not_present')[] | null
  /** Only these kinds of authorization requests; null: all. */
  allowed_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
  /** Not these kinds of authorization requests. */
  blocked_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
  /** Only from these wallets, by provider; null: with or without any. */
  allowed_wallets: string[] | null
  /** Not from these wallets, by provider. */
  blocked_wallets: string[] | null
  /** Online payments need a 3DS authentication. */
  authentication: 'required' | null
  /** Chip cards whose stripe was read are declined. */
  fallback: 'blocked' | null
  /** One approved authorization, of exactly or at most an amount. */
  single_use: {
    /** exact: the one authorization must be of amount_cents. max: it may be of less. */
    mode: 'exact' | 'max'
    /** The amount, in minor units of the card’s currency; null: any. */
    amount_cents: number | null
  } | null
  /** Only the merchant of the first approved authorization. */
  merchant_lock: boolean
  /** Approved authorizations after which nothing more is. */
  cancel_after: number | null
  /** Open in any of the periods; none is open always. */
  schedule: SchedulePeriod[]
  /** How much, and how often. */
  limits: ControlLimit[]
}

export interface SpendingControlBacktest {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'spending_control_backtest'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The spending control. */
  spending_control_id: string
  /** Unix seconds: requests received at or after this moment are judged. */
  from: number
  /** Unix seconds: requests received before this moment are judged. */
  to: number
  /** The terms that are judged: those of the control, with the proposed fields in their place. */
  terms: {
    /** Codes, and ranges 3000-3299. */
    allowed_mccs: string[] | null
    /** Codes, and ranges 3000-3299; instead of allowed_mccs, as with every pair here. */
    blocked_mccs: string[] | null
    /** Names of categories; with allowed_mccs they are one list. */
    allowed_categories: string[] | null
    /** Names of categories that are declined; with blocked_mccs they are one list. */
    blocked_categories: string[] | null
    /** Only these merchants, by the network’s id; null: all. */
    allowed_merchant_ids: string[] | null
    /** Not these merchants, by the network’s id. */
    blocked_merchant_ids: string[] | null
    /** Only merchants in these countries, ISO 3166-1 alpha-2; null: all. */
    allowed_countries: string[] | null
    /** No merchants in these countries, ISO 3166-1 alpha-2. */
    blocked_countries: string[] | null
    /** Only these currencies of the merchant, ISO 4217; null: all. */
    allowed_currencies: string[] | null
    /** Not these currencies of the merchant, ISO 4217. */
    blocked_currencies: string[] | null
    /** Only with the card’s number got like this; null: any way. */
    allowed_entry_methods: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
    /** Not with the card’s number got like this. */
    blocked_entry_methods: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
    /** Only with the card present, or only without; null: both. */
    allowed_card_presence: ('present' | 'not_present')[] | null
    /** Not with the card present, or not without. */
    blocked_card_presence: ('present' | 'not_present')[] | null
    /** Only these kinds of authorization requests; null: all. */
    allowed_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
    /** Not these kinds of authorization requests. */
    blocked_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
    /** Only from these wallets, by provider; null: with or without any. */
    allowed_wallets: string[] | null
    /** Not from these wallets, by provider. */
    blocked_wallets: string[] | null
    /** Online payments need a 3DS authentication. */
    authentication: 'required' | null
    /** Chip cards whose stripe was read are declined. */
    fallback: 'blocked' | null
    /** One approved authorization, of exactly or at most an amount. */
    single_use: {
      /** exact: the one authorization must be of amount_cents. max: it may be of less. */
      mode: 'exact' | 'max'
      /** The amount, in minor units of the card’s currency; null: any. */
      amount_cents: number | null
    } | null
    /** Only the merchant of the first approved authorization. */
    merchant_lock: boolean
    /** Approved authorizations after which nothing more is. */
    cancel_after: number | null
    /** Open in any of the periods; none is open always. */
    schedule: SchedulePeriod[]
    /** How much, and how often. */
    limits: ControlLimit[]
  }
  /** Queued until those of others are done; a failed one gives its reason. */
  status: 'queued' | 'running' | 'completed' | 'failed'
  /** too_many_entries: more than 1,000,000 recorded messages. interrupted: its process ended three times. Null where it did not fail. */
  failure: 'too_many_entries' | 'interrupted' | null
  /** Null until it is completed. */
  result: BacktestResult | null
  /** The key or the person that asked for it. */
  created_by: string
  /** Unix seconds; null while it goes on. */
  finished_at: number | null
}

export interface SpendingControlBacktestList {
  /** The resources of this page. */
  data: SpendingControlBacktest[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
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
  /** The kind of resource. */
  object: 'spending_control_shadow'
  /** The spending control. */
  spending_control_id: string
  /** Authorizations that it would have let pass. */
  would_approve: number
  /** Authorizations that it would have declined. */
  would_decline: number
  /** The same by version. */
  versions: {
    /** Which version of it. */
    version: number
    /** Authorizations that this version would have let pass. */
    would_approve: number
    /** Authorizations that this version would have declined. */
    would_decline: number
    /** Why, and how often. */
    decline_reasons: {
      /** Why it would have been declined. */
      decline_reason: DeclineReason
      /** How often. */
      count: number
    }[]
    /** Unix seconds of the first and the last authorization it judged. */
    first: number
    /** Unix seconds of the last authorization it judged. */
    last: number
  }[]
}

export interface SpendingControlVersion {
  /** The kind of resource. */
  object: 'spending_control_version'
  /** The spending control. */
  spending_control_id: string
  /** Which version of it. */
  version: number
  /** A draft only reports; an active control binds; a retired one does neither. */
  state: 'draft' | 'active' | 'retired'
  /** When it was made, in Unix seconds. */
  created: number
  /** The key that wrote it; null where no caller did. */
  created_by: string | null
  /** Codes, and ranges 3000-3299. */
  allowed_mccs: string[] | null
  /** Codes, and ranges 3000-3299; instead of allowed_mccs, as with every pair here. */
  blocked_mccs: string[] | null
  /** Names of categories; with allowed_mccs they are one list. */
  allowed_categories: string[] | null
  /** Names of categories that are declined; with blocked_mccs they are one list. */
  blocked_categories: string[] | null
  /** Only these merchants, by the network’s id; null: all. */
  allowed_merchant_ids: string[] | null
  /** Not these merchants, by the network’s id. */
  blocked_merchant_ids: string[] | null
  /** Only merchants in these countries, ISO 3166-1 alpha-2; null: all. */
  allowed_countries: string[] | null
  /** No merchants in these countries, ISO 3166-1 alpha-2. */
  blocked_countries: string[] | null
  /** Only these currencies of the merchant, ISO 4217; null: all. */
  allowed_currencies: string[] | null
  /** Not these currencies of the merchant, ISO 4217. */
  blocked_currencies: string[] | null
  /** Only with the card’s number got like this; null: any way. */
  allowed_entry_methods: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
  /** Not with the card’s number got like this. */
  blocked_entry_methods: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
  /** Only with the card present, or only without; null: both. */
  allowed_card_presence: ('present' | 'not_present')[] | null
  /** Not with the card present, or not without. */
  blocked_card_presence: ('present' | 'not_present')[] | null
  /** Only these kinds of authorization requests; null: all. */
  allowed_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
  /** Not these kinds of authorization requests. */
  blocked_kinds: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
  /** Only from these wallets, by provider; null: with or without any. */
  allowed_wallets: string[] | null
  /** Not from these wallets, by provider. */
  blocked_wallets: string[] | null
  /** Online payments need a 3DS authentication. */
  authentication: 'required' | null
  /** Chip cards whose stripe was read are declined. */
  fallback: 'blocked' | null
  /** One approved authorization, of exactly or at most an amount. */
  single_use: {
    /** exact: the one authorization must be of amount_cents. max: it may be of less. */
    mode: 'exact' | 'max'
    /** The amount, in minor units of the card’s currency; null: any. */
    amount_cents: number | null
  } | null
  /** Only the merchant of the first approved authorization. */
  merchant_lock: boolean
  /** Approved authorizations after which nothing more is. */
  cancel_after: number | null
  /** Open in any of the periods; none is open always. */
  schedule: SchedulePeriod[]
  /** How much, and how often. */
  limits: ControlLimit[]
}

export interface SpendingControlVersionList {
  /** The resources of this page. */
  data: SpendingControlVersion[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface StandInAcknowledgement {
  /** The kind of resource. */
  object: 'stand_in_acknowledgement'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The transactions, each with every decision of stand-in until now. */
  transaction_ids: string[]
}

export type StandInCap = 'kind' | 'per_authorization' | 'per_card_per_day' | 'per_hour'

export interface StandInReport {
  /** The kind of resource. */
  object: 'stand_in_report'
  /** Authorization requests on which stand-in has a verdict, whoever decided them. */
  questions: number
  /** How they went, by webhook.outcome. */
  outcomes: { [key: string]: number }
  /** Decided by stand-in. */
  decided: {
    /** Approved by stand-in. */
    approved: number
    /** Declined by stand-in. */
    declined: number
  }
  /** The verdicts of stand-in beside the tenant's, for requests that the tenant answered in time. */
  compared: {
    /** Both would have approved. */
    both_approve: number
    /** Both would have declined. */
    both_decline: number
    /** Stand-in would have approved a request that the tenant declined. */
    only_stand_in_approves: number
    /** The tenant approved a request that stand-in would have declined. */
    only_tenant_approves: number
  }
  /** The share of the tenant's declines that stand-in would have approved. */
  false_approve_rate: number | null
  /** The share of the tenant's approvals that stand-in would have declined. */
  false_decline_rate: number | null
  /** Answers after the deadline, and how many of them disagreed with the decision. */
  late: {
    /** Late answers that approved. */
    approved: number
    /** Late answers that declined. */
    declined: number
    /** Late answers that said the opposite of what was decided. */
    disagreed: number
  }
}

export interface Subscription {
  /** Null where there is no subscription. */
  id: string | null
  /** The kind of resource. */
  object: 'subscription'
  /** When it was made, in Unix seconds. */
  created: number | null
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The entitlements follow from the status; none without a subscription. */
  status: 'none' | 'trialing' | 'active' | 'past_due' | 'restricted' | 'suspended' | 'canceled'
  /** The reason of a status other than trialing, active and none. */
  status_reason: BillingStatusReason | null
  /** The plan in force. */
  plan: {
    /** The plan. */
    key: 'starter' | 'growth' | 'enterprise'
    /** Date of the catalogue, or the contract of an enterprise plan. */
    version: string
  } | null
  /** The plan before the latest change of tier. */
  previous_plan: 'starter' | 'growth' | 'enterprise' | null
  /** Interval of the base price. */
  interval: 'month' | 'year' | null
  /** Currency of every amount, ISO 4217. */
  currency: 'USD' | 'EUR' | null
  /** The trial; null without one. */
  trial: {
    /** The beginning, Unix seconds. */
    from: number
    /** The end, Unix seconds. */
    until: number
  } | null
  /** The period in which usage is counted now: a month. */
  current_period: {
    /** The beginning, Unix seconds. */
    from: number
    /** The end, Unix seconds. */
    until: number
  } | null
  /** The period that the base price covers: a month or a year. */
  base_period: {
    /** The beginning, Unix seconds. */
    from: number
    /** The end, Unix seconds. */
    until: number
  } | null
  /** The subscription ends with its period. */
  cancel_at_period_end: boolean
  /** A change of plan that waits for the end of the base price’s period; null without one. */
  pending_change: {
    /** The plan that comes into force. */
    plan: 'starter' | 'growth'
    /** The interval that comes into force. */
    interval: 'month' | 'year'
    /** When it comes into force, Unix seconds. */
    at: number
  } | null
  /** Add-ons that are enabled. */
  addons: string[]
  /** The way invoices are paid. */
  collection: {
    /** Whether the payment method is charged, or an invoice is sent. */
    method: 'charge_automatically' | 'send_invoice'
    /** Days from a sent invoice to its due date. */
    net_days: number | null
  } | null
  /** Since when the oldest unpaid invoice is overdue, Unix seconds. */
  overdue_since: number | null
  /** The state that an operator set for a while. */
  dunning_override: {
    /** The state that replaces the computed status. */
    state: 'active' | 'past_due' | 'restricted' | 'suspended'
    /** The reason that the operator gave. */
    reason: string
    /** When the computed status holds again, Unix seconds. */
    expires_at: number
  } | null
  /** Credit on later invoices; negative where a small total was carried on. */
  credit_cents: number
}

export type SuspendReason = 'requested' | 'card_testing' | 'cvc_failures' | 'pin_failures' | string

export type SuspendedBy = 'regulator' | 'sponsor_bank' | 'provider_risk'

export type TenantOutcome = 'answered_approve' | 'answered_decline' | 'timeout_connect' | 'timeout_response' | 'connection_error' | 'tls_error' | 'http_status' | 'malformed_json' | 'malformed_schema' | 'oversized' | 'bulkhead_full' | 'breaker_open' | 'not_configured'

export type TerminateReason = 'requested' | 'replaced' | 'lost' | 'stolen' | string

export interface Token {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'token'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Unix seconds from which it is worth nothing. */
  expires_at: number
  /** Unix seconds; null while it is unused. */
  used_at: number | null
  /** The details of the card that may be shown. */
  card: {
    /** The card’s brand, as its number says. */
    brand: 'visa' | 'mastercard' | 'amex' | 'discover' | 'unknown'
    /** The last four digits of the number. */
    last4: string
    /** The month in which the card expires, 1 to 12. */
    exp_month: number
    /** The year in which the card expires, four digits. */
    exp_year: number
  }
}

export interface TraceStep {
  /** The rule; /docs lists them all. */
  rule_id: string
  /** Which version of the rule looked. */
  rule_version: number
  /** Whether it let the authorization pass. */
  verdict: 'pass' | 'fail'
  /** The inputs of the rule, by name. */
  inputs: { [key: string]: string | number | boolean | null }
}

export interface TransactionDecision {
  /** Whether it was approved. */
  approved: boolean
  /** How much of the amount was approved, in minor units; 0 where nothing was. */
  approved_amount_cents: number
  /** ISO 8583 field 39. */
  response_code: string
  /** Six characters by which the network knows the approval; null where it was declined. */
  authorization_code: string | null
  /** Why it was declined; null where it was not. */
  decline_reason: DeclineReason | null
  /** What in it was declined, where the reason has several causes; null otherwise. */
  decline_detail: string | null
  /** The party that decided. */
  decided_by: DecidedBy
  /** When it was decided, ISO 8601. */
  decided_at: string
  /** True where stand-in decided, because you were silent. */
  stand_in: boolean
  /** Why stand-in decided, and which of its caps declined; null where it did not decide. */
  stand_in_detail: {
    /** Why you were not heard, for example timeout. */
    cause: TenantOutcome | null
    /** The cap that declined; null where none did. */
    cap_id: StandInCap | null
  } | null
  /** The answer that stand-in would have given; null if nobody was to be asked. */
  stand_in_would: {
    /** Whether it would have been approved. */
    approve: boolean
    /** Why it would have been declined; null where it would not. */
    decline_reason: DeclineReason | null
  } | null
  /** The fraud rule that declined. */
  fraud_rule: FraudRuleName | null
  /** Fraud rules in draft that would have stopped the card. */
  fraud_rules_in_draft: FraudRuleName[]
  /** Where the circuit breaker of your endpoint stood; null where you were not to be asked. */
  breaker: 'closed' | 'open' | 'half_open' | null
  /** The verdicts of drafts of spending controls. */
  shadow: ({
    /** The spending control whose draft it is. */
    control_id: string
    /** Which version of it. */
    version: number
    /** Whether it would have been approved. */
    approve: boolean
    /** Why it would have been declined; null where it would not. */
    decline_reason: DeclineReason | null
  })[]
  /** Set for a balance inquiry only. */
  available_amount_cents: number | null
  /** Whether the same question may get another answer, and when; null where it was approved. */
  retry_advice: RetryAdvice | null
  /** How you were asked; null where you were not. */
  webhook: {
    /** How the call went. */
    outcome: TenantOutcome
    /** The endpoint that was asked; null where there is none. */
    endpoint_id: string | null
    /** The HTTP status of its answer; null if no answer came. */
    http_status: number | null
    /** Until its answer was there, in milliseconds; null where none came. */
    latency_ms: number | null
    /** How often it was called: twice where a reused connection broke. */
    attempts: number
    /** The failure in a few words; null without one. */
    error_hint: string | null
    /** Why your reply declined; null where it gave no reason. */
    decline_reason: string | null
    /** What your reply approved, in minor units; null where it named no amount. */
    approved_amount_cents: number | null
    /** Optional fields of the reply that were not usable. */
    dropped_fields: string[]
    /** An answer after the deadline: it changed nothing. */
    late_answer: {
      /** What it said. */
      outcome: 'late_approve' | 'late_decline'
      /** How long after the call it came, in milliseconds. */
      late_answer_ms: number
      /** True if the reply disagrees with the decision. */
      disagrees: boolean
    } | null
  } | null
  /** The versions of everything that was decided by. */
  config: {
    /** The versions of the spending controls that bind it. */
    controls_version: ControlsVersion
    /** Of the card. */
    card_state_version: number
    /** Of the cardholder. */
    cardholder_state_version: number
    /** Of the program. */
    program_version: number
    /** The version of the exchange rates; null if nothing was converted. */
    fx_version: number | null
    /** Which release of the engine decided. */
    engine_build: string
  }
  /** Every rule that was looked at, in order. */
  trace: TraceStep[]
  /** How long each step took, in microseconds. */
  timings_us: {
    /** Reading the message. */
    parse: number
    /** Looking whether it was answered before. */
    recall: number
    /** Reading card, cardholder and program. */
    state_read: number
    /** Judging rules and spending controls. */
    controls: number
    /** Holding the amount. */
    reserve: number
    /** Signing the request to you. */
    sign: number
    /** Connecting to your endpoint. */
    connect: number
    /** Waiting for your answer, with signing and connecting. */
    tenant_wait: number
    /** Concluding, after your answer. */
    finalize: number
    /** From receipt until the decision was written down. */
    total: number
  }
}

export type TransactionFlag = 'declined' | 'force_post' | 'captured_after_expiry' | 'captured_after_reversal' | 'captured_after_decline' | 'over_captured' | 'over_refunded' | 'limit_overrun' | 'reversed_before_authorization' | 'captured_before_authorization' | 'final' | 'unlinked' | 'over_reversed' | 'amount_advised' | 'billing_mismatch' | 'components_exceed_amount' | 'reversal_before_original' | 'unconverted' | 'awaits_original'

export interface TransactionSums {
  /** Approved by the first authorization, or by the network in our place. */
  authorized_cents: number
  /** Approved increments. */
  incremented_cents: number
  /** The amount by which the hold was raised or lowered beyond the approved amount. */
  adjusted_cents: number
  /** Reversed before capture. */
  reversed_cents: number
  /** Released because the hold expired. */
  expired_cents: number
  /** The rest of the hold that a final capture left and released. */
  released_cents: number
  /** Taken by the merchant. */
  captured_cents: number
  /** Captured by mistake and reversed. */
  capture_reversed_cents: number
  /** Refunded by the merchant. */
  refunded_cents: number
  /** Refunded by mistake and reversed. */
  refund_reversed_cents: number
  /** The amount that is held now. */
  open_hold_cents: number
}

export interface WalletToken {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'wallet_token'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The card. */
  card_id: string
  /** The provider of the wallet, for example apple_pay. */
  provider: string
  /** The state it is in. */
  status: 'active' | 'suspended' | 'deactivated'
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface WalletTokenList {
  /** The resources of this page. */
  data: WalletToken[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface WebhookDelivery {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'webhook_delivery'
  /** The time of the fan-out of the event, in Unix seconds. Deliveries use real time, whatever a sandbox clock says. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The webhook endpoint. */
  endpoint_id: string
  /** The event that is sent. A test’s is none of your events. */
  event_id: string
  /** The type of the event, for example card.created. */
  event_type: string
  /** Why it was sent last: because the event happened, or because you asked for it: replay, recovery or test. */
  cause: 'event' | 'replay' | 'recovery' | 'test'
  /** The recovery that asked for it; null where none did. */
  recovery_id: string | null
  /** Pending until an attempt succeeds; held while its endpoint is disabled; canceled when its endpoint was deleted. */
  state: 'pending' | 'held' | 'succeeded' | 'failed' | 'canceled'
  /** 1, and one more each time it is sent again after it ended or after its endpoint was enabled. */
  cycle: number
  /** Attempts of this cycle, at most five; one that is under way is counted. */
  attempts: number
  /** Unix seconds; null where none is waited for. */
  next_attempt_at: number | null
  /** The HTTP status of the latest attempt; null if no answer came. */
  last_status: number | null
  /** The reason why the latest attempt failed, as error_class of attempts names it. */
  last_error: DeliveryError | null
  /** Unix seconds; null while it goes on. */
  finished_at: number | null
}

export interface WebhookDeliveryAttempt {
  /** The kind of resource. */
  object: 'webhook_delivery_attempt'
  /** The delivery. */
  delivery_id: string
  /** 1, and one more each time it is sent again after it ended or after its endpoint was enabled. */
  cycle: number
  /** Which attempt of its cycle, 1 to 5. */
  n: number
  /** Why the delivery was sent when this attempt was made. */
  cause: 'event' | 'replay' | 'recovery' | 'test'
  /** ISO 8601 with milliseconds. */
  started_at: string
  /** Milliseconds until it was over. */
  duration_ms: number
  /** Milliseconds until a fresh connection stood, names and TLS included; null on one that had served before, or where none came about. */
  connected_ms: number | null
  /** Milliseconds until the first byte of the answer; null where none came. */
  answered_ms: number | null
  /** The status of the answer; null where none came. */
  response_status: number | null
  /** The reason of the failure; null where it succeeded. */
  error_class: DeliveryError | null
  /** The beginning of the answer’s body. Numbers of cards are cut out. */
  response_body: string
}

export interface WebhookDeliveryAttemptList {
  /** The resources of this page. */
  data: WebhookDeliveryAttempt[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface WebhookDeliveryList {
  /** The resources of this page. */
  data: WebhookDelivery[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface WebhookDeliveryRequest {
  /** The kind of resource. */
  object: 'webhook_delivery_request'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The delivery. */
  delivery_id: string
  /** Every delivery is a POST. */
  method: 'POST'
  /** The address of the endpoint now. */
  url: string
  /** Headers of the latest attempt, or of the first to come, by their names in small letters. Those of the signature are left out: each attempt makes them with the secrets of your endpoint and its own moment. */
  headers: { [key: string]: string }
  /** Names of the headers that an attempt adds when it signs. */
  signature_headers: string[]
  /** The text of the body. Its UTF-8 bytes are sent and signed as they stand: parsing and writing it anew gives other bytes. Null where it is no longer kept, as of an ended test. */
  body: string | null
  /** The length of the body in bytes; null where it is no longer kept. */
  body_bytes: number | null
}

export interface WebhookEndpoint {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'webhook_endpoint'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** Where events are sent, with POST. */
  url: string
  /** The purpose of the endpoint, in your words. */
  description: string
  /** Null: every type. */
  event_types: string[] | null
  /** The state it is in. */
  status: 'enabled' | 'disabled'
  /** Whether it is asked before an authorization is approved. */
  realtime: {
    /** True of the one endpoint per tenant and environment that is asked before an authorization is approved. */
    is_realtime: boolean
    /** For the real-time endpoint: whether it is asked. unknown while the engine is away. */
    breaker: {
      /** closed: it is asked. open: it is not, because it failed too often. half_open: it is tried again. */
      state: 'closed' | 'open' | 'half_open' | 'unknown'
      /** Unix seconds when it last opened or closed; null where it never opened since the engine started. */
      since: number | null
      /** How often it opened since the engine started; null where that is not known. */
      opened_count: number | null
    } | null
  }
  /** Why it was disabled; absent while it is enabled. */
  disabled_reason?: DisabledReason
  /** Unix seconds; null while it is enabled. */
  disabled_at: number | null
  /** Every active one signs each delivery, the older first. Two while one replaces the other. */
  signing_secrets: ({
    /** The id, for ever the same. */
    id: string
    /** When it was made, in Unix seconds. */
    created: number
    /** The time of the automatic revocation, in Unix seconds of your clock; null without one. */
    expires_at: number | null
  })[]
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
  /** The secret itself. It is shown here and never again. */
  secret: string
}

export interface WebhookEndpointHealth {
  /** The id of the endpoint. */
  id: string
  /** The kind of resource. */
  object: 'webhook_endpoint_health'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The address of the endpoint. */
  url: string
  /** The state it is in. */
  status: 'enabled' | 'disabled'
  /** As in the statistics of the endpoint. */
  total: {
    /** How many succeeded. */
    succeeded: number
    /** Those that timed out among them. */
    failed: number
    /** How many had no answer in time. */
    timed_out: number
    /** The share of attempts that succeeded, 0 to 1; null without attempts. */
    success_share: number | null
    /** Deliveries whose first attempt ended. */
    first_tries: number
    /** The share of them that were delivered by it, 0 to 1; null without one. */
    first_try_share: number | null
    /** Until the first byte of the answer, in milliseconds, of attempts that got one; estimated within powers of two. */
    answer_ms: {
      /** Half of them were this fast, in milliseconds. */
      p50: number | null
      /** 95 of 100 were this fast, in milliseconds. */
      p95: number | null
      /** 99 of 100 were this fast, in milliseconds. */
      p99: number | null
    }
  }
  /** Deliveries that wait to be sent, counted up to 1,000; 0 while the endpoint is disabled. */
  pending: number
  /** Deliveries that wait until the endpoint is enabled, counted up to 1,000. */
  held: number
  /** Seconds since the oldest of these was made; null where there is none. */
  oldest_age_seconds: number | null
  /** When the next attempt is due, in Unix seconds; null where none is waited for. */
  next_attempt_at: number | null
}

export interface WebhookEndpointHealthList {
  /** The resources of this page. */
  data: WebhookEndpointHealth[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface WebhookEndpointList {
  /** The resources of this page. */
  data: ({
    /** The id, for ever the same. */
    id: string
    /** The kind of resource. */
    object: 'webhook_endpoint'
    /** When it was made, in Unix seconds. */
    created: number
    /** True in live, false in the sandbox. */
    livemode: boolean
    /** Where events are sent, with POST. */
    url: string
    /** The purpose of the endpoint, in your words. */
    description: string
    /** Null: every type. */
    event_types: string[] | null
    /** The state it is in. */
    status: 'enabled' | 'disabled'
    /** Whether it is asked before an authorization is approved. */
    realtime: {
      /** True of the one endpoint per tenant and environment that is asked before an authorization is approved. */
      is_realtime: boolean
      /** For the real-time endpoint: whether it is asked. unknown while the engine is away. */
      breaker: {
        /** closed: it is asked. open: it is not, because it failed too often. half_open: it is tried again. */
        state: 'closed' | 'open' | 'half_open' | 'unknown'
        /** Unix seconds when it last opened or closed; null where it never opened since the engine started. */
        since: number | null
        /** How often it opened since the engine started; null where that is not known. */
        opened_count: number | null
      } | null
    }
    /** Why it was disabled; absent while it is enabled. */
    disabled_reason?: DisabledReason
    /** Unix seconds; null while it is enabled. */
    disabled_at: number | null
    /** Every active one signs each delivery, the older first. Two while one replaces the other. */
    signing_secrets: ({
      /** The id, for ever the same. */
      id: string
      /** When it was made, in Unix seconds. */
      created: number
      /** The time of the automatic revocation, in Unix seconds of your clock; null without one. */
      expires_at: number | null
    })[]
    /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
    external_id: string | null
    /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
    metadata: { [key: string]: string }
  })[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface WebhookEndpointStatistics {
  /** The kind of resource. */
  object: 'webhook_endpoint_statistics'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The webhook endpoint. */
  endpoint_id: string
  /** Attempts of the last 24 hours, the one that has begun included; by real time, whatever a sandbox clock says. */
  total: {
    /** How many succeeded. */
    succeeded: number
    /** Those that timed out among them. */
    failed: number
    /** How many had no answer in time. */
    timed_out: number
    /** The share of attempts that succeeded, 0 to 1; null without attempts. */
    success_share: number | null
    /** Deliveries whose first attempt ended. */
    first_tries: number
    /** The share of them that were delivered by it, 0 to 1; null without one. */
    first_try_share: number | null
    /** Until the first byte of the answer, in milliseconds, of attempts that got one; estimated within powers of two. */
    answer_ms: {
      /** Half of them were this fast, in milliseconds. */
      p50: number | null
      /** 95 of 100 were this fast, in milliseconds. */
      p95: number | null
      /** 99 of 100 were this fast, in milliseconds. */
      p99: number | null
    }
  }
  /** The same hour by hour, oldest first. */
  hours: ({
    /** When it began, in Unix seconds. */
    hour: number
    /** How many succeeded. */
    succeeded: number
    /** Those that timed out among them. */
    failed: number
    /** How many had no answer in time. */
    timed_out: number
    /** The share of attempts that succeeded, 0 to 1; null without attempts. */
    success_share: number | null
    /** Deliveries whose first attempt ended. */
    first_tries: number
    /** The share of them that were delivered by it, 0 to 1; null without one. */
    first_try_share: number | null
    /** Until the first byte of the answer, in milliseconds, of attempts that got one; estimated within powers of two. */
    answer_ms: {
      /** Half of them were this fast, in milliseconds. */
      p50: number | null
      /** 95 of 100 were this fast, in milliseconds. */
      p95: number | null
      /** 99 of 100 were this fast, in milliseconds. */
      p99: number | null
    }
  })[]
  /** Deliveries that wait to be sent, counted up to 10,000; 0 while the endpoint is disabled. */
  pending: number
  /** Deliveries that wait until the endpoint is enabled, counted up to 10,000. */
  held: number
  /** Seconds since the oldest of these was made; null where there is none. */
  oldest_age_seconds: number | null
  /** When the next attempt is due, in Unix seconds; null where none is waited for. */
  next_attempt_at: number | null
}

export interface WebhookRecovery {
  /** The id, for ever the same. */
  id: string
  /** The kind of resource. */
  object: 'webhook_recovery'
  /** When it was made, in Unix seconds. */
  created: number
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The webhook endpoint. */
  endpoint_id: string
  /** The events to send again: those whose delivery failed or was canceled, those that came while the endpoint was disabled, or all that it takes. */
  which: 'failed' | 'missed' | 'all'
  /** Only these types; null for all. */
  event_types: string[] | null
  /** Events created at or after this moment, ISO 8601. */
  since: string
  /** Events created at or before this moment, ISO 8601. */
  until: string
  /** Running until every matching event was handed out. Its deliveries go on by themselves. */
  status: 'running' | 'completed' | 'canceled'
  /** asked: a call canceled it. endpoint_disabled: its endpoint was disabled; make another one once the endpoint is enabled. Null where it was not canceled. */
  cancel_reason: 'asked' | 'endpoint_disabled' | null
  /** Events found so far. */
  matched: number
  /** Unix seconds; null while it goes on. */
  finished_at: number | null
  /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
  external_id: string | null
  /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
  metadata: { [key: string]: string }
}

export interface WebhookRecoveryCount {
  /** The kind of resource. */
  object: 'webhook_recovery_count'
  /** True in live, false in the sandbox. */
  livemode: boolean
  /** The webhook endpoint. */
  endpoint_id: string
  /** Events that the recovery would send, counted up to 10,000. */
  matched: number
  /** True if there may be more than the number in matched. */
  at_least: boolean
}

export interface WebhookRecoveryList {
  /** The resources of this page. */
  data: WebhookRecovery[]
  /** Whether the list goes on in this direction. */
  has_more: boolean
  /** Where it goes on; null at its end. */
  next_cursor: string | null
}

export interface WithdrawalFailure {
  /** The step that failed: the check of what is held, the rehearsal, or the transaction; cancelled by an operator. */
  stage: 'check' | 'rehearsal' | 'transaction' | 'cancelled'
  /** The reason, for programs. */
  code: SettlementFailureCode
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
  'payment.authorized': {
    payment: Payment
  }
  'payment.needs_confirmation': {
    payment: Payment
  }
  'payment.confirmed': {
    payment: Payment
  }
  'payment.captured': {
    payment: Payment
  }
  'payment.refunded': {
    payment: Payment
  }
  'payment.voided': {
    payment: Payment
  }
  'payment.failed': {
    payment: Payment
  }
  'payment.risk_declined': {
    payment: Payment
  }
  'payment.settlement_batch_completed': {
    settlement_batch: SettlementBatch
  }
  'payment.settlement_batch_failed': {
    settlement_batch: SettlementBatch
  }
  'payment.settlement_retry_requested': {
    payment: Payment
  }
  'payment.settlement_manually_triggered': {
    settlement_batch: SettlementBatch
  }
  'billing.trial_started': {
    subscription: Subscription
  }
  'billing.plan_changed': {
    subscription: Subscription
  }
  'billing.subscription_canceled': {
    subscription: Subscription
  }
  'billing.payment_method_updated': {
    payment_method: PaymentMethod
  }
  'billing.portal_accessed': {
    portal_session: PortalSession
  }
  'billing.addon_toggled': {
    addon: { [key: string]: unknown }
  }
  'billing.enterprise_quote_requested': {
    quote: Quote
  }
  'billing.dunning_state_overridden': {
    subscription: Subscription
  }
  'billing.enterprise_quote_provisioned': {
    subscription: Subscription
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
    /** Always `retry_exhausted`: five attempts of one delivery failed. */
    disabled_reason: 'retry_exhausted'
    /** How many attempts failed: 5. */
    attempt_count: number
  }
  'pass_template.created': {
    pass_template: PassTemplate
  }
  'pass_template.updated': {
    pass_template: PassTemplate
  }
  'pass_template.archived': {
    pass_template: PassTemplate
  }
  'pass.created': {
    pass: Pass
  }
  'pass.installed': {
    pass: Pass
  }
  'pass.updated': {
    pass: Pass
  }
  'pass.scanned': {
    scan: PassScan
  }
  'pass.revoked': {
    pass: Pass
  }
  'pass.removed': {
    pass: Pass
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The method and path of the call, for example POST /v1/cards/:id/suspend, or the name of an action of the system. Two names stand for calls that changed nothing: secret_key_in_browser for the first call with a secret key from each web page, ip_not_allowed for calls from outside a key's address ranges. */
      action?: string
      /** The caller. */
      actor?: string
      /** The id of the resource in the response, if it has one. */
      resource_id?: string
    }
    answer: AuditLogEntryList
  }
  /** Checks that no row of the audit log was changed, removed or moved. Scope admin. */
  verifyAuditLog: {
    input: {
      /** The number of the row to begin with, from 1. */
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The type of the event, for example card.created. */
      type?: 'card.created' | 'card.shipped' | 'card.activated' | 'card.suspended' | 'card.resumed' | 'card.terminated' | 'card.transaction.authorized' | 'card.transaction.declined' | 'card.transaction.captured' | 'card.transaction.refunded' | 'card.transaction.reversed' | 'dispute.created' | 'dispute.updated' | 'dispute.evidence_required' | 'dispute.expired' | 'payment.authorized' | 'payment.needs_confirmation' | 'payment.confirmed' | 'payment.captured' | 'payment.refunded' | 'payment.voided' | 'payment.failed' | 'payment.risk_declined' | 'payment.settlement_batch_completed' | 'payment.settlement_batch_failed' | 'payment.settlement_retry_requested' | 'payment.settlement_manually_triggered' | 'billing.trial_started' | 'billing.plan_changed' | 'billing.subscription_canceled' | 'billing.payment_method_updated' | 'billing.portal_accessed' | 'billing.addon_toggled' | 'billing.enterprise_quote_requested' | 'billing.dunning_state_overridden' | 'billing.enterprise_quote_provisioned' | 'program.activated' | 'program.suspended' | 'program.resumed' | 'cardholder.created' | 'cardholder.kyc.completed' | 'cardholder.kyc.requires_action' | 'cardholder.sanctions.alert' | 'api_key.created' | 'api_key.revoked' | 'webhook_endpoint.disabled' | 'pass_template.created' | 'pass_template.updated' | 'pass_template.archived' | 'pass.created' | 'pass.installed' | 'pass.updated' | 'pass.scanned' | 'pass.revoked' | 'pass.removed'
      /** The resource that it is about. */
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The name of the program. */
      name: string
      /** The currency of cards that name none; null where each names its own. Left out: null, each card names its own. */
      currency?: string
      /** True when the tenant is asked before an approval. */
      realtime?: boolean
      /** The decision when the tenant is silent. */
      stand_in?: 'controls' | 'decline'
      /** The duration of holds by kind of payment; a payment without a matching row uses the built-in table. */
      hold_expiry?: ({
        /** The merchant’s categories, four digits each; null: every category. */
        mccs: string[] | null
        /** With the card at the terminal, or without; null: either. */
        card_present: boolean | null
        /** Begun by the cardholder or by the merchant; null: either. */
        initiator: 'cardholder' | 'merchant' | null
        /** How long such a hold stands, in hours. */
        hours: number
      })[]
      /** The amount held beyond the requested amount, by category; none: the built-in presets. */
      hold_adjustments?: ({
        /** The merchant’s categories, four digits or ranges `3000-3299`. */
        mccs: string[]
        /** replace: hold the value instead. add_percent, add_amount: hold so much more. */
        mode: 'replace' | 'add_percent' | 'add_amount'
        /** Minor units, or whole percent. */
        value: number
        /** The most that is added, in minor units of the card’s currency; null: no cap. */
        max_cents: number | null
      })[]
      /** The margin on our own rates, in hundredths of a percent. */
      fx_margin_bps?: number
      /** The largest difference between the network’s billing amount and the amount by our own rate, in hundredths of a percent. */
      billing_tolerance_bps?: number
      /** Beyond that: decline the authorization, or count the larger of the two amounts. The transaction is flagged. */
      billing_mismatch_action?: 'decline' | 'take_larger'
      /** IANA name of the zone in which days, weeks and months begin. */
      time_zone?: string
      /** The authorizations that stand-in may approve while you are silent; null: all that the controls allow. Left out: null. */
      stand_in_policy?: {
        /** The most that stand-in approves at once; null: no cap. Left out: null. */
        max_per_authorization_cents?: number | null
        /** The most that stand-in approves of one card in a day; null: no cap. Left out: null. */
        max_per_card_per_day_cents?: number | null
        /** Over all cards of the tenant in the running hour. Left out: null. */
        max_per_hour_cents?: number | null
        /** Kinds that stand-in always declines. */
        excluded_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[]
      } | null
      /** Rules that suspend a card automatically; rules that a change does not name stay as they are. Left out: three rules, which the answer shows; only the one about wrong security codes is active. */
      fraud_rules?: ({
        /** Which rule: many small authorizations, wrong security codes, or wrong PINs. */
        name: FraudRuleName
        /** A draft only reports; an active rule suspends the card. */
        state: 'draft' | 'active' | 'off'
        /** The number of events within seconds that is too many. */
        count: number
        /** How far the rule looks back, in seconds. */
        seconds: number
        /** For card_testing: authorizations up to this amount count. Null for the other rules. */
        amount_cents: number | null
      })[]
      /** The most that refunds and payouts may add to a card without a capture behind them; a limit that a change does not name stays. */
      credit_limit?: {
        /** The most that one refund or payout may add beyond the capture it names; null: no limit. */
        per_authorization_cents?: number | null
        /** The most that they may bring to one card in a day, UTC; null: no limit. */
        per_card_per_day_cents?: number | null
      }
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
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
      /** The name, for people. */
      name?: string
      /** True when the tenant is asked before an approval. */
      realtime?: boolean
      /** The decision when the tenant is silent. */
      stand_in?: 'controls' | 'decline'
      /** The duration of holds by kind of payment; a payment without a matching row uses the built-in table. */
      hold_expiry?: ({
        /** The merchant’s categories, four digits each; null: every category. */
        mccs: string[] | null
        /** With the card at the terminal, or without; null: either. */
        card_present: boolean | null
        /** Begun by the cardholder or by the merchant; null: either. */
        initiator: 'cardholder' | 'merchant' | null
        /** How long such a hold stands, in hours. */
        hours: number
      })[]
      /** The amount held beyond the requested amount, by category; none: the built-in presets. */
      hold_adjustments?: ({
        /** The merchant’s categories, four digits or ranges `3000-3299`. */
        mccs: string[]
        /** replace: hold the value instead. add_percent, add_amount: hold so much more. */
        mode: 'replace' | 'add_percent' | 'add_amount'
        /** Minor units, or whole percent. */
        value: number
        /** The most that is added, in minor units of the card’s currency; null: no cap. */
        max_cents: number | null
      })[]
      /** The margin on our own rates, in hundredths of a percent. */
      fx_margin_bps?: number
      /** The largest difference between the network’s billing amount and the amount by our own rate, in hundredths of a percent. */
      billing_tolerance_bps?: number
      /** Beyond that: decline the authorization, or count the larger of the two amounts. The transaction is flagged. */
      billing_mismatch_action?: 'decline' | 'take_larger'
      /** IANA name of the zone in which days, weeks and months begin. */
      time_zone?: string
      /** The authorizations that stand-in may approve while you are silent; null: all that the controls allow. */
      stand_in_policy?: {
        /** The most that stand-in approves at once; null: no cap. */
        max_per_authorization_cents?: number | null
        /** The most that stand-in approves of one card in a day; null: no cap. */
        max_per_card_per_day_cents?: number | null
        /** Over all cards of the tenant in the running hour. */
        max_per_hour_cents?: number | null
        /** Kinds that stand-in always declines. */
        excluded_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser')[]
      } | null
      /** Rules that suspend a card automatically; rules that a change does not name stay as they are. */
      fraud_rules?: ({
        /** Which rule: many small authorizations, wrong security codes, or wrong PINs. */
        name: FraudRuleName
        /** A draft only reports; an active rule suspends the card. */
        state: 'draft' | 'active' | 'off'
        /** The number of events within seconds that is too many. */
        count: number
        /** How far the rule looks back, in seconds. */
        seconds: number
        /** For card_testing: authorizations up to this amount count. Null for the other rules. */
        amount_cents: number | null
      })[]
      /** The most that refunds and payouts may add to a card without a capture behind them; a limit that a change does not name stays. */
      credit_limit?: {
        /** The most that one refund or payout may add beyond the capture it names; null: no limit. */
        per_authorization_cents?: number | null
        /** The most that they may bring to one card in a day, UTC; null: no limit. */
        per_card_per_day_cents?: number | null
      }
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** A secret key is for servers, a publishable one may stand in a page or an app. */
      role?: 'secret' | 'publishable'
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: ApiKeyList
  }
  /** Makes an API key of the environment that is called; its secret is shown once. Scope admin. */
  createApiKey: {
    input: {
      /** The name that people gave the key. */
      name: string
      /** A secret key is for servers, a publishable one may stand in a page or an app. */
      role: 'secret' | 'publishable'
      /** The permissions of the key: read, write (and read), or admin (everything). Left out: write for a publishable key; refused for a secret one. */
      scope?: 'read' | 'write' | 'admin'
      /** Address ranges it may be used from; none: from anywhere. */
      cidrs?: string[]
      /** Unix seconds from which the key is refused, by the clock of its account; null: no end. */
      expires_at?: number
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
      metadata?: { [key: string]: string }
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** The kind of resource. */
      object: 'api_key'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** The environment of the resources the key reaches; livemode says the same as a boolean. */
      environment: 'sandbox' | 'live'
      /** The name that people gave the key. */
      name: string
      /** A secret key is for servers, a publishable one may stand in a page or an app. */
      role: 'secret' | 'publishable'
      /** The permissions of the key: read, write (and read), or admin (everything). */
      scope: 'read' | 'write' | 'admin'
      /** The state it is in. */
      status: 'active' | 'pending' | 'revoked'
      /** The first characters of the secret. */
      prefix: string
      /** The last four characters of the secret. */
      last4: string
      /** Address ranges it may be used from; none: from anywhere. */
      cidrs: string[]
      /** The person who approved the key, or the key that made it; null for the first keys of the installation. */
      created_by: string | null
      /** Unix seconds of its last call, to the minute; null before the first. */
      last_used_at: number | null
      /** The address of its last call; null before the first. */
      last_used_ip: string | null
      /** Until then a pending key works; null in the other states. */
      revokes_at: number | null
      /** Unix seconds from which the key is refused, by the clock of its account; null: no end. */
      expires_at: number | null
      /** Unix seconds; null while it is not revoked. */
      revoked_at: number | null
      /** Web pages from which it was sent. A secret key that has any is in the hands of strangers. */
      browser_sightings: {
        /** The origin that the browser named. */
        origin: string
        /** Unix seconds of the first call from there. */
        first_at: number
        /** Unix seconds of the last call from there. */
        last_at: number
        /** How many calls came from there. */
        count: number
      }[]
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
      /** The secret itself. It is shown here and never again. */
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
  /** Changes the name of an API key, where it may be used from, its end, external_id and metadata. Scope admin. */
  updateApiKey: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The name that people gave the key. */
      name?: string
      /** Address ranges it may be used from; none: from anywhere. */
      cidrs?: string[]
      /** Unix seconds from which the key is refused, by the clock of its account; null: no end. */
      expires_at?: number | null
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** Filters active or disabled people. */
      status?: 'active' | 'disabled'
      /** Filters people by role. */
      role?: 'owner' | 'admin' | 'developer' | 'analyst' | 'support'
    }
    answer: PersonList
  }
  /** Shows a person of the account. Scope admin. */
  getPerson: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Person
  }
  /** Changes the role of a person, never above that of the approving one. Scope admin. */
  updatePerson: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The new role; never above the role of the approving person. */
      role: 'owner' | 'admin' | 'developer' | 'analyst' | 'support'
    }
    answer: Person
  }
  /** Disables a person: they approve nothing any more. The last owner stays. Scope admin. */
  disablePerson: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Person
  }
  /** Lets a disabled person approve again, with what they had. Scope admin. */
  enablePerson: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Person
  }
  /** Removes a person from the tenant; an invitation brings them back. Scope admin. */
  removePerson: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Person
  }
  /** Lets a person in again who lost every factor, by a one-time link for 24 hours. Scope admin. */
  letInPerson: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** The kind of resource. */
      object: 'person'
      /** When it was made, in Unix seconds. */
      created: number
      /** The address for signing in, in lower case. */
      email: string
      /** The name of the person. */
      name: string
      /** Owners and admins approve calls, developers those of the sandbox. Analysts read, support helps holders of cards. */
      role: 'owner' | 'admin' | 'developer' | 'analyst' | 'support'
      /** A disabled person approves nothing. */
      status: 'active' | 'disabled'
      /** One-time link for the person, shown this once; null where it went by mail. */
      url: string | null
      /** When the link ends, in Unix seconds. */
      expires_at: number
    }
  }
  /** Lists invitations of people to the tenant, newest first. Scope admin. */
  listInvitations: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      status?: 'pending' | 'accepted' | 'revoked' | 'expired'
    }
    answer: InvitationList
  }
  /** Invites a person to the tenant by a one-time link, for seven days. Scope admin. */
  createInvitation: {
    input: {
      /** The address to invite; kept in lower case. */
      email: string
      /** Never above the role of the inviting person. */
      role: 'owner' | 'admin' | 'developer' | 'analyst' | 'support'
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** The kind of resource. */
      object: 'invitation'
      /** When it was made, in Unix seconds. */
      created: number
      /** The invited address, in lower case. Nobody else can accept. */
      email: string
      /** The role in sandbox and live alike. */
      role: 'owner' | 'admin' | 'developer' | 'analyst' | 'support'
      /** The state it is in. */
      status: 'pending' | 'accepted' | 'revoked' | 'expired'
      /** The inviting person; null: an operator. */
      invited_by: string | null
      /** Unix seconds. */
      expires_at: number
      /** One-time link for the invited person, shown this once; null where it went by mail. */
      url: string | null
    }
  }
  /** Shows an invitation. Scope admin. */
  getInvitation: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Invitation
  }
  /** Sends an invitation again with another link; the link of before ends. Scope admin. */
  resendInvitation: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** The kind of resource. */
      object: 'invitation'
      /** When it was made, in Unix seconds. */
      created: number
      /** The invited address, in lower case. Nobody else can accept. */
      email: string
      /** The role in sandbox and live alike. */
      role: 'owner' | 'admin' | 'developer' | 'analyst' | 'support'
      /** The state it is in. */
      status: 'pending' | 'accepted' | 'revoked' | 'expired'
      /** The inviting person; null: an operator. */
      invited_by: string | null
      /** Unix seconds. */
      expires_at: number
      /** One-time link for the invited person, shown this once; null where it went by mail. */
      url: string | null
    }
  }
  /** Revokes an invitation: its link ends. Scope admin. */
  revokeInvitation: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Invitation
  }
  /** Lists the connections of platforms that act for the account. Scope admin. */
  listOauthGrants: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      status?: 'active' | 'revoked'
    }
    answer: OauthGrantList
  }
  /** Shows the connection of a platform. Scope admin. */
  getOauthGrant: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: OauthGrant
  }
  /** Ends the connection of a platform: from the answer on its tokens are refused. Scope admin. */
  revokeOauthGrant: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: OauthGrant
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
  /** Shows the tenant’s newest application for live. Scope admin. */
  getAccountKyb: {
    input: object
    answer: KybApplication
  }
  /** Applies for live: an operator verifies the business and decides. Scope admin. */
  kybAccount: {
    input: {
      /** The legal name of the business. */
      legal_name: string
      /** The number in the register of companies. */
      registration_number: string
      /** ISO 3166-1 alpha-2. */
      country: string
      /** Where the business is registered. */
      address: {
        /** Street and number. */
        line1: string
        /** The city. */
        city: string
        /** The postal code; null where there is none. */
        postal_code: string
        /** ISO 3166-1 alpha-2. */
        country: string
      }
      /** The website of the business, over https. */
      website: string
      /** The business, and the use of cards and payments, in a few sentences. */
      description: string
      /** The program that is activated with the approval. */
      program: {
        /** The name of the program. */
        name: string
        /** ISO 4217. */
        currency: string
      }
    }
    answer: KybApplication
  }
  /** Lists the last 1,000 calls that the API refused, newest first. Scope read. */
  listRefusedCalls: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The error code of the answer. */
      code?: string
      /** The key, platform or person that called. */
      credential_id?: string
    }
    answer: RefusedCallList
  }
  /** Counts the last 1,000 refused calls by hour and error code. Scope read. */
  getRefusedCallsHours: {
    input: object
    answer: RefusedCallHours
  }
  /** Makes an endpoint that events are sent to; its signing secret is shown this once. Scope write. */
  createWebhookEndpoint: {
    input: {
      /** Where events are sent, with POST. */
      url: string
      /** The purpose of the endpoint, in your words. */
      description?: string
      /** Types that are sent to it; null for every type, also of those to come. Left out: null, every type. */
      event_types?: ('card.created' | 'card.shipped' | 'card.activated' | 'card.suspended' | 'card.resumed' | 'card.terminated' | 'card.transaction.authorized' | 'card.transaction.declined' | 'card.transaction.captured' | 'card.transaction.refunded' | 'card.transaction.reversed' | 'dispute.created' | 'dispute.updated' | 'dispute.evidence_required' | 'dispute.expired' | 'payment.authorized' | 'payment.needs_confirmation' | 'payment.confirmed' | 'payment.captured' | 'payment.refunded' | 'payment.voided' | 'payment.failed' | 'payment.risk_declined' | 'payment.settlement_batch_completed' | 'payment.settlement_batch_failed' | 'payment.settlement_retry_requested' | 'payment.settlement_manually_triggered' | 'billing.trial_started' | 'billing.plan_changed' | 'billing.subscription_canceled' | 'billing.payment_method_updated' | 'billing.portal_accessed' | 'billing.addon_toggled' | 'billing.enterprise_quote_requested' | 'billing.dunning_state_overridden' | 'billing.enterprise_quote_provisioned' | 'program.activated' | 'program.suspended' | 'program.resumed' | 'cardholder.created' | 'cardholder.kyc.completed' | 'cardholder.kyc.requires_action' | 'cardholder.sanctions.alert' | 'api_key.created' | 'api_key.revoked' | 'webhook_endpoint.disabled' | 'pass_template.created' | 'pass_template.updated' | 'pass_template.archived' | 'pass.created' | 'pass.installed' | 'pass.updated' | 'pass.scanned' | 'pass.revoked' | 'pass.removed')[] | null
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
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
      /** The kind of resource. */
      object: 'webhook_endpoint'
      /** It is gone. */
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
      /** The kind of resource. */
      object: 'webhook_endpoint'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** Where events are sent, with POST. */
      url: string
      /** The purpose of the endpoint, in your words. */
      description: string
      /** Null: every type. */
      event_types: string[] | null
      /** The state it is in. */
      status: 'enabled' | 'disabled'
      /** Whether it is asked before an authorization is approved. */
      realtime: {
        /** True of the one endpoint per tenant and environment that is asked before an authorization is approved. */
        is_realtime: boolean
        /** For the real-time endpoint: whether it is asked. unknown while the engine is away. */
        breaker: {
          /** closed: it is asked. open: it is not, because it failed too often. half_open: it is tried again. */
          state: 'closed' | 'open' | 'half_open' | 'unknown'
          /** Unix seconds when it last opened or closed; null where it never opened since the engine started. */
          since: number | null
          /** How often it opened since the engine started; null where that is not known. */
          opened_count: number | null
        } | null
      }
      /** Why it was disabled; absent while it is enabled. */
      disabled_reason?: DisabledReason
      /** Unix seconds; null while it is enabled. */
      disabled_at: number | null
      /** Every active one signs each delivery, the older first. Two while one replaces the other. */
      signing_secrets: ({
        /** The id, for ever the same. */
        id: string
        /** When it was made, in Unix seconds. */
        created: number
        /** The time of the automatic revocation, in Unix seconds of your clock; null without one. */
        expires_at: number | null
      })[]
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
    }
  }
  /** Changes an endpoint, pauses it, or enables a disabled endpoint again. Scope write. */
  updateWebhookEndpoint: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Where events are sent, with POST. */
      url?: string
      /** The purpose of the endpoint, in your words. */
      description?: string
      /** Types that are sent to it; null for every type, also of those to come. */
      event_types?: ('card.created' | 'card.shipped' | 'card.activated' | 'card.suspended' | 'card.resumed' | 'card.terminated' | 'card.transaction.authorized' | 'card.transaction.declined' | 'card.transaction.captured' | 'card.transaction.refunded' | 'card.transaction.reversed' | 'dispute.created' | 'dispute.updated' | 'dispute.evidence_required' | 'dispute.expired' | 'payment.authorized' | 'payment.needs_confirmation' | 'payment.confirmed' | 'payment.captured' | 'payment.refunded' | 'payment.voided' | 'payment.failed' | 'payment.risk_declined' | 'payment.settlement_batch_completed' | 'payment.settlement_batch_failed' | 'payment.settlement_retry_requested' | 'payment.settlement_manually_triggered' | 'billing.trial_started' | 'billing.plan_changed' | 'billing.subscription_canceled' | 'billing.payment_method_updated' | 'billing.portal_accessed' | 'billing.addon_toggled' | 'billing.enterprise_quote_requested' | 'billing.dunning_state_overridden' | 'billing.enterprise_quote_provisioned' | 'program.activated' | 'program.suspended' | 'program.resumed' | 'cardholder.created' | 'cardholder.kyc.completed' | 'cardholder.kyc.requires_action' | 'cardholder.sanctions.alert' | 'api_key.created' | 'api_key.revoked' | 'webhook_endpoint.disabled' | 'pass_template.created' | 'pass_template.updated' | 'pass_template.archived' | 'pass.created' | 'pass.installed' | 'pass.updated' | 'pass.scanned' | 'pass.revoked' | 'pass.removed')[] | null
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
      /** Disabled pauses the endpoint: its open deliveries are held, later events are listed as missed, and stand-in decides the authorizations that would ask it. enabled ends a pause, and brings an endpoint back that five failed attempts disabled: held deliveries are sent at once. */
      status?: 'enabled' | 'disabled'
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** The kind of resource. */
      object: 'webhook_endpoint'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** Where events are sent, with POST. */
      url: string
      /** The purpose of the endpoint, in your words. */
      description: string
      /** Null: every type. */
      event_types: string[] | null
      /** The state it is in. */
      status: 'enabled' | 'disabled'
      /** Whether it is asked before an authorization is approved. */
      realtime: {
        /** True of the one endpoint per tenant and environment that is asked before an authorization is approved. */
        is_realtime: boolean
        /** For the real-time endpoint: whether it is asked. unknown while the engine is away. */
        breaker: {
          /** closed: it is asked. open: it is not, because it failed too often. half_open: it is tried again. */
          state: 'closed' | 'open' | 'half_open' | 'unknown'
          /** Unix seconds when it last opened or closed; null where it never opened since the engine started. */
          since: number | null
          /** How often it opened since the engine started; null where that is not known. */
          opened_count: number | null
        } | null
      }
      /** Why it was disabled; absent while it is enabled. */
      disabled_reason?: DisabledReason
      /** Unix seconds; null while it is enabled. */
      disabled_at: number | null
      /** Every active one signs each delivery, the older first. Two while one replaces the other. */
      signing_secrets: ({
        /** The id, for ever the same. */
        id: string
        /** When it was made, in Unix seconds. */
        created: number
        /** The time of the automatic revocation, in Unix seconds of your clock; null without one. */
        expires_at: number | null
      })[]
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
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
      /** After so many seconds the older secret is revoked by itself. Left out: never by itself. */
      expires_in?: number
    }
    answer: WebhookEndpoint
  }
  /** Revokes the older of two signing secrets, at once or in a while. Scope write. */
  revokeOldSecretWebhookEndpoint: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** After so many seconds the older secret is revoked by itself. Left out: never by itself. */
      expires_in?: number
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** The kind of resource. */
      object: 'webhook_endpoint'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** Where events are sent, with POST. */
      url: string
      /** The purpose of the endpoint, in your words. */
      description: string
      /** Null: every type. */
      event_types: string[] | null
      /** The state it is in. */
      status: 'enabled' | 'disabled'
      /** Whether it is asked before an authorization is approved. */
      realtime: {
        /** True of the one endpoint per tenant and environment that is asked before an authorization is approved. */
        is_realtime: boolean
        /** For the real-time endpoint: whether it is asked. unknown while the engine is away. */
        breaker: {
          /** closed: it is asked. open: it is not, because it failed too often. half_open: it is tried again. */
          state: 'closed' | 'open' | 'half_open' | 'unknown'
          /** Unix seconds when it last opened or closed; null where it never opened since the engine started. */
          since: number | null
          /** How often it opened since the engine started; null where that is not known. */
          opened_count: number | null
        } | null
      }
      /** Why it was disabled; absent while it is enabled. */
      disabled_reason?: DisabledReason
      /** Unix seconds; null while it is enabled. */
      disabled_at: number | null
      /** Every active one signs each delivery, the older first. Two while one replaces the other. */
      signing_secrets: ({
        /** The id, for ever the same. */
        id: string
        /** When it was made, in Unix seconds. */
        created: number
        /** The time of the automatic revocation, in Unix seconds of your clock; null without one. */
        expires_at: number | null
      })[]
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata: { [key: string]: string }
    }
  }
  /** Lists endpoints, newest first, with their results of 24 hours and what waits for them. Scope read. */
  listWebhookEndpointsHealth: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: WebhookEndpointHealthList
  }
  /** Says how an endpoint did in the last 24 hours, and what waits for it. Scope read. */
  getWebhookEndpointStatistics: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: WebhookEndpointStatistics
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
      /** The kind of resource. */
      object: 'webhook_endpoint'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** Where events are sent, with POST. */
      url: string
      /** The purpose of the endpoint, in your words. */
      description: string
      /** Null: every type. */
      event_types: string[] | null
      /** The state it is in. */
      status: 'enabled' | 'disabled'
      /** Whether it is asked before an authorization is approved. */
      realtime: {
        /** True of the one endpoint per tenant and environment that is asked before an authorization is approved. */
        is_realtime: boolean
        /** For the real-time endpoint: whether it is asked. unknown while the engine is away. */
        breaker: {
          /** closed: it is asked. open: it is not, because it failed too often. half_open: it is tried again. */
          state: 'closed' | 'open' | 'half_open' | 'unknown'
          /** Unix seconds when it last opened or closed; null where it never opened since the engine started. */
          since: number | null
          /** How often it opened since the engine started; null where that is not known. */
          opened_count: number | null
        } | null
      }
      /** Why it was disabled; absent while it is enabled. */
      disabled_reason?: DisabledReason
      /** Unix seconds; null while it is enabled. */
      disabled_at: number | null
      /** Every active one signs each delivery, the older first. Two while one replaces the other. */
      signing_secrets: ({
        /** The id, for ever the same. */
        id: string
        /** When it was made, in Unix seconds. */
        created: number
        /** The time of the automatic revocation, in Unix seconds of your clock; null without one. */
        expires_at: number | null
      })[]
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: CertificationList
  }
  /** Returns one certification of an endpoint. Scope read. */
  getWebhookEndpointCertification: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The certification. */
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
  /** Lists deliveries of events to your endpoints, newest first. Scope read. */
  listWebhookDeliveries: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The webhook endpoint. */
      endpoint_id?: string
      /** The event that is sent. A test’s is none of your events. */
      event_id?: string
      /** Pending until an attempt succeeds; held while its endpoint is disabled; canceled when its endpoint was deleted. */
      state?: 'pending' | 'held' | 'succeeded' | 'failed' | 'canceled'
      /** The type of the event. */
      type?: 'card.created' | 'card.shipped' | 'card.activated' | 'card.suspended' | 'card.resumed' | 'card.terminated' | 'card.transaction.authorized' | 'card.transaction.declined' | 'card.transaction.captured' | 'card.transaction.refunded' | 'card.transaction.reversed' | 'dispute.created' | 'dispute.updated' | 'dispute.evidence_required' | 'dispute.expired' | 'payment.authorized' | 'payment.needs_confirmation' | 'payment.confirmed' | 'payment.captured' | 'payment.refunded' | 'payment.voided' | 'payment.failed' | 'payment.risk_declined' | 'payment.settlement_batch_completed' | 'payment.settlement_batch_failed' | 'payment.settlement_retry_requested' | 'payment.settlement_manually_triggered' | 'billing.trial_started' | 'billing.plan_changed' | 'billing.subscription_canceled' | 'billing.payment_method_updated' | 'billing.portal_accessed' | 'billing.addon_toggled' | 'billing.enterprise_quote_requested' | 'billing.dunning_state_overridden' | 'billing.enterprise_quote_provisioned' | 'program.activated' | 'program.suspended' | 'program.resumed' | 'cardholder.created' | 'cardholder.kyc.completed' | 'cardholder.kyc.requires_action' | 'cardholder.sanctions.alert' | 'api_key.created' | 'api_key.revoked' | 'webhook_endpoint.disabled' | 'pass_template.created' | 'pass_template.updated' | 'pass_template.archived' | 'pass.created' | 'pass.installed' | 'pass.updated' | 'pass.scanned' | 'pass.revoked' | 'pass.removed'
      /** Why it was sent last: because the event happened, or because you asked for it: replay, recovery or test. */
      cause?: 'event' | 'replay' | 'recovery' | 'test'
    }
    answer: WebhookDeliveryList
  }
  /** Returns one delivery. Scope read. */
  getWebhookDelivery: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: WebhookDelivery
  }
  /** Lists the attempts of a delivery, newest first: what was answered, and how fast. Scope read. */
  listWebhookDeliveryAttempts: {
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: WebhookDeliveryAttemptList
  }
  /** Returns the request of a delivery: its headers without signatures, and its exact body. Scope read. */
  getWebhookDeliveryRequest: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: WebhookDeliveryRequest
  }
  /** Sends one event to an endpoint again, now. Scope write. */
  replayWebhookEndpoint: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The event that is sent. A test’s is none of your events. */
      event_id: string
    }
    answer: WebhookDelivery
  }
  /** Sends an endpoint a sample event, once; its attempt is read from the delivery. Scope write. */
  testWebhookEndpoint: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Of which type; the first that the endpoint takes when it is left out. */
      event_type?: 'card.created' | 'card.shipped' | 'card.activated' | 'card.suspended' | 'card.resumed' | 'card.terminated' | 'card.transaction.authorized' | 'card.transaction.declined' | 'card.transaction.captured' | 'card.transaction.refunded' | 'card.transaction.reversed' | 'dispute.created' | 'dispute.updated' | 'dispute.evidence_required' | 'dispute.expired' | 'payment.authorized' | 'payment.needs_confirmation' | 'payment.confirmed' | 'payment.captured' | 'payment.refunded' | 'payment.voided' | 'payment.failed' | 'payment.risk_declined' | 'payment.settlement_batch_completed' | 'payment.settlement_batch_failed' | 'payment.settlement_retry_requested' | 'payment.settlement_manually_triggered' | 'billing.trial_started' | 'billing.plan_changed' | 'billing.subscription_canceled' | 'billing.payment_method_updated' | 'billing.portal_accessed' | 'billing.addon_toggled' | 'billing.enterprise_quote_requested' | 'billing.dunning_state_overridden' | 'billing.enterprise_quote_provisioned' | 'program.activated' | 'program.suspended' | 'program.resumed' | 'cardholder.created' | 'cardholder.kyc.completed' | 'cardholder.kyc.requires_action' | 'cardholder.sanctions.alert' | 'api_key.created' | 'api_key.revoked' | 'webhook_endpoint.disabled' | 'pass_template.created' | 'pass_template.updated' | 'pass_template.archived' | 'pass.created' | 'pass.installed' | 'pass.updated' | 'pass.scanned' | 'pass.revoked' | 'pass.removed'
    }
    answer: WebhookDelivery
  }
  /** Lists events that an endpoint missed while it was disabled, newest first. Scope read. */
  listWebhookEndpointMissedEvents: {
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: EventList
  }
  /** Begins to send a range of events to an endpoint again, or counts them. Scope write. */
  createWebhookEndpointRecovery: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Events created at or after it: an ISO 8601 date, or date and time with a zone. */
      since: string
      /** Events created at or before it, in the same form; now when it is left out. */
      until?: string
      /** failed: whose delivery failed or was canceled. missed: which came while the endpoint was disabled. all: all it takes. */
      which: 'failed' | 'missed' | 'all'
      /** Only these types. Left out: every type. */
      event_types?: ('card.created' | 'card.shipped' | 'card.activated' | 'card.suspended' | 'card.resumed' | 'card.terminated' | 'card.transaction.authorized' | 'card.transaction.declined' | 'card.transaction.captured' | 'card.transaction.refunded' | 'card.transaction.reversed' | 'dispute.created' | 'dispute.updated' | 'dispute.evidence_required' | 'dispute.expired' | 'payment.authorized' | 'payment.needs_confirmation' | 'payment.confirmed' | 'payment.captured' | 'payment.refunded' | 'payment.voided' | 'payment.failed' | 'payment.risk_declined' | 'payment.settlement_batch_completed' | 'payment.settlement_batch_failed' | 'payment.settlement_retry_requested' | 'payment.settlement_manually_triggered' | 'billing.trial_started' | 'billing.plan_changed' | 'billing.subscription_canceled' | 'billing.payment_method_updated' | 'billing.portal_accessed' | 'billing.addon_toggled' | 'billing.enterprise_quote_requested' | 'billing.dunning_state_overridden' | 'billing.enterprise_quote_provisioned' | 'program.activated' | 'program.suspended' | 'program.resumed' | 'cardholder.created' | 'cardholder.kyc.completed' | 'cardholder.kyc.requires_action' | 'cardholder.sanctions.alert' | 'api_key.created' | 'api_key.revoked' | 'webhook_endpoint.disabled' | 'pass_template.created' | 'pass_template.updated' | 'pass_template.archived' | 'pass.created' | 'pass.installed' | 'pass.updated' | 'pass.scanned' | 'pass.revoked' | 'pass.removed')[]
      /** True: nothing is sent, the answer says how many events it would be. */
      dry_run?: boolean
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
      metadata?: { [key: string]: string }
    }
    answer: WebhookRecovery | WebhookRecoveryCount
  }
  /** Lists the recoveries of an endpoint, newest first. Scope read. */
  listWebhookEndpointRecoveries: {
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: WebhookRecoveryList
  }
  /** Returns one recovery of an endpoint. Scope read. */
  getWebhookEndpointRecovery: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The recovery. */
      recovery: string
    }
    answer: WebhookRecovery
  }
  /** Ends a recovery; what it handed out already is sent. Scope write. */
  cancelWebhookEndpointRecovery: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The recovery. */
      recovery: string
    }
    answer: WebhookRecovery
  }
  /** Lists images of passes, newest first. Scope read. */
  listPassImages: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** Where on a pass it stands; it was cut to the size of that place. */
      role?: 'icon' | 'logo' | 'strip' | 'thumbnail' | 'background' | 'footer'
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: PassImageList
  }
  /** Takes a picture that templates can name. It is cut to the size of its place. Scope write. */
  createPassImage: {
    input: {
      /** The picture's place on a pass. */
      role: 'icon' | 'logo' | 'strip' | 'thumbnail' | 'background' | 'footer'
      /** The PNG, JPEG or WebP file in base64: at most 700 KB and 24 million pixels. */
      data: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
      metadata?: { [key: string]: string }
    }
    answer: PassImage
  }
  /** Returns one image of passes. Scope read. */
  getPassImage: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PassImage
  }
  /** Deletes a picture that no template names. Scope write. */
  deletePassImage: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** The kind of resource. */
      object: 'pass_image'
      /** It is gone. */
      deleted: true
    }
  }
  /** Returns the picture itself, as wallets get it. Scope read. */
  getPassImageContent: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Pixels per point: 1, 2 or 3. */
      scale?: number
    }
    answer: Uint8Array
  }
  /** Lists pass templates, newest first. A publishable key is shown what is on their front. Scope read. */
  listPassTemplates: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** No more passes are issued from an archived template. */
      status?: 'active' | 'archived'
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: PassTemplateList
  }
  /** Makes a template that passes can be issued from. Scope write. */
  createPassTemplate: {
    input: {
      /** The name of the issuer, for the holder. */
      organization_name: string
      /** A description of the pass in a sentence, for screen readers. */
      description: string
      /** Beside the logo; null: nothing. Left out: null. */
      logo_text?: string | null
      /** The colors of the front. */
      colors?: {
        /** Of the front, #rrggbb. */
        background?: string
        /** The color of values, #rrggbb. Left out: a colour that is readable on the background. */
        foreground?: string
        /** Of labels, #rrggbb. Left out: a colour that is readable on the background. */
        label?: string
      }
      /** Pictures by where they stand; each is the id of an image. */
      images?: {
        /** In messages, and where the pass is small. */
        icon?: string | null
        /** Top left. */
        logo?: string | null
        /** Behind the primary fields of store cards, coupons and event tickets. */
        strip?: string | null
        /** Beside the fields of generic passes and event tickets. */
        thumbnail?: string | null
        /** Behind the whole front of an event ticket. */
        background?: string | null
        /** Above the barcode of a boarding pass. */
        footer?: string | null
      }
      /** What stands on a pass, and where. */
      fields?: {
        /** Beside the logo: seen while the pass is in a stack. */
        header?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** Large, in the middle. */
        primary?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** Below the primary fields. */
        secondary?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** Below the secondary fields. */
        auxiliary?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** On the back. */
        back?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
      }
      /** Null: there is none. Left out: null. */
      barcode?: {
        /** The symbology of the barcode. */
        format: 'qr' | 'pdf417' | 'aztec' | 'code128'
        /** What it holds. {{payload}} stands for what our scans verify, {{name}} for a value of the pass. */
        message?: string
        /** The text below the barcode; null: none. Left out: null. */
        alt_text?: string | null
      } | null
      /** The message to an NFC reader; null: none. Left out: null. */
      nfc?: {
        /** What a reader gets, 64 bytes at most; {{payload}} stands for what our scans verify. */
        message?: string
        /** The public key of the readers: P-256, X.509 SubjectPublicKeyInfo in base64. */
        encryption_public_key: string
        /** Whether the holder has to unlock the device first. */
        requires_authentication?: boolean
      } | null
      /** Whether a pass counts at its first scan only. */
      one_time?: boolean
      /** When the event is or the train leaves, ISO 8601; null: none. Left out: null. */
      relevant_at?: string | null
      /** The end of passes without an end of their own, ISO 8601; null: never. */
      expires_at?: string | null
      /** Places near which the wallet offers the pass. */
      locations?: ({
        /** In degrees, -90 to 90. */
        latitude: number
        /** In degrees, -180 to 180. */
        longitude: number
        /** Shown on the locked screen near it; null: a text of the wallet’s. */
        relevant_text?: string | null
      })[]
      /** Translations by language, for example de: for a text of the template the text in that language. */
      localizations?: { [key: string]: { [key: string]: string } }
      /** The style of the pass; it never changes. */
      style: 'generic' | 'store_card' | 'coupon' | 'event_ticket' | 'boarding_pass'
      /** For boarding passes: the means of transport. */
      transit_type?: 'air' | 'boat' | 'bus' | 'train' | 'generic'
      /** For you; holders do not see it. */
      name: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
      metadata?: { [key: string]: string }
    }
    answer: PassTemplate
  }
  /** Returns one pass template. A publishable key is shown what is on its front. Scope read. */
  getPassTemplate: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PassTemplate
  }
  /** Changes a pass template. The change goes on to every pass issued from it, in the background; fanout tells how far it is. Scope write. */
  updatePassTemplate: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** For you; holders do not see it. */
      name?: string
      /** The name of the issuer, for the holder. */
      organization_name?: string
      /** A description of the pass in a sentence, for screen readers. */
      description?: string
      /** Beside the logo; null: nothing. */
      logo_text?: string | null
      /** The colors of the front. */
      colors?: {
        /** Of the front, #rrggbb. */
        background?: string
        /** The color of values, #rrggbb. */
        foreground?: string
        /** Of labels, #rrggbb. */
        label?: string
      }
      /** Pictures by where they stand; each is the id of an image. */
      images?: {
        /** In messages, and where the pass is small. */
        icon?: string | null
        /** Top left. */
        logo?: string | null
        /** Behind the primary fields of store cards, coupons and event tickets. */
        strip?: string | null
        /** Beside the fields of generic passes and event tickets. */
        thumbnail?: string | null
        /** Behind the whole front of an event ticket. */
        background?: string | null
        /** Above the barcode of a boarding pass. */
        footer?: string | null
      }
      /** What stands on a pass, and where. */
      fields?: {
        /** Beside the logo: seen while the pass is in a stack. */
        header?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** Large, in the middle. */
        primary?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** Below the primary fields. */
        secondary?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** Below the secondary fields. */
        auxiliary?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** On the back. */
        back?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
      }
      /** Null: there is none. */
      barcode?: {
        /** The symbology of the barcode. */
        format: 'qr' | 'pdf417' | 'aztec' | 'code128'
        /** What it holds. {{payload}} stands for what our scans verify, {{name}} for a value of the pass. */
        message?: string
        /** The text below the barcode; null: none. */
        alt_text?: string | null
      } | null
      /** The message to an NFC reader; null: none. */
      nfc?: {
        /** What a reader gets, 64 bytes at most; {{payload}} stands for what our scans verify. */
        message?: string
        /** The public key of the readers: P-256, X.509 SubjectPublicKeyInfo in base64. */
        encryption_public_key: string
        /** Whether the holder has to unlock the device first. */
        requires_authentication?: boolean
      } | null
      /** Whether a pass counts at its first scan only. */
      one_time?: boolean
      /** When the event is or the train leaves, ISO 8601; null: none. */
      relevant_at?: string | null
      /** The end of passes without an end of their own, ISO 8601; null: never. */
      expires_at?: string | null
      /** Places near which the wallet offers the pass. */
      locations?: ({
        /** In degrees, -90 to 90. */
        latitude: number
        /** In degrees, -180 to 180. */
        longitude: number
        /** Shown on the locked screen near it; null: a text of the wallet’s. */
        relevant_text?: string | null
      })[]
      /** Translations by language, for example de: for a text of the template the text in that language. */
      localizations?: { [key: string]: { [key: string]: string } }
      /** The version you read: 409 version_conflict where it is not the latest any more. */
      if_version?: number
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
    }
    answer: PassTemplate
  }
  /** Archives a pass template for ever: no passes are issued from it any more. Scope write. */
  archivePassTemplate: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PassTemplate
  }
  /** Shows what passes of a template look like, as a page that is whole in itself. Scope read. */
  getPassTemplatePreview: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Language of the preview; the template's own words if left out or not translated. */
      language?: string
    }
    answer: string
  }
  /** Shows what passes of a template would look like after a change, which is not made. Scope read. */
  previewPassTemplate: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The name of the issuer, for the holder. */
      organization_name?: string
      /** A description of the pass in a sentence, for screen readers. */
      description?: string
      /** Beside the logo; null: nothing. Left out: null. */
      logo_text?: string | null
      /** The colors of the front. */
      colors?: {
        /** Of the front, #rrggbb. */
        background?: string
        /** The color of values, #rrggbb. Left out: a colour that is readable on the background. */
        foreground?: string
        /** Of labels, #rrggbb. Left out: a colour that is readable on the background. */
        label?: string
      }
      /** Pictures by where they stand; each is the id of an image. */
      images?: {
        /** In messages, and where the pass is small. */
        icon?: string | null
        /** Top left. */
        logo?: string | null
        /** Behind the primary fields of store cards, coupons and event tickets. */
        strip?: string | null
        /** Beside the fields of generic passes and event tickets. */
        thumbnail?: string | null
        /** Behind the whole front of an event ticket. */
        background?: string | null
        /** Above the barcode of a boarding pass. */
        footer?: string | null
      }
      /** What stands on a pass, and where. */
      fields?: {
        /** Beside the logo: seen while the pass is in a stack. */
        header?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** Large, in the middle. */
        primary?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** Below the primary fields. */
        secondary?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** Below the secondary fields. */
        auxiliary?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** On the back. */
        back?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
      }
      /** Null: there is none. Left out: null. */
      barcode?: {
        /** The symbology of the barcode. */
        format: 'qr' | 'pdf417' | 'aztec' | 'code128'
        /** What it holds. {{payload}} stands for what our scans verify, {{name}} for a value of the pass. */
        message?: string
        /** The text below the barcode; null: none. Left out: null. */
        alt_text?: string | null
      } | null
      /** The message to an NFC reader; null: none. Left out: null. */
      nfc?: {
        /** What a reader gets, 64 bytes at most; {{payload}} stands for what our scans verify. */
        message?: string
        /** The public key of the readers: P-256, X.509 SubjectPublicKeyInfo in base64. */
        encryption_public_key: string
        /** Whether the holder has to unlock the device first. */
        requires_authentication?: boolean
      } | null
      /** Whether a pass counts at its first scan only. */
      one_time?: boolean
      /** When the event is or the train leaves, ISO 8601; null: none. Left out: null. */
      relevant_at?: string | null
      /** The end of passes without an end of their own, ISO 8601; null: never. */
      expires_at?: string | null
      /** Places near which the wallet offers the pass. */
      locations?: ({
        /** In degrees, -90 to 90. */
        latitude: number
        /** In degrees, -180 to 180. */
        longitude: number
        /** Shown on the locked screen near it; null: a text of the wallet’s. */
        relevant_text?: string | null
      })[]
      /** Translations by language, for example de: for a text of the template the text in that language. */
      localizations?: { [key: string]: { [key: string]: string } }
      /** Name of the holder; an invented name if left out. */
      holder_name?: string
      /** Values of the placeholders; invented values if left out. */
      values?: { [key: string]: string }
      /** Language of the preview; the template's own words if left out or not translated. */
      language?: string
    }
    answer: string
  }
  /** Shows what passes of a template would look like, which is not made. Scope read. */
  previewPassTemplates: {
    input: {
      /** The name of the issuer, for the holder. */
      organization_name: string
      /** A description of the pass in a sentence, for screen readers. */
      description: string
      /** Beside the logo; null: nothing. Left out: null. */
      logo_text?: string | null
      /** The colors of the front. */
      colors?: {
        /** Of the front, #rrggbb. */
        background?: string
        /** The color of values, #rrggbb. Left out: a colour that is readable on the background. */
        foreground?: string
        /** Of labels, #rrggbb. Left out: a colour that is readable on the background. */
        label?: string
      }
      /** Pictures by where they stand; each is the id of an image. */
      images?: {
        /** In messages, and where the pass is small. */
        icon?: string | null
        /** Top left. */
        logo?: string | null
        /** Behind the primary fields of store cards, coupons and event tickets. */
        strip?: string | null
        /** Beside the fields of generic passes and event tickets. */
        thumbnail?: string | null
        /** Behind the whole front of an event ticket. */
        background?: string | null
        /** Above the barcode of a boarding pass. */
        footer?: string | null
      }
      /** What stands on a pass, and where. */
      fields?: {
        /** Beside the logo: seen while the pass is in a stack. */
        header?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** Large, in the middle. */
        primary?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** Below the primary fields. */
        secondary?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** Below the secondary fields. */
        auxiliary?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
        /** On the back. */
        back?: ({
          /** The key of the field, unique in the template. */
          key: string
          /** What stands above the value. */
          label?: string
          /** Text in which {{name}} stands for that value of a pass. */
          value: string
          /** The notification to the holder when the value changes; %@ stands for the new value. Null: no notification. Left out: null. */
          change_message?: string | null
          /** The format of the value. A date has to be ISO 8601, a number or an amount a decimal number. */
          format?: 'number' | 'currency' | 'date' | 'date_time' | 'text'
          /** For an amount: its currency, ISO 4217. */
          currency?: string | null
          /** To which side it stands; natural: as the language is written. */
          alignment?: 'natural' | 'left' | 'center' | 'right'
        })[]
      }
      /** Null: there is none. Left out: null. */
      barcode?: {
        /** The symbology of the barcode. */
        format: 'qr' | 'pdf417' | 'aztec' | 'code128'
        /** What it holds. {{payload}} stands for what our scans verify, {{name}} for a value of the pass. */
        message?: string
        /** The text below the barcode; null: none. Left out: null. */
        alt_text?: string | null
      } | null
      /** The message to an NFC reader; null: none. Left out: null. */
      nfc?: {
        /** What a reader gets, 64 bytes at most; {{payload}} stands for what our scans verify. */
        message?: string
        /** The public key of the readers: P-256, X.509 SubjectPublicKeyInfo in base64. */
        encryption_public_key: string
        /** Whether the holder has to unlock the device first. */
        requires_authentication?: boolean
      } | null
      /** Whether a pass counts at its first scan only. */
      one_time?: boolean
      /** When the event is or the train leaves, ISO 8601; null: none. Left out: null. */
      relevant_at?: string | null
      /** The end of passes without an end of their own, ISO 8601; null: never. */
      expires_at?: string | null
      /** Places near which the wallet offers the pass. */
      locations?: ({
        /** In degrees, -90 to 90. */
        latitude: number
        /** In degrees, -180 to 180. */
        longitude: number
        /** Shown on the locked screen near it; null: a text of the wallet’s. */
        relevant_text?: string | null
      })[]
      /** Translations by language, for example de: for a text of the template the text in that language. */
      localizations?: { [key: string]: { [key: string]: string } }
      /** The style of the pass; it never changes. */
      style: 'generic' | 'store_card' | 'coupon' | 'event_ticket' | 'boarding_pass'
      /** For boarding passes: the means of transport. */
      transit_type?: 'air' | 'boat' | 'bus' | 'train' | 'generic'
      /** Name of the holder; an invented name if left out. */
      holder_name?: string
      /** Values of the placeholders; invented values if left out. */
      values?: { [key: string]: string }
      /** Language of the preview; the template's own words if left out or not translated. */
      language?: string
    }
    answer: string
  }
  /** Lists passes, newest first. Scope read. */
  listPasses: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** Active from its issuance, installed while a wallet has it, removed when none has it any more, revoked for ever. */
      status?: 'active' | 'installed' | 'removed' | 'revoked'
      /** The pass template. */
      template_id?: string
      /** The card that it represents; null: none. */
      card_id?: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: PassList
  }
  /** Issues a pass from a template. Scope write. */
  createPass: {
    input: object
    answer: Pass
  }
  /** Says how many passes there are. Scope read. */
  getPassesCount: {
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
      /** The state it is in. */
      status?: 'active' | 'installed' | 'removed' | 'revoked'
      /** The pass template. */
      template_id?: string
      /** The card. */
      card_id?: string
      /** Your own id of it, unique among resources of this kind. */
      external_id?: string
    }
    answer: PassCount
  }
  /** Counts passes that were put into wallets and taken out of them, day by day. Scope read. */
  getPassesStatistics: {
    input: {
      /** Days until today, today included; 30 when left out. */
      days?: number
      /** The pass template. */
      template_id?: string
    }
    answer: PassStatistics
  }
  /** Returns one pass. Scope read. */
  getPass: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Pass
  }
  /** Changes a pass; the wallets that have it follow. Scope write. */
  updatePass: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Null: without a holder's name. */
      holder_name?: string | null
      /** Merged with those it has; null takes one away. */
      values?: { [key: string]: string | null }
      /** Null: it represents none. */
      card_id?: string | null
      /** ISO 8601; null: the end in its template. */
      expires_at?: string | null
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
    }
    answer: Pass
  }
  /** Issues up to 100 passes. Each has its result; what is refused leaves the others. Scope write. */
  batchPasses: {
    input: {
      /** Passes to issue, 1 to 100. */
      passes: PassInput[]
    }
    answer: PassBatch
  }
  /** Changes up to 100 passes. Each has its result; what is refused leaves the others. Scope write. */
  batchUpdatePasses: {
    input: {
      /** Passes to change, 1 to 100, each at most once. */
      passes: PassUpdate[]
    }
    answer: PassBatch
  }
  /** Revokes up to 1,000 passes for ever. Each has its result. Scope write. */
  batchRevokePasses: {
    input: {
      /** Passes, 1 to 1,000. */
      ids: string[]
      /** Why, in your words; shown wherever the change is shown. */
      reason?: string
    }
    answer: PassBatch
  }
  /** Revokes a pass for ever: no scan of it is valid any more. Scope write. */
  revokePass: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Why, in your words; shown wherever the change is shown. */
      reason?: string
    }
    answer: Pass
  }
  /** Lists scanners, newest first. Scope read. */
  listScanners: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: ScannerList
  }
  /** Registers a scanner. Scope write. */
  createScanner: {
    input: {
      /** The name, for people. */
      name: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
      metadata?: { [key: string]: string }
    }
    answer: Scanner
  }
  /** Returns one scanner. Scope read. */
  getScanner: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Scanner
  }
  /** Changes name, external_id and metadata of a scanner. Scope write. */
  updateScanner: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The name, for people. */
      name?: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
    }
    answer: Scanner
  }
  /** Takes a scanner away for ever: nothing is scanned with it any more. Scope write. */
  deleteScanner: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** The kind of resource. */
      object: 'scanner'
      /** It is gone. */
      deleted: true
    }
  }
  /** Lists scans, newest first. Scope read. */
  listPassScans: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The pass; null if the payload names none of yours. */
      pass_id?: string
      /** The scanner. */
      scanner_id?: string
      /** Valid; replayed: it counts once and was scanned before; revoked; expired; forged: its check is wrong; unknown: it is no pass of yours. */
      verification_result?: 'valid' | 'replayed' | 'revoked' | 'expired' | 'forged' | 'unknown'
    }
    answer: PassScanList
  }
  /** Returns one scan. Scope read. */
  getPassScan: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PassScan
  }
  /** Verifies what a scanner read, and records it. Scope write. */
  scanPasses: {
    input: {
      /** The full text that the scanner read from the barcode or by NFC. */
      payload: string
      /** The scanner. */
      scanner_id: string
      /** Barcode or NFC; barcode if left out. */
      medium?: 'barcode' | 'nfc'
      /** Latitude of the scanner in degrees; requires longitude. */
      latitude?: number
      /** Longitude of the scanner in degrees; requires latitude. */
      longitude?: number
    }
    answer: PassScan
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** Dismissed: the cardholder is another person. Confirmed: the cardholder is the person on the list and stays frozen. */
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** Only cardholders with this status. */
      status?: 'active' | 'inactive'
      /** The program. */
      program_id?: string
      /** Where they are written to; null where it is not known. */
      email?: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: CardholderList
  }
  /** Creates a cardholder; their identity is verified as soon as first and last name, date of birth and address are known. Scope write. */
  createCardholder: {
    input: {
      /** The program. */
      program_id: string
      /** Cardholders are persons. */
      type?: 'individual'
      /** The whole name. */
      name?: string
      /** The given name; null where only the whole name is known. */
      first_name?: string
      /** The family name; null where only the whole name is known. */
      last_name?: string
      /** Where they are written to; null where it is not known. */
      email?: string
      /** E.164. */
      phone?: string
      /** YYYY-MM-DD. */
      date_of_birth?: string
      /** Where they live; null where it is not known. */
      address?: {
        /** Street and number. */
        line1: string
        /** What else the address needs; null where nothing. */
        line2?: string
        /** The city. */
        city: string
        /** State, province or region; null where there is none. */
        state?: string
        /** The postal code; null where there is none. */
        postal_code?: string
        /** ISO 3166-1 alpha-2. */
        country: string
      }
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
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
      /** The whole name. */
      name?: string
      /** The given name; null where only the whole name is known. */
      first_name?: string | null
      /** The family name; null where only the whole name is known. */
      last_name?: string | null
      /** Where they are written to; null where it is not known. */
      email?: string | null
      /** E.164. */
      phone?: string | null
      /** YYYY-MM-DD. */
      date_of_birth?: string | null
      /** Where they live; null where it is not known. */
      address?: {
        /** Street and number. */
        line1: string
        /** What else the address needs; null where nothing. */
        line2?: string
        /** The city. */
        city: string
        /** State, province or region; null where there is none. */
        state?: string
        /** The postal code; null where there is none. */
        postal_code?: string
        /** ISO 3166-1 alpha-2. */
        country: string
      } | null
      /** Every authorization of an inactive cardholder is declined. */
      status?: 'active' | 'inactive'
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
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
      /** Why, in your words; shown wherever the change is shown. Left out: none is kept. */
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
  /** Erases a person for good, when all their cards are terminated: name, details, external_id and metadata leave every resource and event. Scope write. */
  eraseCardholder: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Cardholder
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The level of the subject it binds: a program, a cardholder, a card or a payment account. */
      scope?: 'program' | 'cardholder' | 'card' | 'payment_account'
      /** The program, cardholder, card or payment account that it binds. */
      subject_id?: string
      /** A draft only reports; an active control binds; a retired one does neither. */
      state?: 'draft' | 'active' | 'retired'
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: SpendingControlList
  }
  /** Makes a spending control on a program, a cardholder or a card; as a draft it is judged in shadow only. Scope write. */
  createSpendingControl: {
    input: {
      /** The level of the subject it binds: a program, a cardholder, a card or a payment account. */
      scope: 'program' | 'cardholder' | 'card' | 'payment_account'
      /** The program, cardholder, card or payment account that it binds. */
      subject_id: string
      /** A draft only reports; an active control binds; a retired one does neither. */
      state?: 'draft' | 'active'
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
      metadata?: { [key: string]: string }
      /** Codes, and ranges 3000-3299. Left out: null. */
      allowed_mccs?: string[] | null
      /** Codes, and ranges 3000-3299; instead of allowed_mccs, as with every pair here. Left out: null. */
      blocked_mccs?: string[] | null
      /** Names of categories; with allowed_mccs they are one list. Left out: null. */
      allowed_categories?: string[] | null
      /** Names of categories that are declined; with blocked_mccs they are one list. Left out: null. */
      blocked_categories?: string[] | null
      /** Only these merchants, by the network’s id; null: all. Left out: null. */
      allowed_merchant_ids?: string[] | null
      /** Not these merchants, by the network’s id. Left out: null. */
      blocked_merchant_ids?: string[] | null
      /** Only merchants in these countries, ISO 3166-1 alpha-2; null: all. Left out: null. */
      allowed_countries?: string[] | null
      /** No merchants in these countries, ISO 3166-1 alpha-2. Left out: null. */
      blocked_countries?: string[] | null
      /** Only these currencies of the merchant, ISO 4217; null: all. Left out: null. */
      allowed_currencies?: string[] | null
      /** Not these currencies of the merchant, ISO 4217. Left out: null. */
      blocked_currencies?: string[] | null
      /** Only with the card’s number got like this; null: any way. Left out: null. */
      allowed_entry_methods?: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
      /** Not with the card’s number got like this. Left out: null. */
      blocked_entry_methods?: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
      /** Only with the card present, or only without; null: both. Left out: null. */
      allowed_card_presence?: ('present' | 'not_present')[] | null
      /** Not with the card present, or not without. Left out: null. */
      blocked_card_presence?: ('present' | 'not_present')[] | null
      /** Only these kinds of authorization requests; null: all. Left out: null. */
      allowed_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
      /** Not these kinds of authorization requests. Left out: null. */
      blocked_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
      /** Only from these wallets, by provider; null: with or without any. Left out: null. */
      allowed_wallets?: string[] | null
      /** Not from these wallets, by provider. Left out: null. */
      blocked_wallets?: string[] | null
      /** Online payments need a 3DS authentication. */
      authentication?: 'required' | null
      /** Chip cards whose stripe was read are declined. */
      fallback?: 'blocked' | null
      /** One approved authorization, of exactly or at most an amount. */
      single_use?: {
        /** exact: the one authorization must be of amount_cents. max: it may be of less. */
        mode: 'exact' | 'max'
        /** The amount, in minor units of the card’s currency; null: any. */
        amount_cents: number | null
      } | null
      /** Only the merchant of the first approved authorization. */
      merchant_lock?: boolean
      /** Approved authorizations after which nothing more is. Left out: null. */
      cancel_after?: number | null
      /** Open in any of the periods; none is open always. */
      schedule?: SchedulePeriodInput[]
      /** How much, and how often. */
      limits?: ControlLimitInput[]
    }
    answer: SpendingControl
  }
  /** Returns one spending control. Scope read. */
  getSpendingControl: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: SpendingControl
  }
  /** Makes a new version of a spending control; what is left out stays as it is. Scope write. */
  updateSpendingControl: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The version you read: 409 version_conflict where it is not the latest any more. */
      if_version?: number
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
      /** Codes, and ranges 3000-3299. */
      allowed_mccs?: string[] | null
      /** Codes, and ranges 3000-3299; instead of allowed_mccs, as with every pair here. */
      blocked_mccs?: string[] | null
      /** Names of categories; with allowed_mccs they are one list. */
      allowed_categories?: string[] | null
      /** Names of categories that are declined; with blocked_mccs they are one list. */
      blocked_categories?: string[] | null
      /** Only these merchants, by the network’s id; null: all. */
      allowed_merchant_ids?: string[] | null
      /** Not these merchants, by the network’s id. */
      blocked_merchant_ids?: string[] | null
      /** Only merchants in these countries, ISO 3166-1 alpha-2; null: all. */
      allowed_countries?: string[] | null
      /** No merchants in these countries, ISO 3166-1 alpha-2. */
      blocked_countries?: string[] | null
      /** Only these currencies of the merchant, ISO 4217; null: all. */
      allowed_currencies?: string[] | null
      /** Not these currencies of the merchant, ISO 4217. */
      blocked_currencies?: string[] | null
      /** Only with the card’s number got like this; null: any way. */
      allowed_entry_methods?: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
      /** Not with the card’s number got like this. */
      blocked_entry_methods?: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
      /** Only with the card present, or only without; null: both. */
      allowed_card_presence?: ('present' | 'not_present')[] | null
      /** Not with the card present, or not without. */
      blocked_card_presence?: ('present' | 'not_present')[] | null
      /** Only these kinds of authorization requests; null: all. */
      allowed_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
      /** Not these kinds of authorization requests. */
      blocked_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
      /** Only from these wallets, by provider; null: with or without any. */
      allowed_wallets?: string[] | null
      /** Not from these wallets, by provider. */
      blocked_wallets?: string[] | null
      /** Online payments need a 3DS authentication. */
      authentication?: 'required' | null
      /** Chip cards whose stripe was read are declined. */
      fallback?: 'blocked' | null
      /** One approved authorization, of exactly or at most an amount. */
      single_use?: {
        /** exact: the one authorization must be of amount_cents. max: it may be of less. */
        mode: 'exact' | 'max'
        /** The amount, in minor units of the card’s currency; null: any. */
        amount_cents: number | null
      } | null
      /** Only the merchant of the first approved authorization. */
      merchant_lock?: boolean
      /** Approved authorizations after which nothing more is. */
      cancel_after?: number | null
      /** Open in any of the periods; none is open always. */
      schedule?: SchedulePeriodInput[]
      /** How much, and how often. */
      limits?: ControlLimitInput[]
    }
    answer: SpendingControl
  }
  /** Lists every version a spending control ever had, newest first. Scope read. */
  listSpendingControlVersions: {
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: SpendingControlVersionList
  }
  /** Counts what a spending control’s drafts would have done to the authorizations they judged. Scope read. */
  getSpendingControlShadow: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: SpendingControlShadow
  }
  /** Activates a draft: from then on it binds. Scope write. */
  activateSpendingControl: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: SpendingControl
  }
  /** Retires a spending control: it binds nothing any more. Scope write. */
  retireSpendingControl: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: SpendingControl
  }
  /** Judges recorded authorizations by changed terms of a spending control, which itself stays as it is. Scope write. */
  createSpendingControlBacktest: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Days up to now whose authorizations are judged; 30 when it is left out. */
      days?: number
      /** Codes, and ranges 3000-3299. Left out: null. */
      allowed_mccs?: string[] | null
      /** Codes, and ranges 3000-3299; instead of allowed_mccs, as with every pair here. Left out: null. */
      blocked_mccs?: string[] | null
      /** Names of categories; with allowed_mccs they are one list. Left out: null. */
      allowed_categories?: string[] | null
      /** Names of categories that are declined; with blocked_mccs they are one list. Left out: null. */
      blocked_categories?: string[] | null
      /** Only these merchants, by the network’s id; null: all. Left out: null. */
      allowed_merchant_ids?: string[] | null
      /** Not these merchants, by the network’s id. Left out: null. */
      blocked_merchant_ids?: string[] | null
      /** Only merchants in these countries, ISO 3166-1 alpha-2; null: all. Left out: null. */
      allowed_countries?: string[] | null
      /** No merchants in these countries, ISO 3166-1 alpha-2. Left out: null. */
      blocked_countries?: string[] | null
      /** Only these currencies of the merchant, ISO 4217; null: all. Left out: null. */
      allowed_currencies?: string[] | null
      /** Not these currencies of the merchant, ISO 4217. Left out: null. */
      blocked_currencies?: string[] | null
      /** Only with the card’s number got like this; null: any way. Left out: null. */
      allowed_entry_methods?: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
      /** Not with the card’s number got like this. Left out: null. */
      blocked_entry_methods?: ('chip' | 'contactless' | 'swipe' | 'manual' | 'online' | 'stored_credential' | 'ocr' | 'unknown')[] | null
      /** Only with the card present, or only without; null: both. Left out: null. */
      allowed_card_presence?: ('present' | 'not_present')[] | null
      /** Not with the card present, or not without. Left out: null. */
      blocked_card_presence?: ('present' | 'not_present')[] | null
      /** Only these kinds of authorization requests; null: all. Left out: null. */
      allowed_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
      /** Not these kinds of authorization requests. Left out: null. */
      blocked_kinds?: ('initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser' | 'payment')[] | null
      /** Only from these wallets, by provider; null: with or without any. Left out: null. */
      allowed_wallets?: string[] | null
      /** Not from these wallets, by provider. Left out: null. */
      blocked_wallets?: string[] | null
      /** Online payments need a 3DS authentication. */
      authentication?: 'required' | null
      /** Chip cards whose stripe was read are declined. */
      fallback?: 'blocked' | null
      /** One approved authorization, of exactly or at most an amount. */
      single_use?: {
        /** exact: the one authorization must be of amount_cents. max: it may be of less. */
        mode: 'exact' | 'max'
        /** The amount, in minor units of the card’s currency; null: any. */
        amount_cents: number | null
      } | null
      /** Only the merchant of the first approved authorization. */
      merchant_lock?: boolean
      /** Approved authorizations after which nothing more is. Left out: null. */
      cancel_after?: number | null
      /** Open in any of the periods; none is open always. */
      schedule?: SchedulePeriodInput[]
      /** How much, and how often. */
      limits?: ControlLimitInput[]
    }
    answer: SpendingControlBacktest
  }
  /** Lists the backtests of a spending control, newest first. Scope read. */
  listSpendingControlBacktests: {
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: SpendingControlBacktestList
  }
  /** Returns one backtest of a spending control. Scope read. */
  getSpendingControlBacktest: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The backtest. */
      backtest: string
    }
    answer: SpendingControlBacktest
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: WalletTokenList
  }
  /** Records that a card was put into a wallet. Scope write. */
  createWalletToken: {
    input: {
      /** The card. */
      card_id: string
      /** The provider of the wallet, for example apple_pay. */
      provider: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
      metadata?: { [key: string]: string }
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
  /** Changes external_id and metadata of a wallet token. Scope write. */
  updateWalletToken: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
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
      /** Only brand, last four digits and expiry are ever shown again. */
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
      /** The kind of resource. */
      object: 'token'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** Unix seconds from which it is worth nothing. */
      expires_at: number
      /** Unix seconds; null while it is unused. */
      used_at: number | null
      /** The details of the card that may be shown. */
      card: {
        /** The card’s brand, as its number says. */
        brand: 'visa' | 'mastercard' | 'amex' | 'discover' | 'unknown'
        /** The last four digits of the number. */
        last4: string
        /** The month in which the card expires, 1 to 12. */
        exp_month: number
        /** The year in which the card expires, four digits. */
        exp_year: number
      }
      /** The tenant's card with exactly these details, the CVC included where one was given; null where there is none. */
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** Virtual, or physical with a shipment. */
      type?: 'virtual' | 'physical'
      /** The last four digits of the number. */
      last4?: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: CardList
  }
  /** Issues a card to a cardholder: a virtual one works at once, a physical one is sent. Scope write. */
  createCard: {
    input: {
      /** The cardholder. */
      cardholder_id: string
      /** Virtual, or physical with a shipment. */
      type: 'virtual' | 'physical'
      /** What its amounts are in, an ISO 4217 code; that of its program, else USD, when left out. */
      currency?: string
      /** At most the characters that fit on a card. Left out: the name of the cardholder. */
      name_on_card?: string
      /** Address of the shipment: a physical card needs it, a virtual one has none. */
      shipping?: {
        /** The name of the recipient. */
        name: string
        /** Street and number. */
        line1: string
        /** What else the address needs; null where nothing. */
        line2?: string
        /** The city. */
        city: string
        /** State, province or region. */
        state?: string
        /** The postal code; null where there is none. */
        postal_code?: string
        /** ISO 3166 code, two capital letters. */
        country: string
      }
      /** Limits of the card itself, one per interval and zone. */
      limits?: ({
        /** The span that is counted together: a calendar day, week, month or year of time_zone, each authorization alone, or everything. */
        interval: 'per_authorization' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'all_time'
        /** 0 allows nothing; no limit is an absent one. */
        amount_cents: number
        /** That of the card, and no other. */
        currency?: string
        /** IANA name of the zone in which days, weeks, months and years begin; UTC when left out. */
        time_zone?: string
      })[]
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
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
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
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
      /** A card token (/v1/tokens) of the whole card, instead of last4; it is used up. */
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
      /** The party that asks for it: cardholder, or you if it is left out. A cardholder may not lift your own suspension. */
      on_behalf_of?: 'cardholder'
    }
    answer: Card
  }
  /** Makes a suspended card active again. Scope write. */
  resumeCard: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Left out: you act for yourself. */
      on_behalf_of?: 'cardholder'
      /** True if you know that a fraud rule suspended the card. Without it such a card stays suspended. */
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
      /** The details that the token shows; all of them when left out. */
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
      /** The kind, one of the listed values. */
      kind?: 'authorization' | 'account_verification' | 'balance_inquiry'
      /** The amount that is requested, added, reversed, captured or refunded, by kind; 0 for a verification or an inquiry. */
      amount_cents: number
      /** The card's own where it is left out. */
      currency?: string
      /** Where the card is used. */
      merchant: {
        /** The merchant’s id, as the network sends it. */
        id: string
        /** The merchant’s name, as the network sends it. */
        name?: string
        /** The merchant’s category, four digits (ISO 18245). */
        mcc: string
        /** Where the merchant is. */
        city?: string
        /** Where the merchant is, ISO 3166-1 alpha-2. */
        country: string
      }
      /** The type of the transaction: purchase, cash_withdrawal, quasi_cash and so on; others count as unknown. */
      transaction_type?: string
      /** How the terminal got the card’s number: chip, contactless, swipe, manual, online and so on. */
      entry_method?: string
      /** The terminal read the stripe because the chip would not be read. */
      fallback_from_chip?: boolean
      /** The party that began it: the cardholder, or the merchant with stored details. */
      initiator?: 'cardholder' | 'merchant'
      /** One of a series of payments. */
      recurring?: boolean
      /** The terminal can take less than it asked for. */
      partial_approval_capable?: boolean
      /** The part of the amount that is paid out in cash, in minor units; with the fee at most the amount. */
      cashback_cents?: number
      /** The part of the amount that the terminal takes as a fee, in minor units; with the cashback at most the amount. */
      fee_cents?: number
      /** The amount as the network converted it into the card’s currency. */
      billing?: {
        /** In minor units of the card’s currency. */
        amount_cents: number
        /** The card’s currency, ISO 4217. */
        currency: string
        /** Units of the card’s currency for one of the message’s, a decimal number as text. */
        rate?: string
      }
      /** The wallet that the card was used from. */
      wallet?: {
        /** The provider of the wallet, for example apple_pay. */
        provider?: string
        /** The wallet token that stands for the card. */
        token_id: string
      }
      /** The merchant's claim about a 3DS authentication. */
      three_ds?: {
        /** The id of the 3DS transaction, by which the issuer’s own result is found. */
        transaction_id?: string
        /** What the merchant says came of the authentication. */
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
      /** Every limit that binds the card: its own, its cardholder’s and its program’s. */
      limits: ({
        /** The span that is counted together: a calendar day, week, month or year of time_zone, each authorization alone, or everything. */
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
      /** Four to twelve digits, stored as a keyed hash and never shown. */
      pin: string
    }
    answer: Card
  }
  /** Records what the access control server found out in a 3DS transaction. Scope write. */
  createAuthentication: {
    input: {
      /** The id of the 3DS transaction, as the directory server gave it. */
      three_ds_transaction_id: string
      /** The card. */
      card_id: string
      /** The result of the cardholder's authentication. */
      result: 'authenticated' | 'attempted' | 'failed'
      /** How long the result counts, in seconds; 900 when left out. */
      valid_seconds?: number
    }
    answer: Authentication
  }
  /** Returns what was found out in one 3DS transaction. Scope read. */
  getAuthentication: {
    input: {
      /** The id, for ever the same. */
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** authorization_request.kind. */
      kind?: 'initial' | 'incremental' | 'account_verification' | 'balance_inquiry' | 'refund' | 'cash_withdrawal' | 'cash_advance' | 'quasi_cash' | 'account_funding' | 'original_credit' | 'bill_payment' | 'fuel_dispenser'
      /** Stand-in decided any of its authorization requests. */
      stand_in?: 'true' | 'false'
      /** Stand-in decided, and the tenant acknowledged every such decision; false: one of them is open. */
      stand_in_acknowledged?: 'true' | 'false'
      /** The tenant replied after the deadline. */
      late_answer?: 'true' | 'false'
      /** The network’s own id of the transaction. */
      network_transaction_id?: string
      /** The merchant’s id, as the network sends it. */
      merchant_id?: string
      /** Start of the merchant's name; A and a, to Z and z, are the same. */
      merchant_name?: string
      /** The merchant’s category, four digits (ISO 18245). */
      mcc?: string
      /** At least this amount, in minor units of the card’s currency. */
      min_amount_cents?: number
      /** At most this amount, in minor units of the card’s currency. */
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: CardTransactionMessageList
  }
  /** Acknowledges the decisions of stand-in on card transactions, which then leave the list of open ones. Scope write. */
  acknowledgeStandIn: {
    input: {
      /** Transactions of which stand-in decided an authorization request. */
      transaction_ids: string[]
    }
    answer: StandInAcknowledgement
  }
  /** Counts authorization requests step by step: approvals, reasons, answer times, stand-in. Scope read. */
  getAuthorizationStatistics: {
    input: {
      /** Begin of the period, ISO 8601, widened to whole steps; 24 hours before its end when left out. */
      from?: string
      /** End of the period, ISO 8601, widened to whole steps; now when left out. */
      to?: string
      /** Length of a step, hour when left out. Minutes reach back 48 hours, hours and days 400 days. */
      step?: 'minute' | 'hour' | 'day'
      /** The program. */
      program_id?: string
    }
    answer: AuthorizationStatistics
  }
  /** Counts the newest 1,000 declines by the category of their merchants. Scope read. */
  getAuthorizationStatisticsDeclineCategories: {
    input: object
    answer: DeclineCategories
  }
  /** Streams new card transactions as server-sent events: counts of all, and at most 20 of each moment. Scope read. */
  getCardTransactionsStream: {
    input: object
    answer: ReadableStream<Uint8Array>
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: DisputeList
  }
  /** Files a dispute of a captured transaction, or of a part of it. Scope write. */
  createDispute: {
    input: {
      /** The card transaction. */
      transaction_id: string
      /** The disputed amount; all that was captured and neither refunded nor disputed when left out. */
      amount_cents?: number
      /** Why the cardholder does not accept the charge. */
      reason: 'fraudulent' | 'not_received' | 'duplicate' | 'product_unacceptable' | 'credit_not_processed' | 'canceled' | 'other'
      /** In the cardholder’s words. Left out: null. */
      explanation?: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
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
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: DisputeEvidenceList
  }
  /** Adds evidence, as text or named fields, to a dispute that awaits its response. Scope write. */
  createDisputeEvidence: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The kind of evidence. */
      kind: 'statement' | 'receipt' | 'correspondence' | 'shipping' | 'cancellation' | 'credit_promise' | 'other'
      /** The evidence in words. Send text, fields or both. */
      text?: string
      /** The evidence in the fields that networks ask for by name. */
      fields?: {
        /** The goods or service that was bought. */
        product?: string
        /** When it was to arrive. */
        expected_at?: string
        /** When it arrived. */
        received_at?: string
        /** When it was sent back. */
        returned_at?: string
        /** When it was canceled. */
        canceled_at?: string
        /** When the cardholder spoke to the merchant. */
        merchant_contacted_at?: string
        /** The carrier of the shipment. */
        carrier?: string
        /** By which the carrier finds it. */
        tracking_number?: string
        /** The transaction that this one repeats. */
        duplicate_of?: string
        /** The amount that the merchant promised to refund, in minor units of the dispute's currency. */
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The field in which they differ. */
      kind?: 'amount_mismatch' | 'currency_mismatch' | 'missing_here' | 'missing_in_file' | 'named_twice'
      /** The network’s own id of the message; null where there was none. */
      message_id?: string
      /** The card transaction. */
      transaction_id?: string
    }
    answer: ClearingExceptionList
  }
  /** Lists settlement accounts: the addresses on the chain to which you are paid. Scope read. */
  listSettlementAccounts: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: SettlementAccountList
  }
  /** Makes a settlement account; in live it is usable a day later. Scope admin. */
  createSettlementAccount: {
    input: {
      /** The address on the chain, with the checksum of EIP-55. */
      address: string
      /** The name that the holder reads before approving a payment. */
      name: string
      /** The merchant’s category, four digits (ISO 18245). */
      mcc: string
      /** ISO 3166-1 alpha-2. */
      country: string
      /** When batches are closed; continuously when left out. */
      schedule?: {
        /** continuous: whenever something waits; daily: once a day at the hour. */
        interval: 'continuous'
      } | {
        /** continuous: whenever something waits; daily: once a day at the hour. */
        interval: 'daily'
        /** The hour of a daily cut-off, 0 to 23, UTC. */
        hour: number
      }
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
      metadata?: { [key: string]: string }
    }
    answer: SettlementAccount
  }
  /** Shows a settlement account. Scope read. */
  getSettlementAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: SettlementAccount
  }
  /** Changes name, schedule, external_id and metadata of a settlement account. Scope admin. */
  updateSettlementAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The name that the holder reads before approving. */
      name?: string
      /** When batches are closed. */
      schedule?: {
        /** continuous: whenever something waits; daily: once a day at the hour. */
        interval: 'continuous'
      } | {
        /** continuous: whenever something waits; daily: once a day at the hour. */
        interval: 'daily'
        /** The hour of a daily cut-off, 0 to 23, UTC. */
        hour: number
      }
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string | null
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. */
      metadata?: { [key: string]: string | null }
    }
    answer: SettlementAccount
  }
  /** Disables a settlement account for ever: no new payment can name it. Scope admin. */
  disableSettlementAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: SettlementAccount
  }
  /** Lists settlement batches: the chain transactions in which you are paid. Scope read. */
  listSettlementBatches: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** Completed only when the block is final. */
      status?: 'open' | 'submitted' | 'included' | 'completed' | 'failed'
      /** The account that is paid. */
      settlement_account_id?: string
    }
    answer: SettlementBatchList
  }
  /** Shows a settlement batch with its sums and its transaction. Scope read. */
  getSettlementBatch: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: SettlementBatch
  }
  /** Lists the payments of a settlement batch, newest first. Scope read. */
  listSettlementBatchPayments: {
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
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: PaymentList
  }
  /** Shows what waits for settlement, what is in it, and what was paid out. Scope read. */
  getSettlementBalance: {
    input: {
      /** The account that the sums are of; null for all of the tenant’s. */
      settlement_account_id?: string
    }
    answer: SettlementBalance
  }
  /** Shows how old the captures are that wait for settlement or are in it. Scope read. */
  getSettlementAges: {
    input: {
      /** The account that the sums are of; null for all of the tenant’s. */
      settlement_account_id?: string
    }
    answer: SettlementAges
  }
  /** Lists payment accounts, newest first. Scope read. */
  listPaymentAccounts: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** Pending until a passkey is enrolled; only an active account pays; closed is for ever. */
      status?: 'pending' | 'active' | 'suspended' | 'closed'
      /** The cardholder. */
      cardholder_id?: string
      /** The program. */
      program_id?: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: PaymentAccountList
  }
  /** Opens a payment account for an approved cardholder, who enrols a passkey on a page. Scope write. */
  createPaymentAccount: {
    input: {
      /** The cardholder. */
      cardholder_id: string
      /** An address with its checksum (EIP-55) that may withdraw everything to itself, nine days after it asked for it, for a holder who lost the passkey. */
      recovery_address?: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
      metadata?: { [key: string]: string }
    }
    answer: PaymentAccount
  }
  /** Shows a payment account: its address, its passkey and its cents. Scope read. */
  getPaymentAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentAccount
  }
  /** Makes a fresh link to the enrolment page, valid for a day; earlier links end. Scope write. */
  createPaymentAccountEnrolmentLink: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentAccount
  }
  /** Suspends a payment account: every payment is declined until it is resumed. Scope write. */
  suspendPaymentAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** Why, in your words; shown wherever the change is shown. Left out: none is kept. */
      reason?: string
    }
    answer: PaymentAccount
  }
  /** Resumes a suspended payment account. Scope write. */
  resumePaymentAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentAccount
  }
  /** Lists payment mandates, newest first. Scope read. */
  listPaymentMandates: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** exhausted: the limit or the 64 captures of an approval are used. */
      status?: 'pending' | 'active' | 'exhausted' | 'expired' | 'revoked'
      /** The account that pays. */
      payment_account_id?: string
      /** The account that is paid. */
      settlement_account_id?: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: PaymentMandateList
  }
  /** Begins a mandate: one approval of the holder for many payments to one payee. Scope write. */
  createPaymentMandate: {
    input: {
      /** The account that pays. */
      payment_account_id: string
      /** The account that is paid. */
      settlement_account_id: string
      /** The most that all payments under it take, in US cents. */
      limit_cents: number
      /** The most that one payment takes, in US cents; the limit when left out. */
      per_payment_cents?: number
      /** Text that the holder reads before approving. */
      description?: string
      /** Seconds until it covers no payment any more: an hour to 90 days. */
      expires_in: number
      /** Seconds that the holder has to approve: a minute to a day. */
      confirmation_expires_in?: number
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
      metadata?: { [key: string]: string }
    }
    answer: PaymentMandate
  }
  /** Shows a payment mandate: its limit, and how much of it is reserved and used. Scope read. */
  getPaymentMandate: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentMandate
  }
  /** Makes a fresh link to the page on which the holder approves; earlier links end. Scope write. */
  createPaymentMandateConfirmationLink: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentMandate
  }
  /** Confirms a mandate with an assertion of the holder’s passkey, as its page does. Scope write. */
  confirmPaymentMandate: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The id of the passkey that signed, base64url. */
      credential_id: string
      /** The authenticator’s data, base64url. */
      authenticator_data: string
      /** The browser’s client data, base64url. */
      client_data_json: string
      /** The signature in DER, base64url. */
      signature: string
    }
    answer: PaymentMandate
  }
  /** Revokes a mandate: no payment is covered any more; authorized ones stay. Scope write. */
  revokePaymentMandate: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentMandate
  }
  /** Lists withdrawals from payment accounts, newest first. Scope read. */
  listPaymentWithdrawals: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      /** Included is provisional: the block of the transaction may still be replaced. */
      status?: 'needs_confirmation' | 'pending' | 'submitted' | 'included' | 'completed' | 'failed' | 'canceled' | 'expired'
      /** The account that the money leaves. */
      payment_account_id?: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: PaymentWithdrawalList
  }
  /** Shows a withdrawal, and its transaction once one was sent. Scope read. */
  getPaymentWithdrawal: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentWithdrawal
  }
  /** Begins a withdrawal, which the holder approves with the passkey on a page. Scope write. */
  createPaymentAccountWithdrawal: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** In US cents, at most what is available. */
      amount_cents: number
      /** The address that is paid, with its checksum (EIP-55). */
      to_address: string
      /** Seconds that the holder has to approve: a minute to a day. */
      confirmation_expires_in?: number
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
      metadata?: { [key: string]: string }
    }
    answer: PaymentWithdrawal
  }
  /** Makes a fresh link to the page on which the holder approves; earlier links end. Scope write. */
  createPaymentWithdrawalConfirmationLink: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentWithdrawal
  }
  /** Confirms a withdrawal with an assertion of the holder’s passkey, as its page does. Scope write. */
  confirmPaymentWithdrawal: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The id of the passkey that signed, base64url. */
      credential_id: string
      /** The authenticator’s data, base64url. */
      authenticator_data: string
      /** The browser’s client data, base64url. */
      client_data_json: string
      /** The signature in DER, base64url. */
      signature: string
    }
    answer: PaymentWithdrawal
  }
  /** Cancels a withdrawal that the holder has not approved. Scope write. */
  cancelPaymentWithdrawal: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentWithdrawal
  }
  /** Lists payments, newest first. Scope read. */
  listPayments: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
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
      status?: 'risk_declined' | 'needs_confirmation' | 'authorized' | 'confirmed' | 'capture_pending' | 'partially_captured' | 'captured' | 'partially_refunded' | 'refunded' | 'voided' | 'failed'
      /** The account that pays. */
      payment_account_id?: string
      /** The cardholder. */
      cardholder_id?: string
      /** The account that is paid. */
      settlement_account_id?: string
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. */
      external_id?: string
    }
    answer: PaymentList
  }
  /** Begins a payment: it is declined, or waits for the holder. Look at its status. Scope write. */
  createPayment: {
    input: {
      /** The account that pays. */
      payment_account_id: string
      /** The account that is paid. */
      settlement_account_id: string
      /** The amount, in US cents. */
      amount_cents: number
      /** US dollars only. */
      currency?: 'USD'
      /** Text that the holder reads before approving. */
      description?: string
      /** Seconds until what is not captured is released: an hour to 7 days. */
      expires_in?: number
      /** Seconds that the holder has to approve: a minute to a day. */
      confirmation_expires_in?: number
      /** The tenant's own id of it, unique among its resources of this kind; null where none was given. Left out: null. */
      external_id?: string
      /** Your own keys and values; we read nothing from them. A change is merged: null removes a key. Left out: none. */
      metadata?: { [key: string]: string }
    }
    answer: Payment
  }
  /** Shows a payment: its status, its captures and its refunds. Scope read. */
  getPayment: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Payment
  }
  /** Makes a fresh link to the page on which the holder approves; earlier links end. Scope write. */
  createPaymentConfirmationLink: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Payment
  }
  /** Confirms a payment with an assertion of the holder’s passkey, as its page does. Scope write. */
  confirmPayment: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The id of the passkey that signed, base64url. */
      credential_id: string
      /** The authenticator’s data, base64url. */
      authenticator_data: string
      /** The browser’s client data, base64url. */
      client_data_json: string
      /** The signature in DER, base64url. */
      signature: string
    }
    answer: Payment
  }
  /** Captures a confirmed payment, or a part of it; it lands with a settlement batch. Scope write. */
  capturePayment: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The amount, in US cents. Left out: everything that is left. */
      amount_cents?: number
      /** Whether the rest is released at once. */
      final?: boolean
    }
    answer: Payment
  }
  /** Releases what is left of a payment; not while a capture is in flight. Scope write. */
  voidPayment: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Payment
  }
  /** Refunds what landed, or a part of it; the refund lands with a settlement batch. Scope write. */
  refundPayment: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The amount, in US cents. Left out: everything that landed. */
      amount_cents?: number
    }
    answer: Payment
  }
  /** Closes a payment account for ever: without money and open payments or withdrawals. Scope write. */
  closePaymentAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentAccount
  }
  /** Mints tokens to a payment account on the chain; its balance follows once they are final. Scope write. */
  fundSimulatePaymentAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** A whole number of the currency’s smallest unit. */
      amount_cents: number
    }
    answer: PaymentAccount
  }
  /** Has the token’s issuer block a payment account: its captures fail on the chain. Scope write. */
  blockSimulatePaymentAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentAccount
  }
  /** Has the token’s issuer open a blocked payment account again. Scope write. */
  unblockSimulatePaymentAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentAccount
  }
  /** Has a simulated telephone approve what an account is asked next (payment, mandate, withdrawal), not what it was asked before. Scope write. */
  approveNextSimulatePaymentAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentAccount
  }
  /** Has a simulated telephone deny what an account is asked next (payment, mandate, withdrawal), not what it was asked before. Scope write. */
  denyNextSimulatePaymentAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentAccount
  }
  /** Has the token’s issuer block the address of a settlement account: its batches fail. Scope write. */
  blockSimulateSettlementAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: SettlementAccount
  }
  /** Has the token’s issuer open the address of a settlement account again. Scope write. */
  unblockSimulateSettlementAccount: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: SettlementAccount
  }
  /** Lists your quotes for an enterprise plan, newest first. Scope read. */
  listBillingQuotes: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: QuoteList
  }
  /** Requests a quote for an enterprise plan; one can be open. Scope admin. */
  createBillingQuote: {
    input: {
      /** Expected units of a month, by meter. */
      volumes: QuoteVolumes
      /** The person to talk to. */
      contact: QuoteContact
      /** A note for the person who prepares the offer. Left out: null. */
      note?: string
    }
    answer: Quote
  }
  /** Shows a quote with the offered terms. Scope read. */
  getBillingQuote: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Quote
  }
  /** Accepts the offered terms; an operator then puts the plan into force. Scope admin. */
  acceptBillingQuote: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** offer_digest of the quote as the person read it; 409 where the offer is another one. */
      offer_digest?: string
    }
    answer: Quote
  }
  /** Withdraws a quote that is requested or offered. Scope admin. */
  withdrawBillingQuote: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Quote
  }
  /** Lists the cards with which you pay, newest first. Scope admin. */
  getBillingPaymentMethods: {
    input: object
    answer: PaymentMethods
  }
  /** Shows a card with which you pay or paid. Scope admin. */
  getBillingPaymentMethod: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: PaymentMethod
  }
  /** Plays a person who adds a card on the portal; invoices are then charged to it. Scope admin. */
  createSimulatePaymentMethod: {
    input: {
      /** How the card behaves when an invoice is charged to it. */
      card: 'visa' | 'mastercard' | 'declined' | 'authentication_required'
    }
    answer: PaymentMethod
  }
  /** Opens the portal on which a person looks after cards and invoices. Scope admin. */
  createBillingPortalSession: {
    input: {
      /** The page of yours to which the portal leads back: https, in the sandbox also loopback. */
      return_url: string
    }
    answer: PortalSession
  }
  /** Shows a visit of the portal, without its address. Scope admin. */
  getBillingPortalSession: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: {
      /** The id, for ever the same. */
      id: string
      /** The kind of resource. */
      object: 'portal_session'
      /** When it was made, in Unix seconds. */
      created: number
      /** True in live, false in the sandbox. */
      livemode: boolean
      /** The page of yours to which the portal leads back. */
      return_url: string
    }
  }
  /** Lists messages about your billing, newest first. Scope admin. */
  listBillingNotices: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: BillingNoticeList
  }
  /** Shows a message about your billing. Scope admin. */
  getBillingNotice: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: BillingNotice
  }
  /** Lists your invoices, newest first. Scope admin. */
  listBillingInvoices: {
    input: {
      /** How many at most, 1 to 100. */
      limit?: number
      /** next_cursor of the page before, or an id of the list: the page goes on behind it. */
      starting_after?: string
      /** next_cursor of a page read backward, or an id of the list: the page ends before it. */
      ending_before?: string
      /** desc: newest first. asc: oldest first. */
      order?: 'asc' | 'desc'
      /** csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row. */
      format?: 'json' | 'csv'
    }
    answer: InvoiceList
  }
  /** Shows an invoice with its lines. Scope admin. */
  getBillingInvoice: {
    input: {
      /** The id, for ever the same. */
      id: string
    }
    answer: Invoice
  }
  /** Lists the plans that you can choose, with their prices. Scope read. */
  getBillingPlans: {
    input: object
    answer: BillingPlans
  }
  /** Shows your subscription; its status is none where you have none. Scope read. */
  getBillingSubscription: {
    input: object
    answer: Subscription
  }
  /** Makes your paid subscription, now or at the end of the trial. Scope admin. */
  subscriptionBilling: {
    input: {
      /** The plan. */
      plan: 'starter' | 'growth' | 'enterprise'
      /** The interval of the base price. */
      interval: 'month' | 'year'
      /** The currency of every invoice from now on, ISO 4217. */
      currency: 'USD' | 'EUR'
      /** trial_end charges nothing before the trial is over. */
      starts?: 'now' | 'trial_end'
    }
    answer: Subscription
  }
  /** Changes the plan or its interval, now or at the end of the period. Scope admin. */
  updateBillingSubscription: {
    input: {
      /** The wanted plan; absent: the one in force. */
      plan?: 'starter' | 'growth' | 'enterprise'
      /** The wanted interval; absent: the one in force. */
      interval?: 'month' | 'year'
      /** When it holds; absent: upgrades now, downgrades at the end of the period. */
      effective?: 'now' | 'period_end'
      /** The moment that the preview named, at most an hour old; absent: now. Unix seconds. */
      prorate_at?: number
    }
    answer: Subscription
  }
  /** Shows the counted usage of a month with its price so far. Scope read. */
  getBillingUsage: {
    input: {
      /** Number of the month within the subscription; absent: the month that runs. */
      month?: number
    }
    answer: BillingUsage
  }
  /** Shows what a change of plan would cost; stores nothing. Scope read. */
  getBillingInvoicePreview: {
    input: {
      /** The wanted plan; absent: the one in force, or the lowest. */
      plan?: 'starter' | 'growth' | 'enterprise'
      /** The wanted interval; absent: the one in force. */
      interval?: 'month' | 'year'
      /** When it holds; absent: upgrades now, downgrades at the end of the period. */
      effective?: 'now' | 'period_end'
    }
    answer: InvoicePreview
  }
  /** Shows what your plan and its status allow. Scope read. */
  getBillingEntitlements: {
    input: object
    answer: Entitlements
  }
  /** Lists the add-ons, enabled or not. Scope read. */
  getBillingAddons: {
    input: object
    answer: Addons
  }
  /** Starts your trial of 30 days: a plan with caps, without a charge. Scope admin. */
  trialBilling: {
    input: {
      /** The plan to try. */
      plan: 'starter' | 'growth'
    }
    answer: Subscription
  }
  /** Sets your subscription to end with its period. Scope admin. */
  cancelBillingSubscription: {
    input: object
    answer: Subscription
  }
  /** Takes a cancellation back before it takes effect. Scope admin. */
  revertBillingSubscription: {
    input: object
    answer: Subscription
  }
  /** Enables or disables the add-on identity_checks, which is charged by the unit. Scope admin. */
  replaceBillingAddonsIdentityChecks: {
    input: {
      /** Whether the add-on may be used from now on. */
      enabled: boolean
    }
    answer: BillingAddon
  }
  /** Enables or disables the add-on physical_cards, which is charged by the unit. Scope admin. */
  replaceBillingAddonsPhysicalCards: {
    input: {
      /** Whether the add-on may be used from now on. */
      enabled: boolean
    }
    answer: BillingAddon
  }
  /** Shows what time it is in the sandbox. Scope read. */
  getSandboxClock: {
    input: object
    answer: SandboxClock
  }
  /** Moves the sandbox’s clock forward, by seconds or to a moment: windows, holds, deadlines and retries follow. Scope write. */
  clockSandbox: {
    input: {
      /** By so many seconds; this or `to`. */
      advance_seconds?: number
      /** To this moment, ISO 8601; this or `advance_seconds`. */
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
  /** Plays a short story of network messages about a card, also of what goes wrong between them. Scope write. */
  createSimulateCardNetworkScenario: {
    input: {
      /** The card. */
      card_id: string
      /** An ordinary story, or a failure: duplicate (the network sends a message twice), answer_lost (the network gets no answer, repeats and reverses), authorization_lost (a capture without an authorization request), reversal_first (the reversal overtakes its authorization), delayed (ten minutes in transit). */
      scenario: 'approve' | 'approve_and_capture' | 'approve_and_reverse' | 'capture_in_parts' | 'incremental' | 'refund' | 'wrong_expiry' | 'account_verification' | 'duplicate' | 'answer_lost' | 'authorization_lost' | 'reversal_first' | 'delayed'
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
      /** Who carries it. */
      carrier?: string
      /** By which the carrier finds it. */
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
      /** What came of it. */
      result: 'approved' | 'rejected' | 'requires_action'
      /** Why, in the provider’s words. */
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
      /** How the network decided; null before. */
      outcome: 'won' | 'lost'
    }
    answer: Dispute
  }
  /** Asks for more evidence by a deadline, in the sponsor bank’s place. Scope write. */
  requireEvidenceSimulateDispute: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** What is wanted; the tenant reads it. */
      requested: string
      /** Until when, ISO 8601; ten days from now when left out. */
      due_by?: string
    }
    answer: Dispute
  }
  /** Suspends a program as a regulator, the sponsor bank or provider risk would. Scope write. */
  suspendSimulateProgram: {
    input: {
      /** The id, for ever the same. */
      id: string
      /** The party that wants the suspension. */
      suspended_by: SuspendedBy
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
  readonly [Name in keyof Operations]: {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    path: string
    file?: 'text' | 'bytes' | 'stream'
  }
} = {
  listAuditLog: { method: 'GET', path: '/v1/audit_log' },
  verifyAuditLog: { method: 'GET', path: '/v1/audit_log/verify' },
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
  getPerson: { method: 'GET', path: '/v1/people/{id}' },
  updatePerson: { method: 'PATCH', path: '/v1/people/{id}' },
  disablePerson: { method: 'POST', path: '/v1/people/{id}/disable' },
  enablePerson: { method: 'POST', path: '/v1/people/{id}/enable' },
  removePerson: { method: 'POST', path: '/v1/people/{id}/remove' },
  letInPerson: { method: 'POST', path: '/v1/people/{id}/let_in' },
  listInvitations: { method: 'GET', path: '/v1/invitations' },
  createInvitation: { method: 'POST', path: '/v1/invitations' },
  getInvitation: { method: 'GET', path: '/v1/invitations/{id}' },
  resendInvitation: { method: 'POST', path: '/v1/invitations/{id}/resend' },
  revokeInvitation: { method: 'POST', path: '/v1/invitations/{id}/revoke' },
  listOauthGrants: { method: 'GET', path: '/v1/oauth_grants' },
  getOauthGrant: { method: 'GET', path: '/v1/oauth_grants/{id}' },
  revokeOauthGrant: { method: 'POST', path: '/v1/oauth_grants/{id}/revoke' },
  getFactorChallenge: { method: 'GET', path: '/v1/factor_challenges/{id}' },
  getAccount: { method: 'GET', path: '/v1/account' },
  updateAccount: { method: 'PATCH', path: '/v1/account' },
  getAccountKyb: { method: 'GET', path: '/v1/account/kyb' },
  kybAccount: { method: 'POST', path: '/v1/account/kyb' },
  listRefusedCalls: { method: 'GET', path: '/v1/refused_calls' },
  getRefusedCallsHours: { method: 'GET', path: '/v1/refused_calls/hours' },
  createWebhookEndpoint: { method: 'POST', path: '/v1/webhook_endpoints' },
  listWebhookEndpoints: { method: 'GET', path: '/v1/webhook_endpoints' },
  deleteWebhookEndpoint: { method: 'DELETE', path: '/v1/webhook_endpoints/{id}' },
  getWebhookEndpoint: { method: 'GET', path: '/v1/webhook_endpoints/{id}' },
  updateWebhookEndpoint: { method: 'PATCH', path: '/v1/webhook_endpoints/{id}' },
  rotateSecretWebhookEndpoint: { method: 'POST', path: '/v1/webhook_endpoints/{id}/rotate_secret' },
  revokeOldSecretWebhookEndpoint: { method: 'POST', path: '/v1/webhook_endpoints/{id}/revoke_old_secret' },
  listWebhookEndpointsHealth: { method: 'GET', path: '/v1/webhook_endpoints/health' },
  getWebhookEndpointStatistics: { method: 'GET', path: '/v1/webhook_endpoints/{id}/statistics' },
  makeRealtimeWebhookEndpoint: { method: 'POST', path: '/v1/webhook_endpoints/{id}/make_realtime' },
  certifyWebhookEndpoint: { method: 'POST', path: '/v1/webhook_endpoints/{id}/certify' },
  listWebhookEndpointCertifications: { method: 'GET', path: '/v1/webhook_endpoints/{id}/certifications' },
  getWebhookEndpointCertification: { method: 'GET', path: '/v1/webhook_endpoints/{id}/certifications/{certification}' },
  getStandInReport: { method: 'GET', path: '/v1/stand_in/report' },
  listWebhookDeliveries: { method: 'GET', path: '/v1/webhook_deliveries' },
  getWebhookDelivery: { method: 'GET', path: '/v1/webhook_deliveries/{id}' },
  listWebhookDeliveryAttempts: { method: 'GET', path: '/v1/webhook_deliveries/{id}/attempts' },
  getWebhookDeliveryRequest: { method: 'GET', path: '/v1/webhook_deliveries/{id}/request' },
  replayWebhookEndpoint: { method: 'POST', path: '/v1/webhook_endpoints/{id}/replay' },
  testWebhookEndpoint: { method: 'POST', path: '/v1/webhook_endpoints/{id}/test' },
  listWebhookEndpointMissedEvents: { method: 'GET', path: '/v1/webhook_endpoints/{id}/missed_events' },
  createWebhookEndpointRecovery: { method: 'POST', path: '/v1/webhook_endpoints/{id}/recoveries' },
  listWebhookEndpointRecoveries: { method: 'GET', path: '/v1/webhook_endpoints/{id}/recoveries' },
  getWebhookEndpointRecovery: { method: 'GET', path: '/v1/webhook_endpoints/{id}/recoveries/{recovery}' },
  cancelWebhookEndpointRecovery: { method: 'POST', path: '/v1/webhook_endpoints/{id}/recoveries/{recovery}/cancel' },
  listPassImages: { method: 'GET', path: '/v1/pass_images' },
  createPassImage: { method: 'POST', path: '/v1/pass_images' },
  getPassImage: { method: 'GET', path: '/v1/pass_images/{id}' },
  deletePassImage: { method: 'DELETE', path: '/v1/pass_images/{id}' },
  getPassImageContent: { method: 'GET', path: '/v1/pass_images/{id}/content', file: 'bytes' },
  listPassTemplates: { method: 'GET', path: '/v1/pass_templates' },
  createPassTemplate: { method: 'POST', path: '/v1/pass_templates' },
  getPassTemplate: { method: 'GET', path: '/v1/pass_templates/{id}' },
  updatePassTemplate: { method: 'PATCH', path: '/v1/pass_templates/{id}' },
  archivePassTemplate: { method: 'POST', path: '/v1/pass_templates/{id}/archive' },
  getPassTemplatePreview: { method: 'GET', path: '/v1/pass_templates/{id}/preview', file: 'text' },
  previewPassTemplate: { method: 'POST', path: '/v1/pass_templates/{id}/preview', file: 'text' },
  previewPassTemplates: { method: 'POST', path: '/v1/pass_templates/preview', file: 'text' },
  listPasses: { method: 'GET', path: '/v1/passes' },
  createPass: { method: 'POST', path: '/v1/passes' },
  getPassesCount: { method: 'GET', path: '/v1/passes/count' },
  getPassesStatistics: { method: 'GET', path: '/v1/passes/statistics' },
  getPass: { method: 'GET', path: '/v1/passes/{id}' },
  updatePass: { method: 'PATCH', path: '/v1/passes/{id}' },
  batchPasses: { method: 'POST', path: '/v1/passes/batch' },
  batchUpdatePasses: { method: 'POST', path: '/v1/passes/batch_update' },
  batchRevokePasses: { method: 'POST', path: '/v1/passes/batch_revoke' },
  revokePass: { method: 'POST', path: '/v1/passes/{id}/revoke' },
  listScanners: { method: 'GET', path: '/v1/scanners' },
  createScanner: { method: 'POST', path: '/v1/scanners' },
  getScanner: { method: 'GET', path: '/v1/scanners/{id}' },
  updateScanner: { method: 'PATCH', path: '/v1/scanners/{id}' },
  deleteScanner: { method: 'DELETE', path: '/v1/scanners/{id}' },
  listPassScans: { method: 'GET', path: '/v1/pass_scans' },
  getPassScan: { method: 'GET', path: '/v1/pass_scans/{id}' },
  scanPasses: { method: 'POST', path: '/v1/passes/scan' },
  listSanctionsAlerts: { method: 'GET', path: '/v1/sanctions_alerts' },
  getSanctionsAlert: { method: 'GET', path: '/v1/sanctions_alerts/{id}' },
  listCardholders: { method: 'GET', path: '/v1/cardholders' },
  createCardholder: { method: 'POST', path: '/v1/cardholders' },
  getCardholder: { method: 'GET', path: '/v1/cardholders/{id}' },
  updateCardholder: { method: 'PATCH', path: '/v1/cardholders/{id}' },
  verifyCardholder: { method: 'POST', path: '/v1/cardholders/{id}/verify' },
  freezeCardholder: { method: 'POST', path: '/v1/cardholders/{id}/freeze' },
  unfreezeCardholder: { method: 'POST', path: '/v1/cardholders/{id}/unfreeze' },
  eraseCardholder: { method: 'POST', path: '/v1/cardholders/{id}/erase' },
  listSpendingControls: { method: 'GET', path: '/v1/spending_controls' },
  createSpendingControl: { method: 'POST', path: '/v1/spending_controls' },
  getSpendingControl: { method: 'GET', path: '/v1/spending_controls/{id}' },
  updateSpendingControl: { method: 'PATCH', path: '/v1/spending_controls/{id}' },
  listSpendingControlVersions: { method: 'GET', path: '/v1/spending_controls/{id}/versions' },
  getSpendingControlShadow: { method: 'GET', path: '/v1/spending_controls/{id}/shadow' },
  activateSpendingControl: { method: 'POST', path: '/v1/spending_controls/{id}/activate' },
  retireSpendingControl: { method: 'POST', path: '/v1/spending_controls/{id}/retire' },
  createSpendingControlBacktest: { method: 'POST', path: '/v1/spending_controls/{id}/backtests' },
  listSpendingControlBacktests: { method: 'GET', path: '/v1/spending_controls/{id}/backtests' },
  getSpendingControlBacktest: { method: 'GET', path: '/v1/spending_controls/{id}/backtests/{backtest}' },
  listWalletTokens: { method: 'GET', path: '/v1/wallet_tokens' },
  createWalletToken: { method: 'POST', path: '/v1/wallet_tokens' },
  getWalletToken: { method: 'GET', path: '/v1/wallet_tokens/{id}' },
  updateWalletToken: { method: 'PATCH', path: '/v1/wallet_tokens/{id}' },
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
  createAuthentication: { method: 'POST', path: '/v1/authentications' },
  getAuthentication: { method: 'GET', path: '/v1/authentications/{id}' },
  listCardTransactions: { method: 'GET', path: '/v1/card_transactions' },
  getCardTransaction: { method: 'GET', path: '/v1/card_transactions/{id}' },
  listCardTransactionMessages: { method: 'GET', path: '/v1/card_transactions/{id}/messages' },
  acknowledgeStandIn: { method: 'POST', path: '/v1/stand_in/acknowledge' },
  getAuthorizationStatistics: { method: 'GET', path: '/v1/authorization_statistics' },
  getAuthorizationStatisticsDeclineCategories: { method: 'GET', path: '/v1/authorization_statistics/decline_categories' },
  getCardTransactionsStream: { method: 'GET', path: '/v1/card_transactions/stream', file: 'stream' },
  listDisputes: { method: 'GET', path: '/v1/disputes' },
  createDispute: { method: 'POST', path: '/v1/disputes' },
  getDispute: { method: 'GET', path: '/v1/disputes/{id}' },
  updateDispute: { method: 'PATCH', path: '/v1/disputes/{id}' },
  listDisputeEvidence: { method: 'GET', path: '/v1/disputes/{id}/evidence' },
  createDisputeEvidence: { method: 'POST', path: '/v1/disputes/{id}/evidence' },
  submitDispute: { method: 'POST', path: '/v1/disputes/{id}/submit' },
  listClearingExceptions: { method: 'GET', path: '/v1/clearing_exceptions' },
  listSettlementAccounts: { method: 'GET', path: '/v1/settlement_accounts' },
  createSettlementAccount: { method: 'POST', path: '/v1/settlement_accounts' },
  getSettlementAccount: { method: 'GET', path: '/v1/settlement_accounts/{id}' },
  updateSettlementAccount: { method: 'PATCH', path: '/v1/settlement_accounts/{id}' },
  disableSettlementAccount: { method: 'POST', path: '/v1/settlement_accounts/{id}/disable' },
  listSettlementBatches: { method: 'GET', path: '/v1/settlement_batches' },
  getSettlementBatch: { method: 'GET', path: '/v1/settlement_batches/{id}' },
  listSettlementBatchPayments: { method: 'GET', path: '/v1/settlement_batches/{id}/payments' },
  getSettlementBalance: { method: 'GET', path: '/v1/settlement_balance' },
  getSettlementAges: { method: 'GET', path: '/v1/settlement_ages' },
  listPaymentAccounts: { method: 'GET', path: '/v1/payment_accounts' },
  createPaymentAccount: { method: 'POST', path: '/v1/payment_accounts' },
  getPaymentAccount: { method: 'GET', path: '/v1/payment_accounts/{id}' },
  createPaymentAccountEnrolmentLink: { method: 'POST', path: '/v1/payment_accounts/{id}/enrolment_links' },
  suspendPaymentAccount: { method: 'POST', path: '/v1/payment_accounts/{id}/suspend' },
  resumePaymentAccount: { method: 'POST', path: '/v1/payment_accounts/{id}/resume' },
  listPaymentMandates: { method: 'GET', path: '/v1/payment_mandates' },
  createPaymentMandate: { method: 'POST', path: '/v1/payment_mandates' },
  getPaymentMandate: { method: 'GET', path: '/v1/payment_mandates/{id}' },
  createPaymentMandateConfirmationLink: { method: 'POST', path: '/v1/payment_mandates/{id}/confirmation_links' },
  confirmPaymentMandate: { method: 'POST', path: '/v1/payment_mandates/{id}/confirm' },
  revokePaymentMandate: { method: 'POST', path: '/v1/payment_mandates/{id}/revoke' },
  listPaymentWithdrawals: { method: 'GET', path: '/v1/payment_withdrawals' },
  getPaymentWithdrawal: { method: 'GET', path: '/v1/payment_withdrawals/{id}' },
  createPaymentAccountWithdrawal: { method: 'POST', path: '/v1/payment_accounts/{id}/withdrawals' },
  createPaymentWithdrawalConfirmationLink: { method: 'POST', path: '/v1/payment_withdrawals/{id}/confirmation_links' },
  confirmPaymentWithdrawal: { method: 'POST', path: '/v1/payment_withdrawals/{id}/confirm' },
  cancelPaymentWithdrawal: { method: 'POST', path: '/v1/payment_withdrawals/{id}/cancel' },
  listPayments: { method: 'GET', path: '/v1/payments' },
  createPayment: { method: 'POST', path: '/v1/payments' },
  getPayment: { method: 'GET', path: '/v1/payments/{id}' },
  createPaymentConfirmationLink: { method: 'POST', path: '/v1/payments/{id}/confirmation_links' },
  confirmPayment: { method: 'POST', path: '/v1/payments/{id}/confirm' },
  capturePayment: { method: 'POST', path: '/v1/payments/{id}/capture' },
  voidPayment: { method: 'POST', path: '/v1/payments/{id}/void' },
  refundPayment: { method: 'POST', path: '/v1/payments/{id}/refund' },
  closePaymentAccount: { method: 'POST', path: '/v1/payment_accounts/{id}/close' },
  fundSimulatePaymentAccount: { method: 'POST', path: '/v1/simulate/payment_accounts/{id}/fund' },
  blockSimulatePaymentAccount: { method: 'POST', path: '/v1/simulate/payment_accounts/{id}/block' },
  unblockSimulatePaymentAccount: { method: 'POST', path: '/v1/simulate/payment_accounts/{id}/unblock' },
  approveNextSimulatePaymentAccount: { method: 'POST', path: '/v1/simulate/payment_accounts/{id}/approve_next' },
  denyNextSimulatePaymentAccount: { method: 'POST', path: '/v1/simulate/payment_accounts/{id}/deny_next' },
  blockSimulateSettlementAccount: { method: 'POST', path: '/v1/simulate/settlement_accounts/{id}/block' },
  unblockSimulateSettlementAccount: { method: 'POST', path: '/v1/simulate/settlement_accounts/{id}/unblock' },
  listBillingQuotes: { method: 'GET', path: '/v1/billing/quotes' },
  createBillingQuote: { method: 'POST', path: '/v1/billing/quotes' },
  getBillingQuote: { method: 'GET', path: '/v1/billing/quotes/{id}' },
  acceptBillingQuote: { method: 'POST', path: '/v1/billing/quotes/{id}/accept' },
  withdrawBillingQuote: { method: 'POST', path: '/v1/billing/quotes/{id}/withdraw' },
  getBillingPaymentMethods: { method: 'GET', path: '/v1/billing/payment_methods' },
  getBillingPaymentMethod: { method: 'GET', path: '/v1/billing/payment_methods/{id}' },
  createSimulatePaymentMethod: { method: 'POST', path: '/v1/simulate/payment_methods' },
  createBillingPortalSession: { method: 'POST', path: '/v1/billing/portal_sessions' },
  getBillingPortalSession: { method: 'GET', path: '/v1/billing/portal_sessions/{id}' },
  listBillingNotices: { method: 'GET', path: '/v1/billing/notices' },
  getBillingNotice: { method: 'GET', path: '/v1/billing/notices/{id}' },
  listBillingInvoices: { method: 'GET', path: '/v1/billing/invoices' },
  getBillingInvoice: { method: 'GET', path: '/v1/billing/invoices/{id}' },
  getBillingPlans: { method: 'GET', path: '/v1/billing/plans' },
  getBillingSubscription: { method: 'GET', path: '/v1/billing/subscription' },
  subscriptionBilling: { method: 'POST', path: '/v1/billing/subscription' },
  updateBillingSubscription: { method: 'PATCH', path: '/v1/billing/subscription' },
  getBillingUsage: { method: 'GET', path: '/v1/billing/usage' },
  getBillingInvoicePreview: { method: 'GET', path: '/v1/billing/invoice_preview' },
  getBillingEntitlements: { method: 'GET', path: '/v1/billing/entitlements' },
  getBillingAddons: { method: 'GET', path: '/v1/billing/addons' },
  trialBilling: { method: 'POST', path: '/v1/billing/trial' },
  cancelBillingSubscription: { method: 'POST', path: '/v1/billing/subscription/cancel' },
  revertBillingSubscription: { method: 'POST', path: '/v1/billing/subscription/revert' },
  replaceBillingAddonsIdentityChecks: { method: 'PUT', path: '/v1/billing/addons/identity_checks' },
  replaceBillingAddonsPhysicalCards: { method: 'PUT', path: '/v1/billing/addons/physical_cards' },
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
