// Who lives in the sandbox: programs and cards by purpose, every card with a cardholder of its own. Only a table.
import type {
  CardStatus,
  CardType,
  LimitInterval,
  ListRule,
  ProgramStatus,
} from '../../../shared/wire/facts.ts'

export interface ProgramPlan {
  name: string
  status: ProgramStatus
  realtime: boolean
  standIn: 'controls' | 'decline'
}

export const PROGRAMS = {
  plain: { name: 'Everyday cards', status: 'active', realtime: false, standIn: 'controls' },
  realtime: { name: 'Cards that ask', status: 'active', realtime: true, standIn: 'controls' },
  standin_decline: {
    name: 'Cards that ask and decline when nobody answers',
    status: 'active',
    realtime: true,
    standIn: 'decline',
  },
  suspended: {
    name: 'Suspended program',
    status: 'suspended',
    realtime: false,
    standIn: 'controls',
  },
  pending: { name: 'Pending program', status: 'pending', realtime: false, standIn: 'controls' },
} as const satisfies { readonly [program: string]: ProgramPlan }

export type ProgramName = keyof typeof PROGRAMS

export interface LimitPlan {
  interval: LimitInterval
  amountCents: number
}

export interface ControlsPlan {
  mccs?: ListRule
  merchants?: ListRule
  countries?: ListRule
  limits?: readonly LimitPlan[]
}

export interface CardPlan {
  program: ProgramName
  status?: CardStatus
  type?: CardType
  expired?: boolean
  cardholder?: 'active' | 'inactive' | 'frozen'
  controls?: ControlsPlan
  cardholderControls?: ControlsPlan
}

export const SANDBOX_CURRENCY = 'USD'

/** Limits nobody reaches by accident, so that a trace has something to show. */
const WIDE: ControlsPlan = {
  limits: [
    { interval: 'per_authorization', amountCents: 1_000_000_000 },
    { interval: 'daily', amountCents: 1_000_000_000_000 },
  ],
}

/** The cards of sandbox.json, in its order. Nothing of ours ever spends on them. */
export const LISTED_CARDS = {
  listed_realtime: { program: 'realtime', controls: WIDE },
  listed_plain: { program: 'plain', type: 'physical', controls: WIDE },
  listed_daily: {
    program: 'plain',
    controls: { limits: [{ interval: 'daily', amountCents: 10_000 }] },
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
  blocked_mcc: { program: 'plain', controls: { mccs: { mode: 'block', values: ['7995'] } } },
  allowed_mcc: {
    program: 'plain',
    controls: { mccs: { mode: 'allow', values: ['5411', '5812'] } },
  },
  blocked_merchant: {
    program: 'plain',
    controls: { merchants: { mode: 'block', values: ['merch_blocked'] } },
  },
  blocked_country: { program: 'plain', controls: { countries: { mode: 'block', values: ['RU'] } } },
  limited_plain: {
    program: 'plain',
    controls: {
      limits: [
        { interval: 'per_authorization', amountCents: 20_000 },
        { interval: 'daily', amountCents: 50_000 },
      ],
    },
  },
  cardholder_limited: {
    program: 'plain',
    cardholderControls: { limits: [{ interval: 'daily', amountCents: 50_000 }] },
  },
  scenario_plain: { program: 'plain' },
  scenario_realtime: { program: 'realtime' },
  scenario_realtime_standin_decline: { program: 'standin_decline' },
}

const BURST_CARDS = 4
const LOAD_CARDS = 32

/** Every card of the sandbox by purpose. */
export const SANDBOX_CARDS: { readonly [purpose: string]: CardPlan } = {
  ...LISTED_CARDS,
  ...SIMULATOR_CARDS,
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
