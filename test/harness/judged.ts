// Facts of an authorization that every rule lets pass, to be changed one at a time.
import type { Judged } from '../../engine/rules/rule.ts'
import type { ControlsFact, ListRule } from '../../shared/wire/facts.ts'

export type JudgedChange = {
  readonly [Part in keyof Judged]?: Partial<Judged[Part]> | Judged[Part]
}

export function judgedFacts(change: JudgedChange = {}): Judged {
  const base: Judged = {
    message: {
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
    },
    controls: [],
    limits: [],
    cvc: 'match',
    expiry: 'match',
    expired: false,
    largestCounted: 0,
  }
  const merged = Object.entries(base).map(([part, value]) => {
    const changed = change[part as keyof Judged]
    if (changed === undefined) return [part, value]
    const mergeable = typeof value === 'object' && !Array.isArray(value)
    return [part, mergeable ? { ...value, ...(changed as object) } : changed]
  })
  return Object.fromEntries(merged) as Judged
}

export function controlsFact(change: Partial<ControlsFact>): ControlsFact {
  return {
    type: 'controls',
    id: 'card_1',
    version: 1,
    scope: 'card',
    mccs: null,
    merchants: null,
    countries: null,
    limits: [],
    ...change,
  }
}

export const block = (...values: string[]): ListRule => ({ mode: 'block', values })
export const allow = (...values: string[]): ListRule => ({ mode: 'allow', values })
