// A name as words for comparison: in Latin letters, lower case, without accents, titles and
// punctuation.
import anyAscii from 'any-ascii'
import { doubleMetaphone } from 'double-metaphone'

export interface Word {
  text: string
  /** Codes of its sound; both are the same for most words. */
  sounds: readonly [string, string]
}

/** Titles describe a person and do not identify one. */
const TITLES: ReadonlySet<string> = new Set(
  'dr mr mrs ms prof sheikh shaykh sheik sayyid sayed haji hajji hadji mullah mulla maulavi mawlawi maulana qari general colonel'.split(
    ' ',
  ),
)
const WORDS_MAX = 12
const APOSTROPHES = /['’‘`ʼ]/g
const BETWEEN_WORDS = /[^a-z0-9]+/

/**
 * `AL ZAWAHIRI, Dr. Ayman` → al, zawahiri, ayman. Apostrophes join, every other character that is
 * no letter separates.
 */
export function wordsOf(name: string): readonly Word[] {
  const plain = anyAscii(name.normalize('NFKC')).toLowerCase().replace(APOSTROPHES, '')
  const texts = plain.split(BETWEEN_WORDS).filter((text) => text !== '')
  const named = texts.filter((text) => !TITLES.has(text))
  return (named.length === 0 ? texts : named).slice(0, WORDS_MAX).map(wordOf)
}

export function wordOf(text: string): Word {
  return { text, sounds: doubleMetaphone(text) }
}
