// The parts of a pass template that few have: moments, places, NFC and translations. A part is
// closed until it has content.
import type { PassTemplate } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { FieldProblem, type Form } from '../page.ts'
import { area, check, field, hidden } from '../parts/form.ts'
import { barLines, barParts } from './field-lines.ts'

type Values = (name: string) => string

const MOMENTS = [
  ['relevant_at', 'Relevant at', 'UTC: the wallet offers the pass then'],
  ['expires_at', 'Ends at', 'UTC, for passes without an end of their own'],
] as const
const PLACES_HINT =
  'one a line: latitude | longitude | text on the locked screen, which may be left out'
const WORDS_HINT =
  'one a line: language | text of the template | translation; as de | Points | Punkte'

/** The parts of a saved template as values of the form. */
export function moreValues(of: PassTemplate): [string, string][] {
  const { nfc, locations, localizations } = of
  const words = Object.entries(localizations).flatMap(([language, texts]) =>
    Object.entries(texts).map(([text, translation]) => [language, text, translation]),
  )
  const places = locations.map(({ latitude, longitude, relevant_text: text }) =>
    [String(latitude), String(longitude), text ?? ''].slice(0, text === null ? 2 : 3),
  )
  return [
    ...MOMENTS.map(([name]): [string, string] => [name, momentValue(of[name])]),
    ['one_time', String(of.one_time)],
    ['locations', barLines(places)],
    ['nfc_key', nfc?.encryption_public_key ?? ''],
    ['nfc_message', nfc?.message ?? ''],
    ['nfc_unlocked', String(nfc?.requires_authentication ?? false)],
    ['localizations', barLines(words)],
  ]
}

/** The value of an input of a date and a time, in UTC and whole seconds. */
function momentValue(iso: string | null): string {
  return iso === null ? '' : iso.slice(0, 19)
}

/** The inputs of the parts. */
export function moreFields(value: Values): Html {
  const moments = MOMENTS.map(([name, label, hint]) =>
    field({ ...{ name, label, hint, value: value(name) }, type: 'datetime-local' }),
  )
  return html`${hidden('more', 'true')}${part(
    'Time and place',
    [...MOMENTS.map(([name]) => value(name)), value('locations'), trueOnly(value('one_time'))],
    html`<div class="pair wide">${moments}</div>${check({ name: 'one_time', label: 'A pass counts at its first scan only', value: value('one_time') })}${area({ name: 'locations', label: 'Places', hint: PLACES_HINT, value: value('locations'), rows: 2 })}`,
  )}${part(
    'NFC',
    [value('nfc_key')],
    html`${area({ name: 'nfc_key', label: 'Public key of the readers', hint: 'P-256, PEM or base64; empty: no NFC', value: value('nfc_key'), rows: 3 })}<div class="pair wide">${field({ name: 'nfc_message', label: 'Message to a reader', hint: '64 bytes at most; {{payload}} is what our scans verify', value: value('nfc_message') })}</div>${check({ name: 'nfc_unlocked', label: 'The holder unlocks the device first', value: value('nfc_unlocked') })}`,
  )}${part(
    'Translations',
    [value('localizations')],
    html`${area({ name: 'localizations', label: 'Translations', hint: WORDS_HINT, value: value('localizations'), rows: 4 })}<div class="pair wide">${field({ name: 'language', label: 'Language of the preview', hint: 'as de; empty: the words of the template', value: value('language'), max: 20 })}</div>`,
  )}`
}

function trueOnly(text: string): string {
  return text === 'true' ? text : ''
}

/** A group of inputs, which is open where one has content. */
function part(title: string, values: readonly string[], inputs: Html): Html {
  const content = html`<summary>${title}</summary><div class="form">${inputs}</div>`
  return values.some((text) => text !== '')
    ? html`<details class="part" open>${content}</details>`
    : html`<details class="part">${content}</details>`
}

/**
 * The parts of the form as a change of `before`; null: of a new template. Nothing for a form
 * without them. Throws `FieldProblem` for a field that cannot be sent.
 */
export function moreIn(sent: Form, before: PassTemplate | null): object {
  if (sent('more') !== 'true') return {}
  return {
    ...momentsIn(sent, before),
    one_time: sent('one_time') === 'true',
    locations: placesIn(sent('locations')),
    nfc: nfcIn(sent),
    localizations: wordsIn(sent('localizations')),
  }
}

/** The language in which a preview is drawn, for its call. */
export function languageIn(sent: Form): { language?: string } {
  const language = sent('language')
  return language === '' ? {} : { language }
}

/** A moment that nobody changed keeps the milliseconds that the form does not show. */
function momentsIn(sent: Form, before: PassTemplate | null): object {
  const changed = MOMENTS.flatMap(([name]): [string, string | null][] => {
    const text = sent(name)
    if (before !== null && text === momentValue(before[name])) return []
    if (text === '') return [[name, null]]
    const [, minutes, seconds = ':00'] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?$/.exec(text) ?? []
    if (minutes === undefined)
      throw new FieldProblem(name, 'Type a date and a time in UTC, as 2026-12-24T18:00.')
    return [[name, minutes + seconds + 'Z']]
  })
  return Object.fromEntries(changed)
}

function placesIn(text: string): object[] {
  const sentence = 'Each place needs a latitude and a longitude, with | between.'
  return barParts(text, { name: 'locations', least: 2, sentence }).map(([north, east, words]) => {
    const [latitude, longitude] = [north, east].map((part) =>
      /^-?\d{1,3}(\.\d{1,15})?$/.test(part ?? '') ? Number(part) : Number.NaN,
    )
    if (Number.isNaN(latitude) || Number.isNaN(longitude))
      throw new FieldProblem('locations', sentence)
    return {
      latitude,
      longitude,
      relevant_text: words === undefined || words === '' ? null : words,
    }
  })
}

function nfcIn(sent: Form): object | null {
  const key = sent('nfc_key').replaceAll(/-----[^-]*-----|\s/g, '')
  if (key === '') return null
  const message = sent('nfc_message')
  return {
    ...(message === '' ? {} : { message }),
    encryption_public_key: key,
    requires_authentication: sent('nfc_unlocked') === 'true',
  }
}

function wordsIn(text: string): object {
  const sentence = 'Each line needs a language, a text and its translation, with | between.'
  const languages = new Map<string, [string, string][]>()
  for (const [language = '', words = '', translation = ''] of barParts(text, {
    ...{ name: 'localizations', least: 3, sentence },
  }))
    languages.set(language, [...(languages.get(language) ?? []), [words, translation]])
  return Object.fromEntries(
    [...languages].map(([language, texts]) => [language, Object.fromEntries(texts)]),
  )
}
