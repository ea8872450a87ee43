// The words of a pass in other languages. A template is translated text by text; on a pass a text
// has its values in it, and Apple looks for the whole of it, so that both sides are rendered.
import { FIELD_GROUPS } from '../../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../../shared/schemas/pass-template.ts'
import { renderPass } from '../../templates/index.ts'
import type { Strings } from '../apple/strings.ts'
import { inWords } from './languages.ts'
import type { PassValues, RenderedPass } from './render.ts'

/** By language; a language in which nothing reads otherwise is left out. */
export function translationsOf(
  content: PassContent,
  pass: PassValues,
): { readonly [language: string]: Strings } {
  const own = wordsOf(content, renderPass(content, pass))
  const languages: [string, Strings][] = []
  for (const [language, words] of Object.entries(content.localizations)) {
    const spoken = inWords(content, words)
    const theirs = wordsOf(spoken, renderPass(spoken, pass))
    const pairs = [...own].flatMap(([place, text]) => {
      const other = theirs.get(place)
      return text === '' || other === undefined || other === text ? [] : [[text, other] as const]
    })
    if (pairs.length > 0) languages.push([language, Object.fromEntries(pairs)])
  }
  return Object.fromEntries(languages)
}

/**
 * Every text of a pass that Apple translates, by its path: a version may lack texts that another
 * one has.
 */
function wordsOf(
  content: PassContent,
  { fields, barcode }: RenderedPass,
): ReadonlyMap<string, string> {
  const words = new Map([
    ['organization', content.organization_name],
    ['description', content.description],
    ['logo', content.logo_text ?? ''],
    ['barcode', barcode?.alt_text ?? ''],
  ])
  for (const [index, { relevant_text }] of content.locations.entries())
    words.set('location ' + index, relevant_text ?? '')
  for (const { key, label, value, change_message } of FIELD_GROUPS.flatMap(
    (group) => fields[group],
  )) {
    words.set('label ' + key, label)
    words.set('value ' + key, value)
    words.set('change ' + key, change_message ?? '')
  }
  return words
}
