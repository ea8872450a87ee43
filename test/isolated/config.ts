// The configuration of an engine of a story's own: one program, one cardholder, one card without
// limits, and the controls that a story may add.
import type { Derivation } from '../../shared/keyring.ts'
import { isMinorUnits } from '../../shared/money.ts'
import {
  type CardConfig,
  type CardholderConfig,
  type ControlConfig,
  type ControlScope,
  type ControlsConfig,
  type LimitConfig,
  openControl,
  ownControlId,
  PROGRAM_DEFAULTS,
  type ProgramConfig,
} from '../../shared/wire/config-records.ts'

const OWNER = { tenant_id: 'ten_story', environment: 'sandbox' } as const

export const OWN_PROGRAM: ProgramConfig = {
  type: 'program',
  id: 'prog_story',
  version: 1,
  ...OWNER,
  status: 'active',
  realtime: false,
  endpoint_id: null,
  stand_in: 'controls',
  time_zone: 'UTC',
  api_version: '2026-11-20',
  realtime_entitled: false,
  authorizations_closed: false,
  shard: null,
  stand_in_policy: null,
  fraud_rules: [],
  hold_expiry: [],
  hold_adjustments: [],
  fx_margin_bps: 0,
  clock_offset_ms: 0,
  ...PROGRAM_DEFAULTS,
}

const CARDHOLDER: CardholderConfig = {
  type: 'cardholder',
  id: 'ch_story',
  version: 1,
  program_id: OWN_PROGRAM.id,
  status: 'active',
  frozen: false,
}

export const OWN_CARD = { id: 'card_story', token: 'ctok_story', currency: 'USD' } as const
const PAN = '9999990000000017'
const [EXP_MONTH, EXP_YEAR] = [12, 2040]

/** Program, cardholder and card. */
export function isolatedConfig(
  derivation: Derivation,
): [ProgramConfig, CardholderConfig, CardConfig] {
  const fingerprint = derivation.fingerprint(PAN)
  const cvc = derivation.cvc(PAN, EXP_MONTH, EXP_YEAR)
  const card: CardConfig = {
    type: 'card',
    version: 1,
    ...OWNER,
    ...OWN_CARD,
    program_id: OWN_PROGRAM.id,
    cardholder_id: CARDHOLDER.id,
    fingerprint,
    last4: PAN.slice(-4),
    card_type: 'virtual',
    status: 'active',
    exp_month: EXP_MONTH,
    exp_year: EXP_YEAR,
    cvc_verifier: derivation.cvcVerifier(fingerprint, cvc),
    pin_verifier: null,
    windows_id: OWN_CARD.id,
    suspended_by: null,
    loss: null,
    funded_cents: null,
  }
  return [OWN_PROGRAM, CARDHOLDER, card]
}

export interface PrintedCard {
  pan: string
  exp_month: number
  exp_year: number
  cvc: string
}

/** The details printed on the card. */
export function ownPrinted(derivation: Derivation): PrintedCard {
  const cvc = derivation.cvc(PAN, EXP_MONTH, EXP_YEAR)
  return { pan: PAN, exp_month: EXP_MONTH, exp_year: EXP_YEAR, cvc }
}

/** One control that binds the card (or another subject), made of an open one. */
export function ownControls(
  change: Partial<ControlConfig>,
  subject: { id: string; scope: ControlScope; version: number } = {
    id: OWN_CARD.id,
    scope: 'card',
    version: 1,
  },
): ControlsConfig {
  const control = { ...openControl(ownControlId(subject.id)), ...change }
  return { type: 'controls', ...subject, controls: [control] }
}

/** A limit in the card's currency, daily in UTC by default. */
export function ownLimit({ amount_cents: amount, ...change }: LimitChange): LimitConfig {
  return {
    id: 'lim_story',
    interval: 'daily',
    amount_cents: isMinorUnits(amount) ? amount : null,
    count: null,
    currency: OWN_CARD.currency,
    time_zone: 'UTC',
    rolling_seconds: null,
    filter: null,
    ...change,
  }
}

type LimitChange = Partial<Omit<LimitConfig, 'amount_cents'>> & { amount_cents?: number }
