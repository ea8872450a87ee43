// Fields of a move: as inputs of its form, as values of the call's body, and as words on the page
// that asks for the passkey.
import { isoInstant, parseInstant } from '../../../shared/clock.ts'
import { type Html, html } from '../../../shared/html.ts'
import { FieldProblem, type Form } from '../page.ts'
import { area, field, hidden, select } from '../parts/form.ts'
import { seconds, UTC } from '../parts/moment.ts'
import { centsIn, moneyText } from '../parts/money.ts'
import { wordsOf } from '../parts/tag.ts'
import type { DeskField } from './move.ts'

const DAY_S = 86_400
/** The hidden field of a moment, beside that of its days. */
const MOMENT = '_moment'
/** Amounts of operators are dollars or euros: both have cents. */
const CENTS_CURRENCY = 'USD'

/** Values of a form's fields by name; a field without one shows its own default. */
export type DeskValues = { readonly [name: string]: string }

/** The inputs of these fields: each group in a frame with its name, beside the other groups. */
export function inputsOf(fields: readonly DeskField[], values: DeskValues = {}): Html {
  const isGrouped = ({ group }: DeskField): boolean => group !== undefined
  const groups = Map.groupBy(fields.filter(isGrouped), ({ group = '' }) => group)
  const framed = [...groups].map(
    ([name, own]) =>
      html`<fieldset class="boxes"><legend>${name}</legend>${own.map((of) => inputOf(of, values))}</fieldset>`,
  )
  const plain = fields.filter((of) => !isGrouped(of)).map((of) => inputOf(of, values))
  return html`${plain}${framed.length === 0 ? null : html`<div class="groups">${framed}</div>`}`
}

const YES_NO = [
  ['true', 'yes'],
  ['false', 'no'],
] as const

function inputOf(of: DeskField, values: DeskValues): Html {
  const { name, label, kind, options = [], isOptional } = of
  const hint = of.hint ?? (isOptional === true ? 'optional' : undefined)
  const value = values[name] ?? of.value ?? ''
  const shown = { name, label, value, ...(hint === undefined ? {} : { hint }) }
  if (kind === 'given') return hidden(name, value)
  if (kind === 'lines' || kind === 'rows') return area({ ...shown, rows: kind === 'rows' ? 8 : 3 })
  if (kind === 'yes_no') return select({ ...shown, options: YES_NO })
  if (kind === 'choice')
    return select({ ...shown, options: options.map((one) => [one, wordsOf(one)] as const) })
  const required = isOptional !== true && of.isNullable !== true
  return kind === 'date'
    ? field({ ...shown, type: 'date', required })
    : field({ ...shown, required })
}

/** A call of the operators' API. */
export interface DeskCall {
  path: string
  body: { [name: string]: unknown }
  /** Hidden fields that hold the moments of the call until the passkey signs it. */
  moments: readonly (readonly [name: string, value: string])[]
  /** The fields in words. */
  shown: readonly (readonly [label: string, value: Html | string])[]
}

/** Reads the tenant's clock. */
export type ClockReader = (path: string) => Promise<{ now: number }>

/**
 * The call of a form; `path` is below `/operator/v1`. Throws `FieldProblem` for a field that cannot
 * be sent, and what the reader of the clock throws.
 */
export async function callOf(
  { path, fields = [] }: { path: string; fields?: readonly DeskField[] },
  { id, form, readClock }: { id: string; form: Form; readClock: ClockReader },
): Promise<DeskCall> {
  const inPath = fields.filter((of) => of.inPath === true).map(({ name }) => [name, form(name)])
  const named = new Map([['id', id], ...(inPath as [string, string][])])
  const filled = (part: string): string =>
    '/operator/v1' +
    part.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(named.get(name) ?? ''))
  const body: { [name: string]: unknown } = {}
  const moments: [string, string][] = []
  const shown: [string, Html | string][] = []
  for (const of of fields) {
    const { name } = of
    const text = form(name)
    if (of.inPath === true || (text === '' && of.isOptional === true)) continue
    const value =
      of.kind === 'days'
        ? await momentOf(of, form, (clock) => readClock(filled(clock)))
        : fieldValue(of, text)
    if (of.kind === 'days') moments.push([name + MOMENT, String(value)])
    put(body, name, value)
    shown.push([labelOf(of), wordsFor(of, value)])
  }
  return { path: filled(path), body, moments, shown }
}

/** Puts a value where the dots of its name say: `terms.interval` is a field of `terms`. */
function put(body: { [name: string]: unknown }, name: string, value: unknown): void {
  const at = name.indexOf('.')
  if (at === -1) {
    body[name] = value
    return
  }
  const outer = name.slice(0, at)
  const inner = (body[outer] ?? {}) as { [name: string]: unknown }
  body[outer] = inner
  put(inner, name.slice(at + 1), value)
}

function labelOf({ label, group }: DeskField): string {
  return group === undefined ? label : group + ': ' + label.toLowerCase()
}

function wordsFor({ kind }: DeskField, value: unknown): Html | string {
  if (value === null) return 'none'
  if (kind === 'days') return html`${seconds(value as number)} by the tenant’s clock`
  if (kind === 'date') return html`${seconds(value as number)}${UTC}`
  if (kind === 'money') return moneyText(value as number, CENTS_CURRENCY).split(' ', 1)[0] ?? ''
  if (kind === 'yes_no') return value === true ? 'yes' : 'no'
  if (kind === 'choice') return wordsOf(String(value))
  if (kind === 'rows') return rowsText(value as readonly object[])
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value)
}

function rowsText(rows: readonly object[]): string {
  return rows.map((row) => Object.values(row).join(' ')).join(', ')
}

/** Objects, one for each line that is not empty; commas and semicolons part words too. */
function rowsIn(name: string, text: string, columns: readonly string[]): object[] {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.split(/[\s,;]+/).filter((word) => word !== ''))
  return lines
    .filter((words) => words.length > 0)
    .map((words) => {
      if (words.length === columns.length)
        return Object.fromEntries(columns.map((column, at) => [column, words[at]]))
      throw new FieldProblem(name, 'Type on each line: ' + columns.join(', ') + '.')
    })
}

/**
 * Unix seconds by the tenant's clock, as many days from now. The second sending has the moment of
 * the first: the passkey signs a moment, and it does not move while the page is open.
 */
async function momentOf(
  { name, clock = '' }: DeskField,
  form: Form,
  readClock: ClockReader,
): Promise<number> {
  const kept = form(name + MOMENT)
  if (kept !== '') return wholeNumber(name, kept)
  const days = wholeNumber(name, form(name))
  // The clock shows whole seconds that have passed: one more keeps the last day whole.
  return (await readClock(clock)).now + 1 + days * DAY_S
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new FieldProblem(name, 'Type a whole number.')
  return Number(text)
}

function fieldValue({ name, kind, isNullable, columns = [] }: DeskField, text: string): unknown {
  if (isNullable === true && text === '') return null
  if (kind === 'yes_no') return text === 'true'
  if (kind === 'rows') return rowsIn(name, text, columns)
  if (kind === 'lines') return text.split(/\s+/).filter((line) => line !== '')
  if (kind === 'text' || kind === 'choice' || kind === 'given') return text
  if (kind === 'date') return endOfDay(name, text)
  if (kind !== 'money') return signedNumber(name, text, kind)
  const cents = centsIn(text, CENTS_CURRENCY)
  if (cents === null) throw new FieldProblem(name, 'Type an amount, for example 2500.00.')
  return cents
}

/** Unix seconds of the end of a day (UTC): the same call, however often its form is sent. */
function endOfDay(name: string, text: string): number {
  const day = parseInstant(text + 'T00:00:00Z')
  if (day === null || !isoInstant(day).startsWith(text + 'T'))
    throw new FieldProblem(name, 'Type a day, for example 2027-11-26.')
  return day / 1000 + DAY_S
}

function signedNumber(name: string, text: string, kind: DeskField['kind']): number {
  const isLess = kind === 'change' && text.startsWith('-')
  const size = wholeNumber(name, isLess ? text.slice(1) : text)
  return isLess ? -size : size
}
