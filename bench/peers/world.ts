// The data of the peers: cards and the policies that bind them, equal to the engine's
// configuration, in the form that each peer stores. Amounts are minor units of the card's currency.

export interface World {
  programs: readonly Program[]
  cardholders: readonly Cardholder[]
  cards: readonly Card[]
  /** Policies of programs, cardholders and cards; a subject without one has no limit. */
  policies: readonly Policy[]
}

interface Program {
  id: string
  status: string
}

interface Cardholder {
  id: string
  status: string
  frozen: boolean
}

interface Card {
  id: string
  programId: string
  cardholderId: string
  token: string
  /** Keyed hash of the number. */
  fingerprint: string
  status: string
  expMonth: number
  expYear: number
  cvcVerifier: string
  currency: string
}

/** Windows are those of UTC. Null is no limit, and no list. */
export interface Policy {
  subjectId: string
  level: Level
  blockedMccs: readonly string[] | null
  blockedCountries: readonly string[] | null
  limits: { readonly [Name in Interval]: number | null }
}

/** Program, cardholder, card: locked in this order. */
export type Level = 1 | 2 | 3

export const INTERVALS = [
  'per_authorization',
  'daily',
  'weekly',
  'monthly',
  'yearly',
  'all_time',
] as const
export type Interval = (typeof INTERVALS)[number]

/** A policy with these limits and no others. */
export function policyOf(
  subjectId: string,
  level: Level,
  limits: { readonly [Name in Interval]?: number },
): Policy {
  return {
    subjectId,
    level,
    blockedMccs: null,
    blockedCountries: null,
    limits: {
      per_authorization: limits.per_authorization ?? null,
      daily: limits.daily ?? null,
      weekly: limits.weekly ?? null,
      monthly: limits.monthly ?? null,
      yearly: limits.yearly ?? null,
      all_time: limits.all_time ?? null,
    },
  }
}
