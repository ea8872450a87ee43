// Fields of a template as lines of a form: key | label | value. A label may hold a bar, and a value
// line breaks: both are escaped, so that a form that nobody changed saves what was there.
import { FieldProblem } from '../page.ts'

export interface FieldLine {
  key: string
  label: string
  value: string
}

/** Escapes by the character that they stand for; `\s` is a space at an end. */
const ESCAPES: { readonly [character: string]: string } = {
  ...{ '\\': '\\\\', '|': '\\|', '\n': '\\n', '\r': '\\r', '\t': '\\t', ' ': '\\s' },
}
const CHARACTERS = new Map(Object.entries(ESCAPES).map(([character, of]) => [of, character]))

/** Key and label end at their bar; the value is the rest of the line. */
const PARTS = /^((?:\\.|[^\\|])*)\|((?:\\.|[^\\|])*)\|(.*)$/u

/** The lines of these fields, one each. */
export function linesOf(fields: readonly FieldLine[]): string {
  return fields
    .map(({ key, label, value }) => [key, label, value].map(escaped).join(' | '))
    .join('\n')
}

/**
 * The fields of these lines; terms that a line does not show stay as they are in `before`. Throws
 * `FieldProblem` for a line that has fewer than three parts; `name` is the form's field.
 */
export function fieldsIn<Field extends FieldLine>(
  text: string,
  name: string,
  before: readonly Field[],
): (FieldLine | Field)[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const parts = PARTS.exec(line)?.slice(1).map(unescaped) ?? []
    const [key = '', label = '', value = ''] = parts
    if (key === '')
      throw new FieldProblem(name, 'Each line needs a key, a label and a value, with | between.')
    return { ...before.find((one) => one.key === key), key, label, value }
  })
}

function escaped(text: string): string {
  return text.replaceAll(/[\\|\n\r\t]|^ | $/g, (found) => ESCAPES[found] ?? found)
}

function unescaped(part: string): string {
  return part
    .replaceAll(/^[ \t\r]+|[ \t\r]+$/g, '')
    .replaceAll(/\\[\\|nrts]/g, (found) => CHARACTERS.get(found) ?? found)
}
