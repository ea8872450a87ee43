// A program as the outside sees it: the settings for decisions about its cards, unless a card has
// its own. Authorization 4, 6, 7, 8.
import { type Static, Type } from 'typebox'
import { AUTHORIZATION_KINDS } from '../authorization-kind.ts'
import { OWN_DATA, OWN_DATA_CHANGE, OWN_DATA_INPUT } from './own-data.ts'

export const PROGRAM_STANDINGS = ['pending', 'active', 'suspended', 'rejected'] as const
export type ProgramState = (typeof PROGRAM_STANDINGS)[number]

/**
 * Spec 6.2: a regulator, sponsor bank or provider risk action suspends issuance. The tenant cannot
 * lift it.
 */
const SUSPENDED_BY = ['regulator', 'sponsor_bank', 'provider_risk'] as const
export type SuspendedBy = (typeof SUSPENDED_BY)[number]
export const SUSPENDER = Type.Enum([...SUSPENDED_BY], { title: 'SuspendedBy' })

const STAND_INS = ['controls', 'decline'] as const
const FRAUD_RULE_NAMES = ['card_testing', 'cvc_failures', 'pin_failures'] as const
export const FRAUD_RULE_NAME = Type.Enum([...FRAUD_RULE_NAMES], { title: 'FraudRuleName' })
const FRAUD_RULE_STATES = ['draft', 'active', 'off'] as const
const ADJUSTMENT_MODES = ['replace', 'add_percent', 'add_amount'] as const

const BILLING_MISMATCH_ACTIONS = ['decline', 'take_larger'] as const

const ROWS_MAX = 32
const MCCS_MAX = 250
/** Chosen: a rule remembers a thousand moments at most, and thirty days. */
const FRAUD_COUNT_MAX = 1000
const FRAUD_SECONDS_MAX = 30 * 24 * 3600
/** Authorization 8: one to thirty-five days. */
const HOLD_HOURS_MIN = 24
const HOLD_HOURS_MAX = 35 * 24
const BPS_MAX = 10_000

const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const AmountOrNull = Type.Union([Amount, Type.Null()])
const Code = Type.String({ pattern: '^[0-9]{4}$' })
const CodeOrRange = Type.String({ pattern: '^[0-9]{4}(-[0-9]{4})?$' })
const CLOSED = { additionalProperties: false }
/** A name that people read. */
const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })

/** Amounts are minor units of the card's currency; null sets no cap. */
const CAPS = {
  /** The most that stand-in approves at once; null: no cap. */
  max_per_authorization_cents: AmountOrNull,
  /** The most that stand-in approves of one card in a day; null: no cap. */
  max_per_card_per_day_cents: AmountOrNull,
  /** Over all cards of the tenant in the running hour. */
  max_per_hour_cents: AmountOrNull,
  /** Kinds that stand-in always declines. */
  excluded_kinds: Type.Array(Type.Enum([...AUTHORIZATION_KINDS]), { uniqueItems: true }),
}
// Options stand beside the partial: those of the object inside are lost.
const StandInPolicyInput = Type.Partial(Type.Object(CAPS), CLOSED)
export type StandInPolicyInput = Static<typeof StandInPolicyInput>

const FraudRule = Type.Object(
  {
    name: FRAUD_RULE_NAME,
    /** A draft only reports; an active rule suspends the card. */
    state: Type.Enum([...FRAUD_RULE_STATES]),
    /** The number of events within `seconds` that is too many. */
    count: Type.Integer({ minimum: 2, maximum: FRAUD_COUNT_MAX }),
    /** How far the rule looks back, in seconds. */
    seconds: Type.Integer({ minimum: 10, maximum: FRAUD_SECONDS_MAX }),
    /** For card_testing: authorizations up to this amount count. Null for the other rules. */
    amount_cents: AmountOrNull,
  },
  CLOSED,
)

/**
 * How long a hold stands; null matches everything. The first row that matches counts, then the
 * built-in table.
 */
const HoldExpiry = Type.Object(
  {
    mccs: Type.Union([Type.Array(Code, { maxItems: MCCS_MAX, uniqueItems: true }), Type.Null()]),
    /** With the card at the terminal, or without; null: either. */
    card_present: Type.Union([Type.Boolean(), Type.Null()]),
    /** Begun by the cardholder or by the merchant; null: either. */
    initiator: Type.Union([Type.Literal('cardholder'), Type.Literal('merchant'), Type.Null()]),
    /** How long such a hold stands, in hours. */
    hours: Type.Integer({ minimum: HOLD_HOURS_MIN, maximum: HOLD_HOURS_MAX }),
  },
  CLOSED,
)

/** Amounts are minor units of the card's currency; null sets no limit, 0 allows no such credit. */
const CREDIT_LIMIT = {
  /** The most that one refund or payout may add beyond the capture it names; null: no limit. */
  per_authorization_cents: AmountOrNull,
  /** The most that they may bring to one card in a day, UTC; null: no limit. */
  per_card_per_day_cents: AmountOrNull,
}

/**
 * The amount by which a hold is raised; the first row that matches counts. None: the built-in
 * presets.
 */
const HoldAdjustment = Type.Object(
  {
    mccs: Type.Array(CodeOrRange, { minItems: 1, maxItems: MCCS_MAX, uniqueItems: true }),
    /** replace: hold the value instead. add_percent, add_amount: hold so much more. */
    mode: Type.Enum([...ADJUSTMENT_MODES]),
    /** Minor units, or whole percent. */
    value: Amount,
    /** The most that is added, in minor units of the card’s currency; null: no cap. */
    max_cents: AmountOrNull,
  },
  CLOSED,
)

const SETTINGS = {
  /** True when the tenant is asked before an approval. */
  realtime: Type.Boolean(),
  /** The decision when the tenant is silent. */
  stand_in: Type.Enum([...STAND_INS]),
  /**
   * The duration of holds by kind of payment; a payment without a matching row uses the built-in
   * table.
   */
  hold_expiry: Type.Array(HoldExpiry, { maxItems: ROWS_MAX }),
  /** The amount held beyond the requested amount, by category; none: the built-in presets. */
  hold_adjustments: Type.Array(HoldAdjustment, { maxItems: ROWS_MAX }),
  /** The margin on our own rates, in hundredths of a percent. */
  fx_margin_bps: Type.Integer({ minimum: 0, maximum: BPS_MAX }),
  /**
   * The largest difference between the network’s billing amount and the amount by our own rate, in
   * hundredths of a percent.
   */
  billing_tolerance_bps: Type.Integer({ minimum: 0, maximum: BPS_MAX }),
  /**
   * Beyond that: decline the authorization, or count the larger of the two amounts. The transaction
   * is flagged.
   */
  billing_mismatch_action: Type.Enum([...BILLING_MISMATCH_ACTIONS]),
  time_zone: Type.String({ minLength: 1, maxLength: 64 }),
}

const ProgramSettings = Type.Partial(
  Type.Object({
    ...SETTINGS,
    /**
     * The authorizations that stand-in may approve while you are silent; null: all that the
     * controls allow.
     */
    stand_in_policy: Type.Union([StandInPolicyInput, Type.Null()]),
    /**
     * Rules that suspend a card automatically; rules that a change does not name stay as they are.
     */
    fraud_rules: Type.Array(FraudRule, { maxItems: FRAUD_RULE_NAMES.length }),
    /**
     * The most that refunds and payouts may add to a card without a capture behind them; a limit
     * that a change does not name stays.
     */
    credit_limit: Type.Partial(Type.Object(CREDIT_LIMIT), CLOSED),
  }),
)
export type ProgramSettingsInput = Static<typeof ProgramSettings>

/** The fields of a new program; a field that is left out gets the default of the shape. */
const NewProgram = Type.Object({
  /** The name of the program. */
  name: Name,
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  ...ProgramSettings.properties,
  ...OWN_DATA_INPUT,
})
export const NEW_PROGRAM_INPUT = NewProgram.properties
export type NewProgramInput = Static<typeof NewProgram>

/**
 * The fields that may change; a field that is left out stays as it is. The currency never changes,
 * because cards have been issued in it.
 */
const ProgramChange = Type.Object({
  name: Type.Optional(Name),
  ...ProgramSettings.properties,
  ...OWN_DATA_CHANGE,
})
export const PROGRAM_CHANGE_INPUT = ProgramChange.properties
export type ProgramChangeInput = Static<typeof ProgramChange>

export const Program = Type.Object({
  id: Type.String(),
  object: Type.Literal('program'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  ...OWN_DATA,
  name: Type.String(),
  /** Only while active are cards issued in it and authorizations approved. */
  status: Type.Enum([...PROGRAM_STANDINGS]),
  /** The party that suspended it; null while it is not suspended. */
  suspended_by: Type.Union([SUSPENDER, Type.Null()]),
  /**
   * The reason of the suspension, in the words of the party that suspended it; null while it is not
   * suspended.
   */
  suspend_reason: Type.Union([Type.String(), Type.Null()]),
  /** Why it is not activated; null where it was not rejected. */
  reject_reason: Type.Union([Type.String(), Type.Null()]),
  /** The currency of cards that name none; null where each names its own. */
  currency: Type.Union([Type.String(), Type.Null()]),
  ...SETTINGS,
  /** The endpoint that is asked, or null where the tenant made none the one. */
  realtime_endpoint_id: Type.Union([Type.String(), Type.Null()]),
  stand_in_policy: Type.Union([Type.Object({ version: Type.Integer(), ...CAPS }), Type.Null()]),
  /**
   * Rules that suspend a card automatically; rules that a change does not name stay as they are.
   */
  fraud_rules: Type.Array(FraudRule),
  /**
   * The most that refunds and payouts may add to a card without a capture behind them; a limit that
   * a change does not name stays.
   */
  credit_limit: Type.Object(CREDIT_LIMIT),
})
export type Program = Static<typeof Program>
