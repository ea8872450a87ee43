// Texts in the form in which Google reads them: one for everybody, and those of other languages beside it.

import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import type { PassValues } from '../../resources/pass-templates/index.ts'
import { translationsOf } from '../translations.ts'

export interface LocalizedString {
  defaultValue: { language: string; value: string }
  translatedValues?: readonly { language: string; value: string }[]
}

export type Localize = (text: string) => LocalizedString

/**
 * Chosen: a template does not say in which language its own texts are. They count as English, or as of no language where it has
 * translations into that.
 */
export function localizer(content: PassContent, pass: PassValues): Localize {
  const translations = Object.entries(translationsOf(content, pass))
  const english = translations.some(([language]) => /^en(-|$)/.test(language))
  const own = english ? 'und' : 'en'
  return (text) => {
    const translatedValues = translations.flatMap(([language, words]) => {
      const value = Object.hasOwn(words, text) ? words[text] : undefined
      return value === undefined ? [] : [{ language, value }]
    })
    const defaultValue = { language: own, value: text }
    return translatedValues.length === 0 ? { defaultValue } : { defaultValue, translatedValues }
  }
}
