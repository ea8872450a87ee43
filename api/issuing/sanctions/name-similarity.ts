// Similarity of two names, from 0 to 1, whatever the order and division of their words. Pure.
import { edits } from './edits.ts'
import { type Word, wordOf } from './name-words.ts'

/** Weight of a word, from 0 to 1: a word that half the list has weighs little. */
export type Rarity = (word: string) => number

/** Two words of the same sound with a not too different spelling. */
const SOUNDS_ALIKE = 0.9
/** A single letter may stand for a word that begins with it. */
const INITIAL = 0.8
/** Cost of a word that only one of the names has, relative to a shared one. */
const LEFT_OVER = 0.3
/** One word of several is not a whole name. */
const ONE_WORD = 0.8
/** Cost of each wrong letter, relative to the length of the word. */
const WRONG_LETTER = 0.4
/** Cost of the share of wrong letters in whole names without blanks. */
const WRONG_SHARE = 1.4
const WRONG_SHARE_MAX = 0.1

/** The presence of a particle weighs little. */
const PARTICLES: ReadonlySet<string> = new Set(
  'al el ul bin ibn ben de la del da dos di van von abu bou abd ould st y e'.split(' '),
)
const PARTICLE_WEIGHT = 0.2

/** The larger of the similarity by words and that of the whole names without blanks. */
export function nameSimilarity(
  asked: readonly Word[],
  listed: readonly Word[],
  rarity: Rarity,
): number {
  const theirs = joinedAs(listed, asked)
  const ours = joinedAs(asked, theirs)
  return Math.max(byWords(ours, theirs, rarity), whole(asked, listed))
}

/**
 * Joins words that the other name writes as one: `bin laden` beside `binladen`. The last and the
 * first word are neighbours as well, because a list writes the family name first.
 */
function joinedAs(words: readonly Word[], other: readonly Word[]): readonly Word[] {
  const count = words.length
  if (count < 2) return words
  for (let at = 0; at < count; at++) {
    const [word, next] = [words[at] as Word, words[(at + 1) % count] as Word]
    const text = word.text + next.text
    if (text.length < JOINED_LETTERS_MIN) continue
    if (!other.some((one) => edits(one.text, text, 1) <= 1)) continue
    return [...words.filter((each) => each !== word && each !== next), wordOf(text)]
  }
  return words
}

const JOINED_LETTERS_MIN = 5

/** Pairs each word with its best partner; words left over count against the similarity. */
function byWords(asked: readonly Word[], listed: readonly Word[], rarity: Rarity): number {
  const ours = new Set<Word>()
  const theirs = new Set<Word>()
  let alike = 0
  let weights = 0
  for (const { one, other, score } of pairsOf(asked, listed)) {
    if (ours.has(one) || theirs.has(other)) continue
    ours.add(one)
    theirs.add(other)
    const weight = Math.max(weightOf(one, rarity), weightOf(other, rarity))
    alike += score * weight
    weights += weight
  }
  if (weights === 0) return 0
  const missed = leftOver(asked, ours, rarity) + leftOver(listed, theirs, rarity)
  const names = [...ours].filter(({ text }) => !PARTICLES.has(text)).length
  const several = Math.min(asked.length, listed.length) > 1
  return (alike / (weights + missed)) * (names < 2 && several ? ONE_WORD : 1)
}

function pairsOf(asked: readonly Word[], listed: readonly Word[]) {
  const pairs: { one: Word; other: Word; score: number }[] = []
  for (const one of asked)
    for (const other of listed) {
      const score = wordLikeness(one, other)
      if (score > 0) pairs.push({ one, other, score })
    }
  return pairs.sort((first, second) => second.score - first.score)
}

/** 0 for two different words. */
function wordLikeness(one: Word, other: Word): number {
  if (one.text === other.text) return 1
  if (one.text.length === 1 || other.text.length === 1)
    return one.text[0] === other.text[0] ? INITIAL : 0
  const letters = Math.max(one.text.length, other.text.length)
  const most = letters < 3 ? 0 : letters < 7 ? 1 : 2
  const wrong = edits(one.text, other.text, most + 1)
  if (wrong <= most) return 1 - (WRONG_LETTER * wrong) / letters
  return wrong === most + 1 && soundsAlike(one, other) ? SOUNDS_ALIKE : 0
}

function soundsAlike({ sounds: one, text }: Word, { sounds: other }: Word): boolean {
  if (text.length < 4 || one[0].length < 2) return false
  return one[0] === other[0] || one[0] === other[1] || one[1] === other[0]
}

/** Compares the names without blanks, in either order and rotated once. */
function whole(asked: readonly Word[], listed: readonly Word[]): number {
  const theirs = textOf(listed)
  const letters = theirs.length
  const most = Math.floor(letters * WRONG_SHARE_MAX)
  if (most === 0) return textOf(asked) === theirs ? 1 : 0
  let least = most + 1
  for (let turn = 0; turn < asked.length && least > 0; turn++) {
    const turned = textOf([...asked.slice(turn), ...asked.slice(0, turn)])
    least = Math.min(least, edits(turned, theirs, most))
  }
  return least > most ? 0 : 1 - (WRONG_SHARE * least) / letters
}

function textOf(words: readonly Word[]): string {
  return words.map(({ text }) => text).join('')
}

function leftOver(words: readonly Word[], paired: ReadonlySet<Word>, rarity: Rarity): number {
  let sum = 0
  for (const word of words) if (!paired.has(word)) sum += weightOf(word, rarity) * LEFT_OVER
  return sum
}

function weightOf({ text }: Word, rarity: Rarity): number {
  if (PARTICLES.has(text)) return PARTICLE_WEIGHT
  return text.length === 1 ? 0.4 : rarity(text)
}
