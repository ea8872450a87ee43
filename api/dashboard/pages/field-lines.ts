// Fields of a template as lines of a form: key | label | value, and the terms of the field after
// them, as | format: date | align: right | message: Now %@. A label may hold a bar, and a value
// line breaks: both are escaped, so that a form that nobody changed saves what was there.
import type { PassField } from '../../../shared/schemas/pass-content.ts'
import { FieldProblem } from '../page.ts'

export interface FieldLine extends Partial<PassField> {
  key: string
  label: string
  value: string
}

/**
 * Escapes by the character that they stand for; `\s` is a space at an end. Other space there, which
 * forms trim, and separators of lines are `\u` and four digits.
 */
const ESCAPES: { readonly [character: string]: string } = {
  ...{ '\\': '\\\\', '|': '\\|', '\n': '\\n', '\r': '\\r', '\t': '\\t', ' ': '\\s' },
}
const CHARACTERS = new Map(Object.entries(ESCAPES).map(([character, of]) => [of, character]))

/** The first two parts end at their bar; the third is the rest of the line. */
const PARTS = /^((?:\\.|[^\\|])*)\|((?:\\.|[^\\|])*)(?:\|(.*))?$/u

/** A line for each row, its parts with bars between. */
export function barLines(rows: readonly (readonly string[])[]): string {
  return rows.map((parts) => parts.map(escaped).join(' | ')).join('\n')
}

/**
 * The parts of these lines, two or three each. Throws `FieldProblem` with the sentence for a line
 * that has fewer than `least` or an empty first one; `name` is the form's field.
 */
export function barParts(
  text: string,
  of: { name: string; least: 2 | 3; sentence: string },
): (readonly string[])[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const found = PARTS.exec(line)?.slice(1) ?? []
    const parts = found.filter((part) => part !== undefined).map(unescaped)
    if (parts.length < of.least || parts[0] === '') throw new FieldProblem(of.name, of.sentence)
    return parts
  })
}

/** The lines of these fields, one each; terms that every field has are left out. */
export function linesOf(fields: readonly FieldLine[]): string {
  return fields
    .map((of) => [barLines([[of.key, of.label, of.value]]), ...termsOf(of)].join(' | '))
    .join('\n')
}

function termsOf({ format = 'text', currency, alignment = 'natural', ...of }: FieldLine): string[] {
  const { change_message: message = null } = of
  return [
    ...(format === 'text' ? [] : ['format: ' + [format, currency ?? ''].join(' ').trim()]),
    ...(alignment === 'natural' ? [] : ['align: ' + alignment]),
    ...(message === null ? [] : ['message: ' + escaped(message)]),
  ]
}

/** A line has each term once. */
const TERMS_MAX = 3

/** The last part of a line, where it is a term; the bar before it is not escaped. */
const TERM = /^((?:\\.|[^\\])*?)\|\s*(format|align|message)\s*:((?:\\.|[^\\|])*)$/u

/** A line without its terms, and these as fields of the API, which judges their words. */
function cut(whole: string): { line: string; terms: object } {
  let [line, terms] = [whole, {}]
  for (let count = 0; count < TERMS_MAX; count++) {
    const [, before = '', name = '', text = ''] = TERM.exec(line) ?? []
    // A value may begin like a term: it is the third part.
    if (name === '' || PARTS.exec(before)?.[3] === undefined) break
    terms = { ...termIn(name, unescaped(text)), ...terms }
    line = before
  }
  return { line, terms }
}

function termIn(name: string, text: string): object {
  if (name === 'align') return { alignment: text }
  if (name === 'message') return { change_message: text === '' ? null : text }
  const [format, currency] = text.split(/\s+/)
  return { format, ...(currency === undefined ? {} : { currency }) }
}

/**
 * The fields of these lines. Terms that a line has not stay as they are in `before`: a form of
 * another time has none. Throws `FieldProblem` for a line that has fewer than three parts; `name`
 * is the form's field.
 */
export function fieldsIn(
  text: string,
  name: string,
  before: readonly FieldLine[],
): readonly FieldLine[] {
  const sentence = 'Each line needs a key, a label and a value, with | between.'
  const rows = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map(cut)
  return rows.flatMap(({ line, terms }) =>
    barParts(line, { name, least: 3, sentence }).map(([key = '', label = '', value = '']) => ({
      ...before.find((one) => one.key === key),
      ...{ key, label, value },
      ...terms,
    })),
  )
}

function escaped(text: string): string {
  return text.replaceAll(/[\\|\n\r\t\u2028\u2029]|^\s|\s$/g, (found) => {
    return ESCAPES[found] ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function unescaped(part: string): string {
  return part
    .replaceAll(/^[ \t\r]+|[ \t\r]+$/g, '')
    .replaceAll(/\\(?:[\\|nrts]|u([\da-f]{4}))/g, (found, code?: string) =>
      code === undefined
        ? (CHARACTERS.get(found) ?? found)
        : String.fromCharCode(Number.parseInt(code, 16)),
    )
}
