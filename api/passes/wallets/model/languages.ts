// Renders a version of a template in another language, and chooses the language for a reader.
import { FIELD_GROUPS, type PassField } from '../../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../../shared/schemas/pass-template.ts'
import { isWithin, languageFor } from '../../../http/accepted-language.ts'

export interface Spoken {
  content: PassContent
  /** BCP 47; empty if the language is unknown. */
  language: string
}

/**
 * Returns the language of the template's own texts. Chosen: a template does not name it. The texts
 * count as English, or as no language if the template has English translations.
 */
export function ownLanguage({ localizations }: Pick<PassContent, 'localizations'>): 'en' | '' {
  const translated = Object.entries(localizations).some(
    ([language, words]) => isWithin(language, 'en') && Object.keys(words).length > 0,
  )
  return translated ? '' : 'en'
}

/**
 * Returns the content for a reader with this `Accept-Language`. Texts without a translation stay in
 * the template's own words.
 */
export function spokenTo(content: PassContent, accepted: string | undefined): Spoken {
  const others = Object.keys(content.localizations)
  const language = languageFor(accepted, { own: ownLanguage(content), others })
  const words = language === null ? undefined : content.localizations[language]
  return language === null || words === undefined
    ? { content, language: ownLanguage(content) }
    : { content: inWords(content, words), language }
}

/** Returns the same content in other words; each text is matched as a whole. */
export function inWords(
  content: PassContent,
  words: { readonly [text: string]: string },
): PassContent {
  const say = (text: string): string => (Object.hasOwn(words, text) ? (words[text] ?? text) : text)
  const sayIfAny = (text: string | null): string | null => (text === null ? null : say(text))
  const fieldIn = (field: PassField): PassField => ({
    ...field,
    label: say(field.label),
    value: say(field.value),
    change_message: sayIfAny(field.change_message),
  })
  const { barcode } = content
  const groups = FIELD_GROUPS.map((group) => [group, content.fields[group].map(fieldIn)])
  return {
    ...content,
    organization_name: say(content.organization_name),
    description: say(content.description),
    logo_text: sayIfAny(content.logo_text),
    locations: content.locations.map((location) => ({
      ...location,
      relevant_text: sayIfAny(location.relevant_text),
    })),
    barcode: barcode && { ...barcode, alt_text: sayIfAny(barcode.alt_text) },
    fields: Object.fromEntries(groups) as PassContent['fields'],
  }
}
