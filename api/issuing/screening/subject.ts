// A cardholder as lists describe people: all given names, and the date of birth.
import { hash } from 'node:crypto'
import type { SanctionsHit } from '../../../shared/schemas/sanctions-alert.ts'
import type { Hit, Screener } from '../sanctions/screener.ts'

export interface Subject {
  names: readonly string[]
  /** YYYY-MM-DD, or null if unknown. */
  dateOfBirth: string | null
}

/**
 * Chosen: first and last name are screened beside the name if they differ from it: the name is free
 * text.
 */
export function subjectOf(
  name: string,
  details: { first_name?: string; last_name?: string; date_of_birth?: string },
): Subject {
  const { first_name: first, last_name: last, date_of_birth } = details
  const parts = [first, last].filter((part) => part !== undefined).join(' ')
  const names = parts === '' || parts === name ? [name] : [name, parts]
  return { names, dateOfBirth: date_of_birth ?? null }
}

/** Returns the same key for the same names and date of birth: a review covers this key. */
export function personKey({ names, dateOfBirth }: Subject): string {
  return hash('sha256', [...names, dateOfBirth ?? ''].join('\n'))
}

/** Returns each entry once, with its most similar name; best first. */
export function hitsOf(screener: Screener, { names, dateOfBirth }: Subject): SanctionsHit[] {
  const best = new Map<string, Hit>()
  for (const name of names) {
    for (const hit of screener.screen({ name, dateOfBirth })) {
      if ((best.get(hit.listedId)?.score ?? 0) < hit.score) best.set(hit.listedId, hit)
    }
  }
  const sorted = [...best.values()].sort((one, other) => other.score - one.score)
  return sorted.map(({ listedId, kind, name, program, score, reasons }) => ({
    listed_id: listedId,
    kind,
    name,
    program,
    score,
    reasons: [...reasons],
  }))
}
