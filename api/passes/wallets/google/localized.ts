// Texts in Google's form: a default text, and translations beside it.

import type { PassContent } from '../../../../shared/schemas/pass-template.ts'
import { ownLanguage } from '../model/languages.ts'
import type { PassValues } from '../model/render.ts'
import { translationsOf } from '../model/translations.ts'

export interface LocalizedString {
  defaultValue: { language: string; value: string }
  translatedValues?: readonly { language: string; value: string }[]
}

export type Localize = (text: string) => LocalizedString

export function localizer(content: PassContent, pass: PassValues): Localize {
  const translations = Object.entries(translationsOf(content, pass))
  const own = ownLanguage(content) || 'und'
  return (text) => {
    const translatedValues = translations.flatMap(([language, words]) => {
      const value = Object.hasOwn(words, text) ? words[text] : undefined
      return value === undefined ? [] : [{ language, value }]
    })
    const defaultValue = { language: own, value: text }
    return translatedValues.length === 0 ? { defaultValue } : { defaultValue, translatedValues }
  }
}
