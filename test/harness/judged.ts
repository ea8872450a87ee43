// The parts of an authorization that passes every rule, to be changed one at a time.

import { boundControls } from '../../engine/rules/bound-controls.ts'
import type { BoundControls, ControlUses, Judged } from '../../engine/rules/rule.ts'
import type { MinorUnits } from '../../shared/money.ts'
import {
  type ControlConfig,
  type ControlScope,
  type ControlsConfig,
  type EndpointConfig,
  type LimitConfig,
  type ListRule,
  openControl,
  ownControlId,
  PROGRAM_DEFAULTS,
} from '../../shared/wire/config-records.ts'
import { PLAIN_MESSAGE } from '../../shared/wire/plain-message.ts'

export type JudgedChange = {
  readonly [Part in keyof Judged]?: Partial<Judged[Part]> | Judged[Part]
}

export function judgedConfig(change: JudgedChange = {}): Judged {
  const base: Judged = {
    message: {
      ...PLAIN_MESSAGE,
      id: 'msg-1',
      kind: 'authorization',
      network: 'simnet',
      networkTransactionId: 'ntx-1',
      transmittedAtMs: 0,
      amountCents: 1000,
      currency: 'USD',
      merchantId: 'm-1',
      merchantName: 'Shop',
      mcc: '5411',
      city: '',
      country: 'US',
      entryMethod: 'chip',
      partialApprovalCapable: false,
      originalNetworkTransactionId: 'ntx-1',
    },
    program: {
      type: 'program',
      id: 'prog_1',
      version: 1,
      tenant_id: 'ten_1',
      environment: 'sandbox',
      status: 'active',
      realtime: false,
      endpoint_id: null,
      stand_in: 'controls',
      time_zone: 'UTC',
      api_version: '2026-11-20',
      realtime_entitled: true,
      authorizations_closed: false,
      shard: null,
      stand_in_policy: null,
      fraud_rules: [],
      hold_expiry: [],
      hold_adjustments: [],
      fx_margin_bps: 0,
      ...PROGRAM_DEFAULTS,
      clock_offset_ms: 0,
    },
    cardholder: {
      type: 'cardholder',
      id: 'ch_1',
      version: 1,
      program_id: 'prog_1',
      status: 'active',
      frozen: false,
    },
    card: {
      type: 'card',
      id: 'card_1',
      version: 1,
      tenant_id: 'ten_1',
      environment: 'sandbox',
      program_id: 'prog_1',
      cardholder_id: 'ch_1',
      token: 'ctok_1',
      fingerprint: 'f',
      last4: '1111',
      card_type: 'virtual',
      status: 'active',
      exp_month: 12,
      exp_year: 2034,
      cvc_verifier: 'v',
      currency: 'USD',
      pin_verifier: null,
      windows_id: 'card_1',
      suspended_by: null,
      loss: null,
      funded_cents: null,
    },
    controls: [],
    limits: [],
    drafts: [],
    cvc: 'match',
    expiry: 'match',
    pin: 'not_provided',
    threeDs: 'none',
    walletToken: null,
    cardAmountCents: 1000,
    fx: null,
    convertible: true,
    billing: null,
    credit: null,
    funds: null,
    pinFailures: 0,
    stoppedBy: null,
    expired: false,
    largestCounted: 0,
    receivedAtMs: Date.UTC(2026, 10, 20, 12),
    chainCents: 0,
  }
  const merged = Object.entries(base).map(([part, value]) => {
    const changed = change[part as keyof Judged]
    if (changed === undefined) return [part, value]
    const mergeable = typeof value === 'object' && value !== null && !Array.isArray(value)
    return [part, mergeable ? { ...value, ...(changed as object) } : changed]
  })
  return Object.fromEntries(merged) as unknown as Judged
}

/**
 * The controls of one subject, by default a card, with one control that `change` makes of an open
 * one.
 */
export function controlsConfig(
  change: Partial<Omit<ControlConfig, 'id' | 'version'>> & {
    id?: string
    version?: number
    scope?: ControlScope
  },
): ControlsConfig {
  const { id = 'card_1', version = 1, scope = 'card', ...control } = change
  const controls = [{ ...openControl(ownControlId(id)), ...control }]
  return { type: 'controls', id, version, scope, controls }
}

/** An endpoint that can be asked. */
export function endpointConfig(change: Partial<EndpointConfig> = {}): EndpointConfig {
  return {
    type: 'endpoint',
    id: 'we_1',
    version: 1,
    tenant_id: 'ten_1',
    environment: 'sandbox',
    url: 'https://tenant.test/',
    status: 'enabled',
    sealed_secrets: [],
    ...change,
  }
}

/** The same control as the rules see it, used as `uses` says. */
export function boundControl(
  change: Parameters<typeof controlsConfig>[0],
  uses: Partial<ControlUses> = {},
): BoundControls {
  const configRecord = controlsConfig(change)
  const controlId = ownControlId(configRecord.id)
  const used = { controlId, uses: 0, usesWaiting: 0, lockedMerchant: null, ...uses }
  return { ...boundControls(configRecord, configRecord.controls), uses: [used] }
}

/** A daily limit of 100.00 USD in UTC, changed by `change`. */
export function limitConfig(change: Partial<LimitConfig>): LimitConfig {
  return {
    id: 'lim_1',
    interval: 'daily',
    amount_cents: 10_000 as MinorUnits,
    count: null,
    currency: 'USD',
    time_zone: 'UTC',
    rolling_seconds: null,
    filter: null,
    ...change,
  }
}

export const block = (...values: string[]): ListRule => ({ mode: 'block', values })
export const allow = (...values: string[]): ListRule => ({ mode: 'allow', values })
