// What is ours on the page of a pass, in the holder's language; `pass-words.json` is the table of it. What is the tenant's stands
// beside it in a language of its own.
import { languageFor } from '../accepted-language.ts'
import table from './pass-words.json' with { type: 'json' }

export type PassWords = typeof table.en

/** Others read English. */
const LANGUAGES: { readonly [language: string]: PassWords } = table
const OTHERS = Object.keys(LANGUAGES).filter((language) => language !== 'en')
/** Of the languages that anybody may translate a pass into. */
const RIGHT_TO_LEFT = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])

export interface Spoken {
  /** BCP 47. */
  language: string
  words: PassWords
}

/** For a reader who sends this `Accept-Language`. */
export function wordsFor(accepted: string | undefined): Spoken {
  const language = languageFor(accepted, { own: 'en', others: OTHERS }) ?? 'en'
  return { language, words: LANGUAGES[language] ?? table.en }
}

/** As `dir` says it. Where nobody says which language it is, the text itself tells. */
export function directionOf(language: string): 'ltr' | 'rtl' | 'auto' {
  if (language === '') return 'auto'
  return RIGHT_TO_LEFT.has(language.toLowerCase().split('-', 1)[0] ?? '') ? 'rtl' : 'ltr'
}

/** As it is said in this language, by the clock of UTC. */
export function momentText(at: number, language: string): string {
  const locale = language === 'en' ? 'en-GB' : language
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locale, format).format(at) + ' UTC'
}
