// A program as the outside sees it: the settings for decisions about its cards, unless a card has
// its own. Authorization 4, 6, 7, 8.
import type { Static } from 'typebox'
import { AUTHORIZATION_KINDS } from '../authorization-kind.ts'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { TENANT_FIELDS, TENANT_FIELDS_CHANGE, TENANT_FIELDS_INPUT } from './tenant-fields.ts'

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
  max_per_authorization_cents: described(
    AmountOrNull,
    'The most that stand-in approves at once; null: no cap.',
  ),
  max_per_card_per_day_cents: described(
    AmountOrNull,
    'The most that stand-in approves of one card in a day; null: no cap.',
  ),
  max_per_hour_cents: described(AmountOrNull, 'Over all cards of the tenant in the running hour.'),
  excluded_kinds: described(
    Type.Array(Type.Enum([...AUTHORIZATION_KINDS]), { uniqueItems: true }),
    'Kinds that stand-in always declines.',
  ),
}
// Options stand beside the partial: those of the object inside are lost.
const StandInPolicyInput = Type.Partial(Type.Object(CAPS), CLOSED)
export type StandInPolicyInput = Static<typeof StandInPolicyInput>

const FraudRule = Type.Object(
  {
    name: FRAUD_RULE_NAME,
    state: described(
      Type.Enum([...FRAUD_RULE_STATES]),
      'A draft only reports; an active rule suspends the card.',
    ),
    count: described(
      Type.Integer({ minimum: 2, maximum: FRAUD_COUNT_MAX }),
      'The number of events within seconds that is too many.',
    ),
    seconds: described(
      Type.Integer({ minimum: 10, maximum: FRAUD_SECONDS_MAX }),
      'How far the rule looks back, in seconds.',
    ),
    amount_cents: described(
      AmountOrNull,
      'For card_testing: authorizations up to this amount count. Null for the other rules.',
    ),
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
    card_present: described(
      Type.Union([Type.Boolean(), Type.Null()]),
      'With the card at the terminal, or without; null: either.',
    ),
    initiator: described(
      Type.Union([Type.Literal('cardholder'), Type.Literal('merchant'), Type.Null()]),
      'Begun by the cardholder or by the merchant; null: either.',
    ),
    hours: described(
      Type.Integer({ minimum: HOLD_HOURS_MIN, maximum: HOLD_HOURS_MAX }),
      'How long such a hold stands, in hours.',
    ),
  },
  CLOSED,
)

/** Amounts are minor units of the card's currency; null sets no limit, 0 allows no such credit. */
const CREDIT_LIMIT = {
  per_authorization_cents: described(
    AmountOrNull,
    'The most that one refund or payout may add beyond the capture it names; null: no limit.',
  ),
  per_card_per_day_cents: described(
    AmountOrNull,
    'The most that they may bring to one card in a day, UTC; null: no limit.',
  ),
}

/**
 * The amount by which a hold is raised; the first row that matches counts. None: the built-in
 * presets.
 */
const HoldAdjustment = Type.Object(
  {
    mccs: Type.Array(CodeOrRange, { minItems: 1, maxItems: MCCS_MAX, uniqueItems: true }),
    mode: described(
      Type.Enum([...ADJUSTMENT_MODES]),
      'replace: hold the value instead. add_percent, add_amount: hold so much more.',
    ),
    value: described(Amount, 'Minor units, or whole percent.'),
    max_cents: described(
      AmountOrNull,
      'The most that is added, in minor units of the card’s currency; null: no cap.',
    ),
  },
  CLOSED,
)

const SETTINGS = {
  realtime: described(Type.Boolean(), 'True when the tenant is asked before an approval.'),
  stand_in: described(Type.Enum([...STAND_INS]), 'The decision when the tenant is silent.'),
  hold_expiry: described(
    Type.Array(HoldExpiry, { maxItems: ROWS_MAX }),
    'The duration of holds by kind of payment; a payment without a matching row uses the built-in table.',
  ),
  hold_adjustments: described(
    Type.Array(HoldAdjustment, { maxItems: ROWS_MAX }),
    'The amount held beyond the requested amount, by category; none: the built-in presets.',
  ),
  fx_margin_bps: described(
    Type.Integer({ minimum: 0, maximum: BPS_MAX }),
    'The margin on our own rates, in hundredths of a percent.',
  ),
  billing_tolerance_bps: described(
    Type.Integer({ minimum: 0, maximum: BPS_MAX }),
    'The largest difference between the network’s billing amount and the amount by our own rate, in hundredths of a percent.',
  ),
  billing_mismatch_action: described(
    Type.Enum([...BILLING_MISMATCH_ACTIONS]),
    'Beyond that: decline the authorization, or count the larger of the two amounts. The transaction is flagged.',
  ),
  time_zone: Type.String({ minLength: 1, maxLength: 64 }),
}

const ProgramSettings = Type.Partial(
  Type.Object({
    ...SETTINGS,
    stand_in_policy: described(
      Type.Union([StandInPolicyInput, Type.Null()]),
      'The authorizations that stand-in may approve while you are silent; null: all that the controls allow.',
    ),
    fraud_rules: described(
      Type.Array(FraudRule, { maxItems: FRAUD_RULE_NAMES.length }),
      'Rules that suspend a card automatically; rules that a change does not name stay as they are.',
    ),
    credit_limit: described(
      Type.Partial(Type.Object(CREDIT_LIMIT), CLOSED),
      'The most that refunds and payouts may add to a card without a capture behind them; a limit that a change does not name stays.',
    ),
  }),
)
export type ProgramSettingsInput = Static<typeof ProgramSettings>

/** The fields of a new program; a field that is left out gets the default of the shape. */
const NewProgram = Type.Object({
  name: described(Name, 'The name of the program.'),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  ...ProgramSettings.properties,
  ...TENANT_FIELDS_INPUT,
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
  ...TENANT_FIELDS_CHANGE,
})
export const PROGRAM_CHANGE_INPUT = ProgramChange.properties
export type ProgramChangeInput = Static<typeof ProgramChange>

export const Program = Type.Object({
  id: Type.String(),
  object: Type.Literal('program'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  ...TENANT_FIELDS,
  name: Type.String(),
  status: described(
    Type.Enum([...PROGRAM_STANDINGS]),
    'Only while active are cards issued in it and authorizations approved.',
  ),
  suspended_by: described(
    Type.Union([SUSPENDER, Type.Null()]),
    'The party that suspended it; null while it is not suspended.',
  ),
  suspend_reason: described(
    Type.Union([Type.String(), Type.Null()]),
    'The reason of the suspension, in the words of the party that suspended it; null while it is not suspended.',
  ),
  reject_reason: described(
    Type.Union([Type.String(), Type.Null()]),
    'Why it is not activated; null where it was not rejected.',
  ),
  currency: described(
    Type.Union([Type.String(), Type.Null()]),
    'The currency of cards that name none; null where each names its own.',
  ),
  ...SETTINGS,
  realtime_endpoint_id: described(
    Type.Union([Type.String(), Type.Null()]),
    'The endpoint that is asked, or null where the tenant made none the one.',
  ),
  stand_in_policy: described(
    Type.Union([Type.Object({ version: Type.Integer(), ...CAPS }), Type.Null()]),
    'The authorizations that stand-in may approve while you are silent; null: all that the controls allow.',
  ),
  fraud_rules: described(
    Type.Array(FraudRule),
    'Rules that suspend a card automatically; rules that a change does not name stay as they are.',
  ),
  credit_limit: described(
    Type.Object(CREDIT_LIMIT),
    'The most that refunds and payouts may add to a card without a capture behind them; a limit that a change does not name stays.',
  ),
})
export type Program = Static<typeof Program>
