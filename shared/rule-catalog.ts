// Names of the decision rules and of the inputs each records, in the order they are judged. The
// engine implements them, the journal stores their numbers and inputs, the API shows them. A number
// is never reused; a changed meaning is a new version.

export const RULE_CATALOG = {
  card_found: { number: 1, version: 1, inputs: ['found'] },
  program_active: { number: 2, version: 1, inputs: ['program_status'] },
  card_state: { number: 3, version: 1, inputs: ['card_status'] },
  card_not_expired: { number: 4, version: 1, inputs: ['expired'] },
  cardholder_state: { number: 5, version: 1, inputs: ['cardholder_status', 'frozen'] },
  expiry_matches: { number: 6, version: 1, inputs: ['expiry'] },
  cvc_matches: { number: 7, version: 1, inputs: ['cvc'] },
  kind_allowed: {
    number: 14,
    version: 1,
    inputs: ['scope', 'mode', 'kind', 'listed', 'control_id'],
  },
  currency_allowed: {
    number: 15,
    version: 1,
    inputs: ['scope', 'mode', 'currency', 'listed', 'control_id'],
  },
  // The first versions of lists named no control.
  merchant_category_allowed: {
    number: 9,
    version: 2,
    inputs: ['scope', 'mode', 'mcc', 'listed', 'control_id'],
  },
  merchant_allowed: {
    number: 10,
    version: 2,
    inputs: ['scope', 'mode', 'merchant_id', 'listed', 'control_id'],
  },
  merchant_country_allowed: {
    number: 11,
    version: 2,
    inputs: ['scope', 'mode', 'country', 'listed', 'control_id'],
  },
  card_presence_allowed: {
    number: 16,
    version: 1,
    inputs: ['scope', 'mode', 'card_presence', 'listed', 'control_id'],
  },
  entry_method_allowed: {
    number: 17,
    version: 1,
    inputs: ['scope', 'mode', 'entry_method', 'listed', 'control_id'],
  },
  wallet_allowed: {
    number: 18,
    version: 1,
    inputs: ['scope', 'mode', 'wallet', 'listed', 'control_id'],
  },
  chip_not_bypassed: {
    number: 19,
    version: 1,
    inputs: ['scope', 'control_id', 'fallback_from_chip'],
  },
  online_authenticated: {
    number: 20,
    version: 1,
    inputs: ['scope', 'control_id', 'entry_method', 'three_ds'],
  },
  within_schedule: {
    number: 21,
    version: 1,
    inputs: ['scope', 'control_id', 'time_zone', 'weekday', 'minute_of_day', 'open'],
  },
  merchant_lock: {
    number: 22,
    version: 1,
    inputs: ['scope', 'control_id', 'merchant_id', 'locked_to', 'uses_waiting'],
  },
  uses_left: {
    number: 23,
    version: 1,
    inputs: ['scope', 'control_id', 'uses_before', 'increment', 'cancel_after'],
  },
  single_use: {
    number: 24,
    version: 1,
    inputs: ['scope', 'control_id', 'uses_before', 'increment', 'mode', 'amount', 'requested'],
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
  },
  not_stopped: { number: 30, version: 1, inputs: ['fraud_rule'] },
  pin_matches: { number: 31, version: 1, inputs: ['pin', 'failures_before', 'tries'] },
  wallet_token_active: { number: 32, version: 1, inputs: ['wallet_token'] },
  amount_convertible: {
    number: 33,
    version: 1,
    inputs: ['card_currency', 'currency', 'known', 'rate', 'rate_source', 'converted'],
  },
  // Recorded where the network converted the amount and we have a rate of our own.
  billing_plausible: {
    number: 34,
    version: 1,
    inputs: ['card_currency', 'currency', 'billed', 'expected', 'tolerance_bps', 'action'],
  },
  // Recorded for credits only, once for each limit that is set.
  within_credit_limit: {
    number: 35,
    version: 1,
    inputs: ['interval', 'limit', 'used_before', 'reserved_before', 'requested', 'from_original'],
  },
  // Recorded for payments only, with the amounts of the account's whole life.
  funds_available: {
    number: 36,
    version: 1,
    inputs: ['funded', 'used_before', 'reserved_before', 'requested'],
  },
  amount_countable: { number: 13, version: 1, inputs: ['largest_counted', 'requested'] },
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
