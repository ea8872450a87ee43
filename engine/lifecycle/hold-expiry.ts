// How long a hold lasts. A table, because networks and their readers disagree: the program's own
// rows come first, then these, and the first match wins. Authorization 8.
import { cardPresence } from '../../shared/card-presence.ts'
import type { HoldExpiry, ProgramConfig } from '../../shared/wire/config-records.ts'
import type { MessageRecord } from '../../shared/wire/journal-entry.ts'

const HOUR_MS = 3_600_000
const DAY_HOURS = 24
const HOURS_MIN = DAY_HOURS
const HOURS_MAX = 35 * DAY_HOURS

interface Row {
  /** MCCs, or ranges of MCCs. Absent: all. */
  mccs?: readonly (readonly [from: number, to: number])[]
  network?: string
  final?: boolean
  initiator?: 'cardholder' | 'merchant'
  cardPresent?: boolean
  days: number
}

const FUEL = [[5542, 5542]] as const
/**
 * Lodging, cruise lines and vehicle rental, with the codes of single hotel and rental companies.
 */
const STAYS = [
  [3351, 3500],
  [3501, 3999],
  [4411, 4411],
  [7011, 7011],
  [7512, 7513],
  [7519, 7519],
] as const

// biome-ignore-start format: a table reads better in rows.
const TABLE: readonly Row[] = [
  { mccs: FUEL, days: 2 },
  { mccs: STAYS, days: 30 },
  { network: 'mastercard', final: true, days: 7 },
  { network: 'mastercard', final: false, days: 30 },
  { initiator: 'merchant', days: 5 },
  { cardPresent: true, days: 5 },
]
// biome-ignore-end format: rows end here.
const OTHERS_DAYS = 7

/**
 * Returns the end of a hold made at a moment. Chosen: on the full hour, 1 to 35 days later; for a
 * payment at the moment that it names.
 */
export function holdEnd(message: MessageRecord, program: ProgramConfig, nowMs: number): number {
  if (message.holdExpiresAtMs !== null) return message.holdExpiresAtMs
  const hours = ownHours(message, program) ?? defaultDays(message) * DAY_HOURS
  const bound = Math.min(HOURS_MAX, Math.max(HOURS_MIN, hours))
  return Math.ceil(nowMs / HOUR_MS + bound) * HOUR_MS
}

/** Hours of the first matching row of the program; null if none matches. */
function ownHours(message: MessageRecord, { hold_expiry }: ProgramConfig): number | null {
  for (const row of hold_expiry) if (isMeant(row, message)) return row.hours
  return null
}

function isMeant(row: HoldExpiry, message: MessageRecord): boolean {
  return (
    (row.mccs === null || row.mccs.includes(message.mcc)) &&
    (row.card_present === null || row.card_present === isPresent(message)) &&
    (row.initiator === null || row.initiator === message.initiator)
  )
}

function defaultDays(message: MessageRecord): number {
  const mcc = Number(message.mcc)
  for (const row of TABLE) if (isUsual(row, message, mcc)) return row.days
  return OTHERS_DAYS
}

function isUsual(row: Row, message: MessageRecord, mcc: number): boolean {
  const { mccs, network, final, initiator, cardPresent } = row
  return (
    (mccs === undefined || isWithin(mccs, mcc)) &&
    (network === undefined || network === message.network) &&
    (final === undefined || final === message.final) &&
    (initiator === undefined || initiator === message.initiator) &&
    (cardPresent === undefined || cardPresent === isPresent(message))
  )
}

function isWithin(ranges: NonNullable<Row['mccs']>, mcc: number): boolean {
  for (const [from, to] of ranges) if (mcc >= from && mcc <= to) return true
  return false
}

function isPresent({ entryMethod }: MessageRecord): boolean {
  return cardPresence(entryMethod) === 'present'
}
