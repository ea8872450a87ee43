// Picks the language a reader prefers among the available ones.

/** More languages than any reader lists; the parser ignores the rest of the header. */
const PREFERENCES_MAX = 20
/** RFC 9110, 12.5.4, without blanks. */
const WISH = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)(?:;q=([01](?:\.\d{0,3})?))?$/i

/**
 * Returns the language for a reader who sends this `Accept-Language`; null: `own`, whose language
 * may be unknown and which may be empty. A region's language satisfies a wish for that region, and
 * any of its regions satisfies a wish for a language.
 */
export function languageFor(
  accepted: string | undefined,
  { own, others }: { own: string; others: readonly string[] },
): string | null {
  // The closest language comes first.
  const languages = others.toSorted((one, other) => other.length - one.length)
  for (const preference of languages.length === 0 ? [] : preferencesIn(accepted ?? '')) {
    const met =
      languages.find((language) => isWithin(preference, language)) ??
      languages.find((language) => isWithin(language, preference))
    if (met !== undefined) return met
    if (preference === '*' || (own !== '' && isWithin(preference, own))) return null
  }
  return null
}

/** Languages in lower case, most preferred first. */
function preferencesIn(accepted: string): string[] {
  const preferences = accepted.split(',', PREFERENCES_MAX).flatMap((part) => {
    const [, range = '', weight = '1'] = WISH.exec(part.replace(/\s/g, '')) ?? []
    return range === '' || Number(weight) === 0 ? [] : [{ range, weight: Number(weight) }]
  })
  return preferences.sort((one, other) => other.weight - one.weight).map(({ range }) => range)
}

/** `de-AT` is within `de`, and `de` within itself. */
export function isWithin(language: string, wider: string): boolean {
  return (language + '-').toLowerCase().startsWith((wider + '-').toLowerCase())
}
