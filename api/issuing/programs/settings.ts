// Turns the caller's input into the settings of a program, or refuses it with the name of the
// field: checks that no schema can express.
import { isDeepStrictEqual } from 'node:util'
import type { ProgramSettingsInput, StandInPolicyInput } from '../../../shared/schemas/program.ts'
import { timeZoneName } from '../../../shared/time-zone.ts'
import type { FraudRule, StandInPolicy } from '../../../shared/wire/config-records.ts'
import { Refusal } from '../../http/refusal.ts'
import type { ProgramSettings } from './view.ts'

/** Authorization 7: kinds that stand-in never approves unless the tenant allows them. */
const EXCLUDED_KINDS_DEFAULT = ['cash_withdrawal', 'quasi_cash', 'original_credit']
const PERCENT_MAX = 100

/** Returns `held` with the caller's fields in place of its own. */
export function newSettings(held: ProgramSettings, input: ProgramSettingsInput): ProgramSettings {
  refuseAdjustments(input.hold_adjustments ?? [])
  const standIn = input.stand_in ?? held.standIn
  return {
    realtime: input.realtime ?? held.realtime,
    standIn,
    standInPolicy: newPolicy(held.standInPolicy, input.stand_in_policy, standIn),
    fraudRules: newRules(held.fraudRules, input.fraud_rules ?? []),
    holdExpiry: input.hold_expiry ?? held.holdExpiry,
    holdAdjustments: input.hold_adjustments ?? held.holdAdjustments,
    fxMarginBps: input.fx_margin_bps ?? held.fxMarginBps,
    billingToleranceBps: input.billing_tolerance_bps ?? held.billingToleranceBps,
    billingMismatchAction: input.billing_mismatch_action ?? held.billingMismatchAction,
    creditLimit: { ...held.creditLimit, ...input.credit_limit },
    timeZone: input.time_zone === undefined ? held.timeZone : zoneOf(input.time_zone),
  }
}

/** A policy is replaced whole. Its number counts its changes, starting at 1. */
function newPolicy(
  held: StandInPolicy | null,
  input: StandInPolicyInput | null | undefined,
  action: StandInPolicy['action'],
): StandInPolicy | null {
  if (input === null || (input === undefined && held === null)) return null
  const given = input ?? held ?? {}
  const version = held?.version ?? 0
  const policy: StandInPolicy = {
    version,
    action,
    max_per_authorization_cents: given.max_per_authorization_cents ?? null,
    max_per_card_per_day_cents: given.max_per_card_per_day_cents ?? null,
    max_per_hour_cents: given.max_per_hour_cents ?? null,
    excluded_kinds: given.excluded_kinds ?? EXCLUDED_KINDS_DEFAULT,
  }
  return isDeepStrictEqual(policy, held) ? policy : { ...policy, version: version + 1 }
}

/** Each rule appears once; rules not named stay as they are. */
function newRules(held: readonly FraudRule[], input: readonly FraudRule[]): readonly FraudRule[] {
  for (const [index, rule] of input.entries()) {
    const at = '/fraud_rules/' + index
    if (input.findIndex(({ name }) => name === rule.name) !== index)
      throw invalid(at + '/name', 'This rule stands twice.')
    if ((rule.name === 'card_testing') !== (rule.amount_cents !== null))
      throw invalid(at + '/amount_cents', 'card_testing has an amount, and no other rule has one.')
  }
  const kept = held.filter((rule) => !input.some(({ name }) => name === rule.name))
  return [...kept, ...input].sort((one, other) => (one.name < other.name ? -1 : 1))
}

function refuseAdjustments(
  adjustments: NonNullable<ProgramSettingsInput['hold_adjustments']>,
): void {
  for (const [index, { mccs, mode, value }] of adjustments.entries()) {
    const at = '/hold_adjustments/' + index
    if (mode === 'add_percent' && value > PERCENT_MAX)
      throw invalid(at + '/value', 'This field must be at most 100 percent.')
    const turned = mccs.findIndex(
      (code) => code.slice(5) !== '' && code.slice(5) < code.slice(0, 4),
    )
    if (turned !== -1) throw invalid(at + '/mccs/' + turned, 'This range ends before it begins.')
  }
}

function zoneOf(text: string): string {
  const name = timeZoneName(text)
  if (name === null)
    throw invalid('time_zone', 'This field must be an IANA time zone such as Europe/Berlin.')
  return name
}

function invalid(param: string, message: string): Refusal {
  return new Refusal('parameter_invalid', { param, message })
}
