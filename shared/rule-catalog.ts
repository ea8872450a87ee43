// Names of the decision rules, the condition each checks and the inputs it records, in the order
// they are judged. The engine implements them, the journal stores their numbers and inputs, the API
// shows them. A number is never reused; a changed meaning is a new version.

export const RULE_CATALOG = {
  card_found: {
    number: 1,
    version: 1,
    inputs: ['found'],
    condition: 'The number or token names a card of the environment of the network key.',
  },
  program_active: {
    number: 2,
    version: 1,
    inputs: ['program_status'],
    condition: 'The program is active.',
  },
  card_state: {
    number: 3,
    version: 1,
    inputs: ['card_status'],
    condition: 'The card is activated, not suspended and not terminated.',
  },
  card_not_expired: {
    number: 4,
    version: 1,
    inputs: ['expired'],
    condition: 'The card is not past the end of its month of expiry (UTC).',
  },
  cardholder_state: {
    number: 5,
    version: 1,
    inputs: ['cardholder_status', 'frozen'],
    condition: 'The cardholder is active and not frozen.',
  },
  expiry_matches: {
    number: 6,
    version: 1,
    inputs: ['expiry'],
    condition: 'The expiry that the merchant sent is that of the card.',
  },
  cvc_matches: {
    number: 7,
    version: 1,
    inputs: ['cvc'],
    condition: 'The security code that the merchant sent is that of the card.',
  },
  kind_allowed: {
    number: 14,
    version: 1,
    inputs: ['scope', 'mode', 'kind', 'listed', 'control_id'],
    condition: 'A control allows the kind of the authorization.',
  },
  currency_allowed: {
    number: 15,
    version: 1,
    inputs: ['scope', 'mode', 'currency', 'listed', 'control_id'],
    condition: 'A control allows the currency.',
  },
  // The first versions of lists named no control.
  merchant_category_allowed: {
    number: 9,
    version: 2,
    inputs: ['scope', 'mode', 'mcc', 'listed', 'control_id'],
    condition: 'A control allows the category of the merchant.',
  },
  merchant_allowed: {
    number: 10,
    version: 2,
    inputs: ['scope', 'mode', 'merchant_id', 'listed', 'control_id'],
    condition: 'A control allows the merchant.',
  },
  merchant_country_allowed: {
    number: 11,
    version: 2,
    inputs: ['scope', 'mode', 'country', 'listed', 'control_id'],
    condition: 'A control allows the country of the merchant.',
  },
  card_presence_allowed: {
    number: 16,
    version: 1,
    inputs: ['scope', 'mode', 'card_presence', 'listed', 'control_id'],
    condition: 'A control allows payments with, or without, the card present.',
  },
  entry_method_allowed: {
    number: 17,
    version: 1,
    inputs: ['scope', 'mode', 'entry_method', 'listed', 'control_id'],
    condition: 'A control allows the way in which the card was read.',
  },
  wallet_allowed: {
    number: 18,
    version: 1,
    inputs: ['scope', 'mode', 'wallet', 'listed', 'control_id'],
    condition: 'A control allows the wallet.',
  },
  chip_not_bypassed: {
    number: 19,
    version: 1,
    inputs: ['scope', 'control_id', 'fallback_from_chip'],
    condition: 'The stripe of a chip card was not read where a control blocks that.',
  },
  online_authenticated: {
    number: 20,
    version: 1,
    inputs: ['scope', 'control_id', 'entry_method', 'three_ds'],
    condition: 'An online payment is authenticated where a control demands it.',
  },
  within_schedule: {
    number: 21,
    version: 1,
    inputs: ['scope', 'control_id', 'time_zone', 'weekday', 'minute_of_day', 'open'],
    condition: 'The moment lies in the schedule of a control.',
  },
  merchant_lock: {
    number: 22,
    version: 1,
    inputs: ['scope', 'control_id', 'merchant_id', 'locked_to', 'uses_waiting'],
    condition: 'The merchant is the one to which a control locked itself.',
  },
  uses_left: {
    number: 23,
    version: 1,
    inputs: ['scope', 'control_id', 'uses_before', 'increment', 'cancel_after'],
    condition: 'The number of uses of a control is not used up.',
  },
  single_use: {
    number: 24,
    version: 1,
    inputs: ['scope', 'control_id', 'uses_before', 'increment', 'mode', 'amount', 'requested'],
    condition: 'The single use of a control is not used up, and its amount fits.',
  },
  // The first version knew amounts only.
  within_limit: {
    number: 12,
    version: 2,
    inputs: [
      'scope',
      'limit_id',
      'interval',
      'limit',
      'currency',
      'used_before',
      'reserved_before',
      'requested',
      'window_start',
      'window_end',
      'time_zone',
      'of',
    ],
    condition: 'The amount, or the count, fits into what is left of a limit.',
  },
  not_stopped: {
    number: 30,
    version: 1,
    inputs: ['fraud_rule'],
    condition: 'No fraud rule stopped the card.',
  },
  pin_matches: {
    number: 31,
    version: 1,
    inputs: ['pin', 'failures_before', 'tries'],
    condition: 'The PIN is right, and not too many were wrong before it.',
  },
  wallet_token_active: {
    number: 32,
    version: 1,
    inputs: ['wallet_token'],
    condition: 'The wallet token is active.',
  },
  amount_convertible: {
    number: 33,
    version: 1,
    inputs: ['card_currency', 'currency', 'known', 'rate', 'rate_source', 'converted'],
    condition: 'A rate into the currency of the card is known where one is needed.',
  },
  // Recorded where the network converted the amount and we have a rate of our own.
  billing_plausible: {
    number: 34,
    version: 1,
    inputs: ['card_currency', 'currency', 'billed', 'expected', 'tolerance_bps', 'action'],
    condition: 'The billing amount of the network is near the amount at our own rate.',
  },
  // Recorded for credits only, once for each limit that is set.
  within_credit_limit: {
    number: 35,
    version: 1,
    inputs: ['interval', 'limit', 'used_before', 'reserved_before', 'requested', 'from_original'],
    condition: 'The credit is within a credit limit of the program.',
  },
  // Recorded for payments only, with the amounts of the account's whole life.
  funds_available: {
    number: 36,
    version: 1,
    inputs: ['funded', 'used_before', 'reserved_before', 'requested'],
    condition: 'The payment fits into what its account was funded with and has not spent or held.',
  },
  amount_countable: {
    number: 13,
    version: 1,
    inputs: ['largest_counted', 'requested'],
    condition: 'The amount can be added to what is held and captured without losing precision.',
  },
} as const

export type RuleId = keyof typeof RULE_CATALOG

export type TraceInput = string | number | boolean | null
/** One judged rule: its number, version, 1 when it declined, then its inputs in catalog order. */
export type TraceRow = readonly [
  number: number,
  version: number,
  declined: 0 | 1,
  ...inputs: TraceInput[],
]

/** First input's place in a row. */
export const TRACE_INPUTS_AT = 3

const ID_BY_NUMBER: ReadonlyMap<number, RuleId> = new Map(
  (Object.keys(RULE_CATALOG) as RuleId[]).map((id) => [RULE_CATALOG[id].number, id]),
)

function ruleIdOf(row: TraceRow): RuleId | null {
  return ID_BY_NUMBER.get(row[0]) ?? null
}

export interface TraceStep {
  rule_id: string
  rule_version: number
  verdict: 'pass' | 'fail'
  inputs: { [name: string]: TraceInput }
}

/** Names of a row's inputs, in their order; none for a rule of a later release. */
export function inputNames(row: TraceRow): readonly string[] {
  const id = ruleIdOf(row)
  return id === null ? [] : RULE_CATALOG[id].inputs
}

/** A trace as the API shows it: names beside the recorded values. */
export function traceSteps(rows: readonly TraceRow[]): TraceStep[] {
  return rows.map((row) => {
    const id = ruleIdOf(row)
    const names = inputNames(row)
    const inputs: { [name: string]: TraceInput } = {}
    for (let index = TRACE_INPUTS_AT; index < row.length; index++) {
      inputs[names[index - TRACE_INPUTS_AT] ?? 'input_' + index] = row[index] as TraceInput
    }
    return {
      rule_id: id ?? 'rule_' + row[0],
      rule_version: row[1],
      verdict: row[2] === 1 ? 'fail' : 'pass',
      inputs,
    }
  })
}
