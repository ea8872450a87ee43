// A version of a template in the words of another language, and which of its languages a reader would rather have.
import { FIELD_GROUPS, type PassField } from '../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../shared/schemas/pass-template.ts'

/** More languages than anybody reads; what a header says behind them is not looked at. */
const WISHES_MAX = 20
/** RFC 9110, 12.5.4, without its blanks. */
const WISH = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)(?:;q=([01](?:\.\d{0,3})?))?$/i

export interface Spoken {
  content: PassContent
  /** BCP 47; empty where nobody says which it is. */
  language: string
}

/**
 * In which language the template's own texts are. Chosen: a template does not say. They count as English, or as of no language
 * where it has translations into that.
 */
export function ownLanguage({ localizations }: Pick<PassContent, 'localizations'>): 'en' | '' {
  const translated = Object.entries(localizations).some(
    ([language, words]) => isWithin(language, 'en') && Object.keys(words).length > 0,
  )
  return translated ? '' : 'en'
}

/** What a reader is shown who sends this `Accept-Language`. What no translation covers stays in the template's own words. */
export function spokenTo(content: PassContent, accepted: string | undefined): Spoken {
  const language = languageFor(content, accepted ?? '')
  const words = language === null ? undefined : content.localizations[language]
  return language === null || words === undefined
    ? { content, language: ownLanguage(content) }
    : { content: inWords(content, words), language }
}

/** Null: the template's own. A wish for a region is met by its language, one for a language by any of its regions. */
function languageFor(content: PassContent, accepted: string): string | null {
  // The closest first.
  const languages = Object.keys(content.localizations).sort(
    (one, other) => other.length - one.length,
  )
  const own = ownLanguage(content)
  for (const wish of languages.length === 0 ? [] : wishesIn(accepted)) {
    const met =
      languages.find((language) => isWithin(wish, language)) ??
      languages.find((language) => isWithin(language, wish))
    if (met !== undefined) return met
    if (wish === '*' || (own !== '' && isWithin(wish, own))) return null
  }
  return null
}

/** Dearest first, in lower case. */
function wishesIn(accepted: string): string[] {
  const wishes = accepted.split(',', WISHES_MAX).flatMap((part) => {
    const [, range = '', weight = '1'] = WISH.exec(part.replace(/\s/g, '')) ?? []
    return range === '' || Number(weight) === 0 ? [] : [{ range, weight: Number(weight) }]
  })
  return wishes.sort((one, other) => other.weight - one.weight).map(({ range }) => range)
}

/** `de-AT` is within `de`, and `de` within itself. */
function isWithin(language: string, wider: string): boolean {
  return (language + '-').toLowerCase().startsWith((wider + '-').toLowerCase())
}

/** The same content in other words; each text is looked for as a whole. */
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
