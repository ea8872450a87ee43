// How alike two names are, from 0 to 1, whatever the order of their words and however they are parted. Pure.
import { jaroWinkler } from '@skyra/jaro-winkler'
import type { Word } from './name-words.ts'

/** Words that sound alike are at least this alike. */
const SOUNDS_ALIKE = 0.9
/** A single letter may stand for a word that begins with it. */
const INITIAL = 0.75
/** Words less alike than this are two words. */
const ALIKE_MIN = 0.78
/** What a word that only one of the names has weighs beside a word of both. */
const EXTRA_LISTED = 0.45
const EXTRA_ASKED = 0.45
/** Particles say little by being there or not. */
const PARTICLES: ReadonlySet<string> = new Set(
  'al el ul bin ibn ben de la del da dos di van von abu bou abd ould mac mc st y e'.split(' '),
)
const PARTICLE_WEIGHT = 0.25

/** The larger of what the words say one by one and what the whole names say, words in alphabetic order. */
export function likeness(asked: readonly Word[], listed: readonly Word[]): number {
  return Math.max(byWords(asked, listed), joined(asked, listed))
}

/** Each word with its best partner; what is left over counts against it. */
function byWords(asked: readonly Word[], listed: readonly Word[]): number {
  const taken = new Set<Word>()
  let alike = 0
  let weights = 0
  const pairs = pairsOf(asked, listed)
  const paired = new Set<Word>()
  for (const { one, other, score } of pairs) {
    if (paired.has(one) || taken.has(other)) continue
    paired.add(one)
    taken.add(other)
    const weight = Math.max(weightOf(one), weightOf(other))
    alike += score * weight
    weights += weight
  }
  if (paired.size === 0) return 0
  const missed = sum(asked, paired, EXTRA_ASKED) + sum(listed, taken, EXTRA_LISTED)
  // One word of a longer name is no name.
  const full = paired.size === 1 && Math.max(asked.length, listed.length) > 1 ? ONE_WORD : 1
  return (alike / (weights + missed)) * full
}

const ONE_WORD = 0.8

function pairsOf(asked: readonly Word[], listed: readonly Word[]) {
  const pairs: { one: Word; other: Word; score: number }[] = []
  for (const one of asked)
    for (const other of listed) {
      const score = wordLikeness(one, other)
      if (score >= (one.text.length === 1 || other.text.length === 1 ? INITIAL : ALIKE_MIN))
        pairs.push({ one, other, score })
    }
  return pairs.sort((first, second) => second.score - first.score)
}

function wordLikeness(one: Word, other: Word): number {
  if (one.text === other.text) return 1
  if (one.text.length === 1 || other.text.length === 1)
    return one.text[0] === other.text[0] ? INITIAL : 0
  const written = jaroWinkler(one.text, other.text)
  return written < SOUNDS_ALIKE && soundsAlike(one, other) ? SOUNDS_ALIKE : written
}

function soundsAlike({ sounds: one, text }: Word, { sounds: other }: Word): boolean {
  if (text.length < 4 || one[0].length < 2) return false
  return one[0] === other[0] || one[0] === other[1] || one[1] === other[0]
}

/** Without blanks, in the order written and in the order of the alphabet: `bin laden` and `binladen`. */
function joined(asked: readonly Word[], listed: readonly Word[]): number {
  const [one, other] = [textOf(asked), textOf(listed)]
  const lengths = Math.min(one.length, other.length) / Math.max(one.length, other.length)
  if (lengths < LENGTHS_MIN) return 0
  const sorted = jaroWinkler(sortedText(asked), sortedText(listed))
  return Math.max(jaroWinkler(one, other), sorted) * JOINED
}

const LENGTHS_MIN = 0.8
const JOINED = 0.97

function textOf(words: readonly Word[]): string {
  return words.map(({ text }) => text).join('')
}

function sortedText(words: readonly Word[]): string {
  return words
    .map(({ text }) => text)
    .sort()
    .join('')
}

function sum(words: readonly Word[], without: ReadonlySet<Word>, factor: number): number {
  let whole = 0
  for (const word of words) if (!without.has(word)) whole += weightOf(word) * factor
  return whole
}

function weightOf({ text }: Word): number {
  return PARTICLES.has(text) ? PARTICLE_WEIGHT : text.length === 1 ? 0.5 : 1
}
