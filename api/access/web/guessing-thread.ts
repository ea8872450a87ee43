// The code of the thread that guesses: its dictionaries take 90 ms and 30 MB, and go with it.
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/** Chosen: a longer text takes up to 0.2 s, and 64 characters in a pattern are weak without it. */
const JUDGED_CHARACTERS_MAX = 64

const judge = new ZxcvbnFactory({
  dictionary,
  graphs: adjacencyGraphs,
  maxLength: JUDGED_CHARACTERS_MAX,
})

export interface Guessing {
  password: string
  /** Words that somebody who knows the person tries first. */
  words: readonly string[]
}

/** The task of the pool: how many tries a clever guesser needs, common passwords first. */
export function guess({ password, words }: Guessing): number {
  return judge.check(password, [...words]).guesses
}
