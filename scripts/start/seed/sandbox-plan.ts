// The plan of the sandbox: programs and cards by purpose, every card with a cardholder of its own.
// Only a table.
import type { ProgramSettingsInput } from '../../../shared/schemas/program.ts'
import type { ControlTermsInput } from '../../../shared/schemas/spending-control.ts'
import type { CardStatus, CardType, ProgramStatus } from '../../../shared/wire/config-records.ts'

export interface ProgramPlan {
  name: string
  /** The status of the program once its cards are there. */
  status?: Exclude<ProgramStatus, 'active'>
  /** The settings that differ from those of a new program. */
  settings: Pick<ProgramSettingsInput, 'realtime' | 'stand_in' | 'fraud_rules'>
}

const ASKS = { realtime: true }

export const PROGRAMS = {
  plain: { name: 'Everyday cards', settings: {} },
  realtime: { name: 'Cards that ask', settings: ASKS },
  standin_decline: {
    name: 'Cards that ask and decline when nobody answers',
    settings: { ...ASKS, stand_in: 'decline' },
  },
  fraud_active: {
    name: 'Cards that fraud rules suspend',
    settings: {
      fraud_rules: [
        { name: 'card_testing', state: 'active', count: 10, seconds: 60, amount_cents: 500 },
        { name: 'cvc_failures', state: 'active', count: 5, seconds: 3600, amount_cents: null },
        { name: 'pin_failures', state: 'active', count: 5, seconds: 3600, amount_cents: null },
      ],
    },
  },
  suspended: { name: 'Suspended program', status: 'suspended', settings: {} },
  pending: { name: 'Pending program', status: 'pending', settings: {} },
} as const satisfies { readonly [program: string]: ProgramPlan }

export type ProgramName = keyof typeof PROGRAMS

/** A limit of a card itself, counted in UTC. */
export interface LimitPlan {
  interval: 'per_authorization' | 'daily'
  amount_cents: number
}

export interface CardPlan {
  program: ProgramName
  status?: CardStatus
  type?: CardType
  /** Its time has run out. */
  expired?: true
  currency?: string
  /** Its cardholder is its own; where it is left out the cards of a program share one. */
  cardholder?: 'active' | 'inactive' | 'frozen'
  limits?: readonly LimitPlan[]
  /** A spending control of the card. */
  controls?: ControlTermsInput
  /** A spending control of its cardholder. */
  cardholderControls?: ControlTermsInput
  /** The card has a PIN. */
  pin?: true
  walletToken?: 'active' | 'suspended'
  authentication?: 'authenticated' | 'failed'
  /** The network names it by its token alone. */
  byToken?: true
}

/** Limits that no use reaches by accident, so a trace has something to show. */
const WIDE: readonly LimitPlan[] = [
  { interval: 'per_authorization', amount_cents: 1_000_000_000 },
  { interval: 'daily', amount_cents: 1_000_000_000_000 },
]

const ALONE = { cardholder: 'active' } as const

/** The cards of sandbox.json, in its order. Nothing of ours ever spends on them. */
export const LISTED_CARDS = {
  listed_realtime: { ...ALONE, program: 'realtime', limits: WIDE },
  listed_plain: { ...ALONE, program: 'plain', type: 'physical', limits: WIDE },
  listed_daily: { ...ALONE, program: 'plain', limits: daily(10_000) },
  listed_suspended: {
    ...ALONE,
    program: 'plain',
    type: 'physical',
    status: 'suspended',
    limits: WIDE,
  },
  listed_terminated: { ...ALONE, program: 'plain', status: 'terminated', limits: WIDE },
} as const satisfies { readonly [purpose: string]: CardPlan }

export type ListedPurpose = keyof typeof LISTED_CARDS

const STATE_CARDS: { readonly [purpose: string]: CardPlan } = {
  suspended: { program: 'plain', status: 'suspended' },
  terminated: { program: 'plain', status: 'terminated' },
  not_activated: { program: 'plain', status: 'issued', type: 'physical' },
  expired: { program: 'plain', expired: true },
  cardholder_frozen: { program: 'plain', cardholder: 'frozen' },
  cardholder_inactive: { program: 'plain', cardholder: 'inactive' },
  program_suspended: { program: 'suspended' },
  program_pending: { program: 'pending' },
}

const SCENARIO_CARDS: { readonly [purpose: string]: CardPlan } = {
  scenario_plain: { ...ALONE, program: 'plain' },
  scenario_realtime: { ...ALONE, program: 'realtime' },
  scenario_realtime_standin_decline: { ...ALONE, program: 'standin_decline' },
  limited_plain: {
    ...ALONE,
    program: 'plain',
    limits: [{ interval: 'per_authorization', amount_cents: 20_000 }, ...daily(50_000)],
  },
  cardholder_limited: {
    ...ALONE,
    program: 'plain',
    cardholderControls: { limits: [{ interval: 'daily', amount_cents: 50_000, currency: 'USD' }] },
  },
}

/** One control each, on a card of its own. */
const CONTROL_CARDS: { readonly [purpose: string]: CardPlan } = {
  blocked_mcc: plain({ blocked_mccs: ['7995'] }),
  allowed_mcc: plain({ allowed_mccs: ['5411', '5812'] }),
  blocked_merchant: plain({ blocked_merchant_ids: ['merch_blocked'] }),
  blocked_country: plain({ blocked_countries: ['RU'] }),
  blocked_category: plain({ blocked_categories: ['betting_casino_gambling'] }),
  blocked_range: plain({ blocked_mccs: ['3000-3299'] }),
  blocked_entry_method: plain({ blocked_entry_methods: ['manual'] }),
  blocked_presence: plain({ blocked_card_presence: ['not_present'] }),
  blocked_atm: plain({ blocked_kinds: ['cash_withdrawal'] }),
  blocked_wallet: { ...plain({ blocked_wallets: ['apple_pay'] }), walletToken: 'active' },
  blocked_fallback: plain({ fallback: 'blocked' }),
  authentication_required: plain({ authentication: 'required' }),
}

/** Cards with data of the issuer: currencies, PINs, tokens, authentications. */
const FACT_CARDS: { readonly [purpose: string]: CardPlan } = {
  yen: { program: 'plain', currency: 'JPY', limits: daily(50_000) },
  dinar: { program: 'plain', currency: 'KWD', limits: daily(100_000) },
  euro: { program: 'plain', currency: 'EUR' },
  pin: { program: 'plain', type: 'physical', pin: true },
  wallet_active: { program: 'plain', walletToken: 'active' },
  wallet_suspended: { program: 'plain', walletToken: 'suspended' },
  authenticated: { ...plain({ authentication: 'required' }), authentication: 'authenticated' },
  authentication_failed: { ...plain({ authentication: 'required' }), authentication: 'failed' },
  fraud_active: { program: 'fraud_active', pin: true },
}

/** Units of the second currency for one of the first; the other direction follows. */
export const FX_RATES: { readonly [pair: string]: string } = {
  'EUR/USD': '1.0850',
  'GBP/USD': '1.2700',
  'USD/JPY': '155.25',
  'KWD/USD': '3.2510',
  'EUR/JPY': '168.45',
}

function daily(cents: number): readonly LimitPlan[] {
  return [{ interval: 'daily', amount_cents: cents }]
}

function plain(controls: ControlTermsInput): CardPlan {
  return { program: 'plain', controls }
}

/** The cards behind the dispute and the sanctions alert of the dashboard. */
const SHOWN_CARDS: { readonly [purpose: string]: CardPlan } = {
  disputed: { ...ALONE, program: 'plain' },
  screened: { ...ALONE, program: 'plain' },
}

const BURST_CARDS = 4
const LOAD_CARDS = 32

/** Every card of the sandbox by purpose. */
export const SANDBOX_CARDS: { readonly [purpose: string]: CardPlan } = {
  ...LISTED_CARDS,
  ...STATE_CARDS,
  ...SCENARIO_CARDS,
  ...CONTROL_CARDS,
  ...FACT_CARDS,
  ...SHOWN_CARDS,
  ...numbered('burst_plain', BURST_CARDS, { program: 'plain', limits: WIDE }),
  ...numbered('burst_realtime', BURST_CARDS, { program: 'realtime', limits: WIDE }),
  ...numbered('load_plain', LOAD_CARDS, { program: 'plain', byToken: true }),
  ...numbered('load_realtime', LOAD_CARDS, { program: 'realtime', byToken: true }),
}

function numbered(name: string, count: number, plan: CardPlan): { [purpose: string]: CardPlan } {
  const plans: { [purpose: string]: CardPlan } = {}
  for (let number = 1; number <= count; number++) plans[name + '_' + number] = plan
  return plans
}
