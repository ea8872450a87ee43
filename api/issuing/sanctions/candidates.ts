// Selects the names worth a closer comparison: those that share rare groups of three letters with
// the searched name, word by word and over the whole name without blanks. Therefore neither the
// order nor the division of words matters, and a wrong letter costs only three groups of many.
import type { Word } from './name-words.ts'

const PIECE = 3

export class Candidates {
  readonly #names: readonly (readonly Word[])[]
  readonly #postings = new Map<string, Uint32Array>()
  readonly #weights = new Map<string, number>()
  /** Weight of all letter groups of each name. */
  readonly #whole: Float32Array
  readonly #shared: Float32Array

  constructor(names: readonly (readonly Word[])[]) {
    this.#names = names
    this.#shared = new Float32Array(names.length)
    this.#whole = new Float32Array(names.length)
    const found = new Map<string, number[]>()
    for (const [index, words] of names.entries())
      for (const piece of piecesOf(words)) {
        const known = found.get(piece)
        if (known === undefined) found.set(piece, [index])
        else known.push(index)
      }
    for (const [piece, indexes] of found) {
      const weight = Math.log(1 + names.length / indexes.length)
      this.#weights.set(piece, weight)
      this.#postings.set(piece, Uint32Array.from(indexes))
      for (const index of indexes) this.#whole[index] = (this.#whole[index] ?? 0) + weight
    }
  }

  /** Indexes of the names that share most groups, best first, `most` at most. */
  nearest(words: readonly Word[], most: number): number[] {
    const shared = this.#shared
    const touched: number[] = []
    let asked = 0
    for (const piece of piecesOf(words)) {
      const weight = this.#weights.get(piece) ?? UNKNOWN_WEIGHT
      asked += weight
      for (const index of this.#postings.get(piece) ?? NOBODY) {
        if (shared[index] === 0) touched.push(index)
        shared[index] = (shared[index] as number) + weight
      }
    }
    const scored = touched.map((index) => ({
      index,
      share: (shared[index] as number) / Math.sqrt(asked * (this.#whole[index] as number)),
    }))
    for (const index of touched) shared[index] = 0
    const likely = scored.filter(({ share }) => share >= SHARE_MIN)
    return likely
      .sort((one, other) => other.share - one.share)
      .slice(0, most)
      .map(({ index }) => index)
  }

  words(index: number): readonly Word[] {
    return this.#names[index] ?? []
  }
}

const NOBODY = new Uint32Array(0)
const UNKNOWN_WEIGHT = 8
/** No closer comparison ever found a match below it. */
const SHARE_MIN = 0.12

function piecesOf(words: readonly Word[]): Set<string> {
  const pieces = new Set<string>()
  for (const { text } of words) addPieces(pieces, '^' + text + '$')
  addPieces(pieces, words.map(({ text }) => text).join(''))
  return pieces
}

function addPieces(pieces: Set<string>, text: string): void {
  for (let at = 0; at + PIECE <= text.length; at++) pieces.add(text.slice(at, at + PIECE))
}
