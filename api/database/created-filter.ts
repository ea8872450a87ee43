// The filters on `created` that every list shares. Spec 4.1: `created[gte]`, `created[lte]` and
// `created_after`, ISO 8601.

import { type EpochMs, isoInstant, parseInstant } from '../../shared/clock.ts'
import { Type } from '../../shared/schema-builders.ts'
import type { Owner } from '../context.ts'
import type { Fragment } from './page.ts'
import type { SqlTag } from './pool.ts'
import { NOTHING } from './static-fragments.ts'

const Instant = Type.Optional(Type.String({ format: 'date-time', maxLength: 40 }))

export const CREATED_FILTERS = {
  'created[gte]': Instant,
  'created[gt]': Instant,
  'created[lte]': Instant,
  'created[lt]': Instant,
  created_after: Instant,
}

export interface CreatedFilters {
  'created[gte]'?: string
  'created[gt]'?: string
  'created[lte]'?: string
  'created[lt]'?: string
  created_after?: string
}

/** Milliseconds: rows with `from <= created_at < before`. */
export interface CreatedRange {
  from: EpochMs
  before: EpochMs
}

/**
 * Chosen: the filters compare the `created` that the API shows, which is whole seconds: a record
 * created at 12:00:00.500 reads 12:00:00 and matches `created[lte]=…12:00:00Z`. `created_after`
 * means `created[gt]`.
 */
export function createdRange(filters: CreatedFilters): CreatedRange {
  let from = 0
  let before = Number.MAX_SAFE_INTEGER
  const least = (text: string | undefined, secondOf: SecondOf): void => {
    if (text !== undefined) from = Math.max(from, secondOf(text) * 1000)
  }
  const most = (text: string | undefined, secondOf: SecondOf): void => {
    if (text !== undefined) before = Math.min(before, secondOf(text) * 1000)
  }
  least(filters['created[gte]'], firstSecondFrom)
  least(filters['created[gt]'], firstSecondAfter)
  least(filters.created_after, firstSecondAfter)
  most(filters['created[lte]'], firstSecondAfter)
  most(filters['created[lt]'], firstSecondFrom)
  return { from, before }
}

/**
 * The filters as a condition on `created_at`, empty without filters: the plan of an unfiltered list
 * stays simple.
 */
export function createdWithin(sql: SqlTag, filters: CreatedFilters): Fragment {
  const filtered = Object.keys(CREATED_FILTERS).some((name) => name in filters)
  if (!filtered) return NOTHING
  const { from, before } = createdRange(filters)
  return sql`and created_at >= ${from} and created_at < ${before}`
}

/** An owner, and how far the clock of its sandbox is ahead. */
export type ClockedOwner = Owner & { clockOffsetMs: number }

/**
 * As `createdWithin`, in a list that is ordered by an id made as its row is created: the index
 * finds both ends of the range.
 */
export function createdWithinIds(
  sql: SqlTag,
  prefix: string,
  owner: { clockOffsetMs: number },
  filters: CreatedFilters,
): Fragment {
  return sql`${createdWithin(sql, filters)} ${bornWithin(sql, prefix, owner, createdRange(filters))}`
}

/** Clocks of processes differ by less, and ids run ahead of a reset clock by less. */
export const SKEW_MS = 360_000

/**
 * Turns the begin of the range into one of ids with this prefix too, so that the index finds its
 * start: ids come from installation time, and the lead of the tenant's clock was 0 at first and is
 * its offset now.
 */
export function bornSince(
  sql: SqlTag,
  prefix: string,
  { clockOffsetMs }: { clockOffsetMs: number },
  { from }: Pick<CreatedRange, 'from'>,
): Fragment {
  const earliest = Math.max(0, from - clockOffsetMs - SKEW_MS)
  return earliest === 0 ? NOTHING : sql`and id >= id_floor(${prefix}, ${earliest}::bigint)`
}

/** As `bornSince`, and the end of the range: only for rows whose id is made as they are created. */
export function bornWithin(
  sql: SqlTag,
  prefix: string,
  owner: { clockOffsetMs: number },
  { from, before }: CreatedRange,
): Fragment {
  const least = bornSince(sql, prefix, owner, { from })
  if (before >= Number.MAX_SAFE_INTEGER) return least
  return sql`${least} and id < id_floor(${prefix}, ${before + SKEW_MS}::bigint)`
}

/** A date (00:00 UTC) or a date and time with a zone; null when the text is neither. */
export function parseFilterInstant(text: string): EpochMs | null {
  const date = text.slice(0, 10)
  const midnight = parseInstant(date + 'T00:00:00Z')
  // The parser rolls 31 February over into March; a date that does not read back is invalid.
  if (midnight === null || !isoInstant(midnight).startsWith(date)) return null
  const moment = text === date ? midnight : parseInstant(text)
  // A zone may move the moment out of the four-digit years, the only ones that wallets read.
  return moment !== null && /^\d/.test(isoInstant(moment)) ? moment : null
}

type SecondOf = (text: string) => number

function firstSecondFrom(text: string): number {
  return Math.ceil((parseFilterInstant(text) ?? 0) / 1000)
}

function firstSecondAfter(text: string): number {
  return Math.floor((parseFilterInstant(text) ?? 0) / 1000) + 1
}
