// Our own words on the page of a pass, in the holder's language; `pass-words.json` is their table.
// The tenant's texts beside them have their own language.
import { languageFor } from '../../../http/accepted-language.ts'
import table from './pass-words.json' with { type: 'json' }

export type PassWords = typeof table.en

/** Readers of other languages get English. */
const LANGUAGES: { readonly [language: string]: PassWords } = table
const OTHERS = Object.keys(LANGUAGES).filter((language) => language !== 'en')
/** Right-to-left languages among the ones a pass may be translated into. */
const RIGHT_TO_LEFT = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])

export interface Spoken {
  /** BCP 47. */
  language: string
  words: PassWords
}

/** Returns the words for a reader who sends this `Accept-Language`. */
export function wordsFor(accepted: string | undefined): Spoken {
  const language = languageFor(accepted, { own: 'en', others: OTHERS }) ?? 'en'
  return { language, words: LANGUAGES[language] ?? table.en }
}

/** The value of `dir`. Without a known language, the text itself decides. */
export function directionOf(language: string): 'ltr' | 'rtl' | 'auto' {
  if (language === '') return 'auto'
  return RIGHT_TO_LEFT.has(language.toLowerCase().split('-', 1)[0] ?? '') ? 'rtl' : 'ltr'
}

/** Formats the moment in this language, by the clock of UTC. */
export function momentText(at: number, language: string): string {
  const locale = language === 'en' ? 'en-GB' : language
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locale, format).format(at) + ' UTC'
}
