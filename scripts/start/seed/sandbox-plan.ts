// Who lives in the sandbox: programs and cards by purpose, every card with a cardholder of its own. Only a table.
import type { ControlTermsInput } from '../../../shared/schemas/spending-control.ts'
import type {
  CardStatus,
  CardType,
  FraudRule,
  ProgramStatus,
  StandInPolicy,
} from '../../../shared/wire/facts.ts'

export interface ProgramPlan {
  name: string
  status: ProgramStatus
  realtime: boolean
  standIn: 'controls' | 'decline'
  standInPolicy?: StandInPolicy
  /** The defaults, which are drafts, where it names none. */
  fraudRules?: readonly FraudRule[]
  /** Of the tenant that may not ask before it approves. */
  unentitled?: true
}

/** Caps that two small purchases reach. */
const CAPS: StandInPolicy = {
  version: 1,
  action: 'controls',
  max_per_authorization_cents: 10_000,
  max_per_card_per_day_cents: 15_000,
  max_per_hour_cents: 1_000_000,
  excluded_kinds: ['cash_withdrawal', 'quasi_cash', 'original_credit'],
}

const ACTIVE_FRAUD_RULES: readonly FraudRule[] = [
  { name: 'card_testing', state: 'active', count: 10, seconds: 60, amount_cents: 500 },
  { name: 'cvc_failures', state: 'active', count: 5, seconds: 3600, amount_cents: null },
  { name: 'pin_failures', state: 'active', count: 5, seconds: 3600, amount_cents: null },
]

const ASKS = { status: 'active', realtime: true, standIn: 'controls' } as const
const ASKS_NOBODY = { status: 'active', realtime: false, standIn: 'controls' } as const

export const PROGRAMS = {
  plain: { ...ASKS_NOBODY, name: 'Everyday cards' },
  realtime: { ...ASKS, name: 'Cards that ask' },
  standin_decline: {
    ...ASKS,
    name: 'Cards that ask and decline when nobody answers',
    standIn: 'decline',
  },
  standin_capped: {
    ...ASKS,
    name: 'Cards that ask and are approved within caps when nobody answers',
    standInPolicy: CAPS,
  },
  fraud_active: {
    ...ASKS_NOBODY,
    name: 'Cards that fraud rules suspend',
    fraudRules: ACTIVE_FRAUD_RULES,
  },
  unentitled: { ...ASKS, name: 'Cards that would ask and may not', unentitled: true },
  suspended: { ...ASKS_NOBODY, name: 'Suspended program', status: 'suspended' },
  pending: { ...ASKS_NOBODY, name: 'Pending program', status: 'pending' },
} as const satisfies { readonly [program: string]: ProgramPlan }

export type ProgramName = keyof typeof PROGRAMS

/** What a spending control of the card or its cardholder says. */
export type ControlsPlan = ControlTermsInput

export interface CardPlan {
  program: ProgramName
  status?: CardStatus
  type?: CardType
  expired?: boolean
  currency?: string
  cardholder?: 'active' | 'inactive' | 'frozen'
  controls?: ControlsPlan
  /** Its control only tells what it would do. */
  draft?: true
  cardholderControls?: ControlsPlan
  /** The card has a PIN. */
  pin?: true
  walletToken?: 'active' | 'suspended'
  authentication?: 'authenticated' | 'failed'
}

export const SANDBOX_CURRENCY = 'USD'

/** Limits nobody reaches by accident, so that a trace has something to show. */
const WIDE: ControlsPlan = {
  limits: [
    { interval: 'per_authorization', amount_cents: 1_000_000_000 },
    { interval: 'daily', amount_cents: 1_000_000_000_000 },
  ],
}

/** The cards of sandbox.json, in its order. Nothing of ours ever spends on them. */
export const LISTED_CARDS = {
  listed_realtime: { program: 'realtime', controls: WIDE },
  listed_plain: { program: 'plain', type: 'physical', controls: WIDE },
  listed_daily: {
    program: 'plain',
    controls: { limits: [{ interval: 'daily', amount_cents: 10_000 }] },
  },
  listed_suspended: { program: 'plain', type: 'physical', status: 'suspended', controls: WIDE },
  listed_terminated: { program: 'plain', status: 'terminated', controls: WIDE },
} as const satisfies { readonly [purpose: string]: CardPlan }

export type ListedPurpose = keyof typeof LISTED_CARDS

const SIMULATOR_CARDS: { readonly [purpose: string]: CardPlan } = {
  suspended: { program: 'plain', status: 'suspended' },
  terminated: { program: 'plain', status: 'terminated' },
  not_activated: { program: 'plain', status: 'issued', type: 'physical' },
  expired: { program: 'plain', expired: true },
  cardholder_frozen: { program: 'plain', cardholder: 'frozen' },
  cardholder_inactive: { program: 'plain', cardholder: 'inactive' },
  program_suspended: { program: 'suspended' },
  program_pending: { program: 'pending' },
  blocked_mcc: { program: 'plain', controls: { blocked_mccs: ['7995'] } },
  allowed_mcc: {
    program: 'plain',
    controls: { allowed_mccs: ['5411', '5812'] },
  },
  blocked_merchant: {
    program: 'plain',
    controls: { blocked_merchant_ids: ['merch_blocked'] },
  },
  blocked_country: { program: 'plain', controls: { blocked_countries: ['RU'] } },
  limited_plain: {
    program: 'plain',
    controls: {
      limits: [
        { interval: 'per_authorization', amount_cents: 20_000 },
        { interval: 'daily', amount_cents: 50_000 },
      ],
    },
  },
  cardholder_limited: {
    program: 'plain',
    cardholderControls: { limits: [{ interval: 'daily', amount_cents: 50_000 }] },
  },
  scenario_plain: { program: 'plain' },
  scenario_realtime: { program: 'realtime' },
  scenario_realtime_standin_decline: { program: 'standin_decline' },
}

/** One control each, on a card of its own. */
const CONTROL_CARDS: { readonly [purpose: string]: CardPlan } = {
  daily_count: plain({ limits: [{ interval: 'daily', count: 2 }] }),
  rolling: plain({ limits: [{ interval: 'rolling', rolling_seconds: 10, amount_cents: 10_000 }] }),
  filtered: plain({
    limits: [
      {
        interval: 'daily',
        amount_cents: 5000,
        filters: { categories: ['eating_places_restaurants'] },
      },
    ],
  }),
  blocked_category: plain({ blocked_categories: ['betting_casino_gambling'] }),
  blocked_range: plain({ blocked_mccs: ['3000-3299'] }),
  schedule_open: plain({ schedule: [{}] }),
  // Open for one minute of the week: a schedule that is never open cannot be written.
  schedule_closed: plain({ schedule: [{ days: ['sunday'], from: '03:33', until: '03:34' }] }),
  single_use: plain({ single_use: { mode: 'max', amount_cents: 10_000 } }),
  single_use_exact: plain({ single_use: { mode: 'exact', amount_cents: 2500 } }),
  merchant_lock: plain({ merchant_lock: true }),
  cancel_after_two: plain({ cancel_after: 2 }),
  blocked_entry_method: plain({ blocked_entry_methods: ['manual'] }),
  blocked_presence: plain({ blocked_card_presence: ['not_present'] }),
  blocked_atm: plain({ blocked_kinds: ['cash_withdrawal'] }),
  blocked_wallet: { ...plain({ blocked_wallets: ['apple_pay'] }), walletToken: 'active' },
  allowed_currency: plain({ allowed_currencies: ['USD', 'EUR'] }),
  blocked_fallback: plain({ fallback: 'blocked' }),
  authentication_required: plain({ authentication: 'required' }),
  draft: { ...plain({ blocked_mccs: ['5411'] }), draft: true },
  replaceable: plain({ limits: [{ interval: 'daily', amount_cents: 10_000 }] }),
}

/** What the issuer keeps itself: currencies, PINs, tokens, authentications, policies. */
const FACT_CARDS: { readonly [purpose: string]: CardPlan } = {
  yen: {
    ...plain({ limits: [{ interval: 'daily', amount_cents: 50_000 }] }),
    currency: 'JPY',
  },
  dinar: {
    ...plain({ limits: [{ interval: 'daily', amount_cents: 100_000 }] }),
    currency: 'KWD',
  },
  euro: { program: 'plain', currency: 'EUR' },
  pin: { program: 'plain', type: 'physical', pin: true },
  wallet_active: { program: 'plain', walletToken: 'active' },
  wallet_suspended: { program: 'plain', walletToken: 'suspended' },
  authenticated: { ...plain({ authentication: 'required' }), authentication: 'authenticated' },
  authentication_failed: { ...plain({ authentication: 'required' }), authentication: 'failed' },
  standin_capped: { program: 'standin_capped' },
  fraud_active: { program: 'fraud_active', pin: true },
  fraud_draft: { program: 'plain', pin: true },
  unentitled: { program: 'unentitled' },
}

/** Units of the second currency for one of the first; the other direction follows. */
export const FX_RATES: { readonly [pair: string]: string } = {
  'EUR/USD': '1.0850',
  'GBP/USD': '1.2700',
  'USD/JPY': '155.25',
  'KWD/USD': '3.2510',
  'EUR/JPY': '168.45',
}

function plain(controls: ControlsPlan): CardPlan {
  return { program: 'plain', controls }
}

const BURST_CARDS = 4
const LOAD_CARDS = 32

/** Every card of the sandbox by purpose. */
export const SANDBOX_CARDS: { readonly [purpose: string]: CardPlan } = {
  ...LISTED_CARDS,
  ...SIMULATOR_CARDS,
  ...CONTROL_CARDS,
  ...FACT_CARDS,
  ...numbered('burst_plain', BURST_CARDS, { program: 'plain', controls: WIDE }),
  ...numbered('burst_realtime', BURST_CARDS, { program: 'realtime', controls: WIDE }),
  ...numbered('load_plain', LOAD_CARDS, { program: 'plain' }),
  ...numbered('load_realtime', LOAD_CARDS, { program: 'realtime' }),
}

function numbered(name: string, count: number, plan: CardPlan): { [purpose: string]: CardPlan } {
  const plans: { [purpose: string]: CardPlan } = {}
  for (let number = 1; number <= count; number++) plans[name + '_' + number] = plan
  return plans
}
