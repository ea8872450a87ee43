// Reads the sentence of a control as a person would, and foresees from its words alone whether a
// purchase passes.
import { calendarDay, minuteOfDay, windowBounds } from '../../engine/state/calendar.ts'
import { cardPresence } from '../../shared/card-presence.ts'
import { categoryMccs } from '../../shared/mcc-categories.ts'
import type { EntryMethod } from '../../shared/schemas/network-message.ts'

/** A purchase on a card in USD, at a moment. */
export interface Bought {
  at: number
  amount: number
  mcc: string
  merchant: string
  country: string
  currency: string
  entry: EntryMethod
  kind: string
  /** `none`, `unknown`, or its provider. */
  wallet: string
  is3ds: boolean
  isFallback: boolean
}

/** True: it passes; false: it is declined; null: the words do not tell. */
type Verdict = boolean | null
type Reader = (bought: Bought, approved: readonly Bought[]) => Verdict

/**
 * Returns the expectations of a reader, who remembers the approved purchases, and knows that an
 * authorization of 0 checks a card and uses nothing.
 */
export function readSentence(sentence: string): Reader {
  const [, state, text = ''] =
    /^(Once active: |No longer: )?(.*), (?:on this card|by this cardholder in all|in this program as a whole|from this payment account)\.$/s.exec(
      sentence,
    ) ?? []
  if (state !== undefined) return () => true
  const clauses = split(text, '; ').map((clause) => clauseOf(clause.replace(/^./, lower)))
  return (bought, approved) => {
    const used = approved.filter(({ amount }) => amount > 0)
    return all(clauses.map((read) => read(bought, used)))
  }
}

function all(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes(false)) return false
  return verdicts.includes(null) ? null : true
}

function lower(letter: string): string {
  return letter.toLowerCase()
}

/** Splits at a mark outside quotes and brackets. */
function split(text: string, mark: string): string[] {
  const parts = ['']
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? ''
    if ('“('.includes(letter)) depth += 1
    if ('”)'.includes(letter)) depth -= 1
    if (depth === 0 && text.startsWith(mark, at)) {
      parts.push('')
      at += mark.length - 1
    } else parts[parts.length - 1] += letter
  }
  return parts
}

function clauseOf(clause: string): Reader {
  if (clause === 'no restriction') return () => true
  if (/^and [\d,]+ more rules?$/.test(clause)) return () => null
  if (/^nothing, as no .* is allowed$/.test(clause)) return () => false
  if (clause === 'not by the stripe of a chip card') return ({ isFallback }) => !isFallback
  if (clause === 'online payments only after 3DS')
    return ({ entry, is3ds }) => entry !== 'online' || is3ds
  if (clause === 'only at the merchant of the first authorization')
    return ({ merchant }, [first]) => first === undefined || first.merchant === merchant
  const reader = endOf(clause) ?? limitOf(clause) ?? hoursOf(clause) ?? listOf(clause)
  if (reader === null) throw new Error('nobody reads: ' + clause)
  return reader
}

function endOf(clause: string): Reader | null {
  const [, most] = /^at most ([\d,]+) authorizations?, then no more$/.exec(clause) ?? []
  if (most !== undefined) return (_bought, approved) => approved.length < whole(most)
  const [found, size, amount = ''] =
    /^one authorization only(?:, of (exactly|at most) ([\d,]+) minor units)?$/.exec(clause) ?? []
  if (found === undefined) return null
  return ({ amount: asked }, approved) => {
    if (approved.length > 0) return false
    if (size === undefined || asked === 0) return true
    return size === 'exactly' ? asked === whole(amount) : asked <= whole(amount)
  }
}

function whole(text: string): number {
  return Number(text.replaceAll(/[,.]/g, ''))
}

const WINDOWS = new Map([
  ['a day', 'daily'],
  ['a week', 'weekly'],
  ['a month', 'monthly'],
  ['a year', 'yearly'],
  ['in all', 'all_time'],
] as const)
const UNITS_S = new Map([
  ['s', 1],
  ['min', 60],
  ['h', 3600],
  ['d', 86_400],
])

const LIMIT =
  /^up to (?:([\d,.]+) [A-Z]{3})?(?: and )?(?:([\d,]+) authorizations?)? (an authorization|a day|a week|a month|a year|in all|in any \d+ \w+)(.*?)(?: \(([^()]*)\))?$/

function limitOf(clause: string): Reader | null {
  const found = LIMIT.exec(clause)
  if (found === null) return null
  const [, amount, count, time = '', filter = '', notes = ''] = found
  const [, currency = 'USD'] = /cards and payments in ([A-Z]{3})/.exec(notes) ?? []
  const [, zone = 'UTC'] = /^(?!cards)([^,]+)/.exec(notes) ?? []
  const counts = filterOf(filter)
  return (bought, approved) => {
    if (currency !== 'USD') return true
    const isCounted = counts(bought)
    if (isCounted !== true) return isCounted === null ? null : true
    const since = beginOf(time, zone, bought.at)
    const before = approved
      .filter(({ at }) => at >= since)
      .map((one) => [one, counts(one)] as const)
    if (before.some(([, is]) => is === null)) return null
    const own = before.filter(([, is]) => is === true).map(([one]) => one)
    const used = own.reduce((sum, one) => sum + one.amount, 0)
    const fits =
      amount === undefined || bought.amount === 0 || used + bought.amount <= whole(amount)
    return fits && (count === undefined || bought.amount === 0 || own.length + 1 <= whole(count))
  }
}

/** The begin of the window at a moment; a single authorization has none before it. */
function beginOf(time: string, zone: string, at: number): number {
  if (time === 'an authorization') return Number.POSITIVE_INFINITY
  const [, length = '', unit = ''] = /^in any (\d+) (\w+)$/.exec(time) ?? []
  if (unit !== '') return at - Number(length) * (UNITS_S.get(unit) ?? 0) * 1000
  const interval = WINDOWS.get(time as 'a day')
  if (interval === undefined) throw new Error('no window: ' + time)
  return windowBounds(calendarDay(zone, at), interval).startMs ?? 0
}

/** Whether a limit counts the purchase. */
function filterOf(text: string): (bought: Bought) => Verdict {
  const parts = text.split(/ (?=(?:at|in|for|with) )/).filter((part) => part !== '')
  const readers = parts.map((part) => valuesOf(part.trim()))
  return (bought) => all(readers.map((read) => read(bought)))
}

function listOf(clause: string): Reader | null {
  const [, mode, list] = /^(only|not) (.*)$/s.exec(clause) ?? []
  if (list === undefined) return null
  const has = valuesOf(list)
  return (bought) => {
    const is = has(bought)
    return is === null ? null : is === (mode === 'only')
  }
}

/** Whether the purchase is among the values; null where others are only counted. */
function valuesOf(text: string): (bought: Bought) => Verdict {
  const [, before = '', list = ''] = /^(at|in|priced in|by|with|for|from) (.*)$/s.exec(text) ?? []
  const values = split(list.replace(/ (?:requests|entry)$/, ''), ', ').flatMap((one) =>
    split(one, ' or '),
  )
  const isCut = values.some((value) => /^[\d,]+ more$/.test(value))
  return (bought) => {
    if (values.some((value) => isOf(bought, before, value))) return true
    return isCut ? null : false
  }
}

function isOf(bought: Bought, before: string, value: string): boolean {
  switch (before) {
    case 'at':
      return isAt(bought, value)
    case 'in':
      return bought.country === value
    case 'priced in':
      return bought.currency === value
    case 'by':
      return bought.entry.replaceAll('_', ' ') === value
    case 'with':
      return (
        value === 'the card ' + (cardPresence(bought.entry) === 'present' ? 'present' : 'absent')
      )
    case 'for':
      return bought.kind.replaceAll('_', ' ') === value
    default:
      return walletOf(bought) === value
  }
}

function walletOf({ wallet }: Bought): string {
  if (wallet === 'none') return 'no wallet'
  return wallet === 'unknown' ? 'an unnamed wallet' : 'wallet “' + wallet + '”'
}

function isAt({ mcc, merchant }: Bought, value: string): boolean {
  const [, id] = /^merchant “(.*)”$/s.exec(value) ?? []
  if (id !== undefined) return merchant === id
  const [, code] = /^(\d{4}(?:-\d{4})?)(?: |$)/.exec(value) ?? []
  const codes = code === undefined ? (categoryMccs(value.replaceAll(' ', '_')) ?? []) : [code]
  return codes.some((range) => {
    const [from = '', until = from] = range.split('-')
    return mcc >= from && mcc <= until
  })
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

function hoursOf(clause: string): Reader | null {
  const periods = [
    ...clause.matchAll(/(every day|[MTWFS][\w –]*?) (\d\d):(\d\d)–(\d\d):(\d\d) \(([^)]+)\)/g),
  ]
  if (!clause.startsWith('only ') || periods.length === 0) return null
  return ({ at }) =>
    periods.some(([, days = '', from, fromMinute, until, untilMinute, zone = '']) => {
      const day = DAYS[calendarDay(zone, at).weekday - 1] ?? ''
      const minute = minuteOfDay(zone, at)
      const [begin, end] = [
        Number(from) * 60 + Number(fromMinute),
        Number(until) * 60 + Number(untilMinute),
      ]
      return daysOf(days).includes(day) && minute >= begin && minute < end
    })
}

function daysOf(text: string): string[] {
  if (text === 'every day') return DAYS
  return text.split(' ').flatMap((run) => {
    const [first = '', last = first] = run.split('–')
    return DAYS.slice(DAYS.indexOf(first), DAYS.indexOf(last) + 1)
  })
}
