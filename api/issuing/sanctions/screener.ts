// Compares a person with all entries of the lists. Pure after its creation: the same person and
// lists give the same hits.
import { Candidates } from './candidates.ts'
import type { BirthDate, Listed } from './listed.ts'
import { nameSimilarity, type Rarity } from './name-similarity.ts'
import { type Word, wordsOf } from './name-words.ts'

/** The person to be screened. */
export interface Person {
  name: string
  /** `1990-12-31`, or null if unknown. */
  dateOfBirth: string | null
}

export interface Hit {
  listedId: string
  kind: Listed['kind']
  /** The most similar name of the entry, as the list writes it. */
  name: string
  program: string
  /** From HIT_SCORE_MIN to 100. */
  score: number
  /** The reasons for and against the hit, in words for the reviewer. */
  reasons: readonly string[]
}

export interface Screener {
  /** Changes with every change of the lists. */
  readonly version: string
  readonly size: number
  /** Best first. */
  screen(person: Person): readonly Hit[]
}

/**
 * Chosen: from this score on a person reviews the hit. Measured in
 * test/live/api/screening.test.ts.
 */
export const HIT_SCORE_MIN = 87
const LOOKED_AT_MAX = 40

export function createScreener(listed: readonly Listed[], version: string): Screener {
  const names = listed.flatMap((entry) =>
    entry.names.map((text) => ({ entry, text, words: wordsOf(text) })),
  )
  const candidates = new Candidates(names.map(({ words }) => words))
  const rarity = rarityOf(names.map(({ words }) => words))
  return {
    version,
    size: listed.length,
    screen(person) {
      const asked = wordsOf(person.name)
      const hits = new Map<string, Hit>()
      for (const index of candidates.nearest(asked, LOOKED_AT_MAX)) {
        const name = names[index]
        if (name === undefined) continue
        const hit = hitOf(person, nameSimilarity(asked, name.words, rarity), name)
        if (hit === null || (hits.get(hit.listedId)?.score ?? 0) >= hit.score) continue
        hits.set(hit.listedId, hit)
      }
      return [...hits.values()].sort((one, other) => other.score - one.score)
    },
  }
}

/** Weights from RARITY_MIN for very frequent names to 1 for unique ones. */
function rarityOf(names: readonly (readonly Word[])[]): Rarity {
  const counts = new Map<string, number>()
  for (const words of names)
    for (const { text } of words) counts.set(text, (counts.get(text) ?? 0) + 1)
  const most = Math.log(1 + names.length)
  return (word) => {
    const count = counts.get(word) ?? 0
    return Math.max(RARITY_MIN, 1 - Math.log(1 + count) / most)
  }
}

const RARITY_MIN = 0.3

function hitOf(
  person: Person,
  alike: number,
  { entry, text }: { entry: Listed; text: string },
): Hit | null {
  const born = birthVerdict(person.dateOfBirth, entry.birthDates)
  const score = Math.min(100, Math.round(alike * 100 * born.factor))
  if (score < HIT_SCORE_MIN) return null
  return {
    listedId: entry.id,
    kind: entry.kind,
    name: text,
    program: entry.program,
    score,
    reasons: ['name ' + Math.round(alike * 100) + ' of 100', born.reason],
  }
}

const BIRTH = {
  unknown: { factor: 1, reason: 'no date of birth to compare' },
  same: { factor: 1.05, reason: 'same date of birth' },
  sameYear: { factor: 1.02, reason: 'same year of birth' },
  near: { factor: 1, reason: 'born within two years' },
  other: { factor: 0.85, reason: 'another date of birth' },
} as const

/**
 * Chosen: lists are often wrong by a year or two, and some people give a false age; a larger
 * difference weakens a name alone.
 */
function birthVerdict(born: string | null, listed: readonly BirthDate[]) {
  if (born === null || listed.length === 0) return BIRTH.unknown
  const year = Number(born.slice(0, 4))
  let best: (typeof BIRTH)[keyof typeof BIRTH] = BIRTH.other
  for (const { text, circa } of listed) {
    const apart = Math.abs(Number(text.slice(0, 4)) - year)
    if (text.length === born.length && text === born) return BIRTH.same
    if (apart === 0) best = BIRTH.sameYear
    else if (apart <= (circa ? 5 : 2) && best === BIRTH.other) best = BIRTH.near
  }
  return best
}
