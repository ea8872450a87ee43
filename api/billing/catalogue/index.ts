// Entry point of the catalogue: the terms of a plan at a moment.
import type { EpochMs } from '../../../shared/clock.ts'
import { CATALOGUE_2026_11_01 } from './2026-11-01.ts'
import type { SelfServePlan, Terms } from './terms.ts'

export * from './terms.ts'

interface Catalogue {
  /** The moment from which new subscriptions get these terms. */
  from: EpochMs
  plans: { readonly [plan in SelfServePlan]: Terms }
}

/** Oldest first; the oldest holds for every earlier moment too. */
export const CATALOGUES: Catalogue[] = [
  { from: Date.UTC(2026, 10, 1), plans: CATALOGUE_2026_11_01 },
]

/** Chosen: a newer catalogue reaches a running subscription at its first boundary after this. */
const NOTICE_MS = 30 * 86_400_000

/** The terms that a subscription made at `now` gets. */
export function termsAt(plan: SelfServePlan, now: EpochMs): Terms {
  const inForce = CATALOGUES.findLast(({ from }) => from <= now) ?? CATALOGUES[0]
  return (inForce as Catalogue).plans[plan]
}

/**
 * The terms of a running subscription at its boundary `at`. `reached` is the version of the terms
 * in force: a subscription that has a newer catalogue never goes back to an older one.
 */
export function termsAtBoundary(
  plan: SelfServePlan,
  { at, reached }: { at: EpochMs; reached: string | null },
): Terms {
  const noticed = termsAt(plan, at - NOTICE_MS)
  if (reached === null) return noticed
  const held = CATALOGUES.findLast(({ plans }) => plans[plan].version <= reached)?.plans[plan]
  return held !== undefined && held.version > noticed.version ? held : noticed
}

/** A plan whose terms a later catalogue replaced. */
export interface NewerTerms {
  plan: SelfServePlan
  version: string
  /** New subscriptions have them from here on; running ones are told. */
  from: EpochMs
}

/** Oldest first. A plan that a catalogue takes over unchanged has none there. */
export function newerTerms(): NewerTerms[] {
  return SELF_SERVE.flatMap((plan) =>
    CATALOGUES.slice(1).flatMap(({ from, plans }, before) => {
      const { version } = plans[plan]
      return version === CATALOGUES[before]?.plans[plan].version ? [] : [{ plan, version, from }]
    }),
  )
}

const SELF_SERVE = ['starter', 'growth'] as const satisfies readonly SelfServePlan[]
