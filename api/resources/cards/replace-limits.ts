// Replaces a card's own limits. Those of its cardholder and program stay as they are and go on binding it.

import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { isMinorUnits } from '../../../shared/money.ts'
import type { Card } from '../../../shared/schemas/card.ts'
import {
  type LimitFact,
  type LimitInterval,
  openControl,
  ownControlId,
} from '../../../shared/wire/facts.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { requireState } from '../../move.ts'
import { Refusal } from '../../refuse.ts'
import { LIMITS_REPLACEABLE_IN } from './states.ts'
import { lockCard, saveCardControls } from './store.ts'
import { type CardRow, cardView } from './view.ts'

/** Limits of one card: six intervals in a few zones. */
export const LIMITS_MAX = 24

/** Chosen: days, weeks, months and years of a limit are those of UTC unless it names a zone. */
const TIME_ZONE_DEFAULT = 'UTC'

export interface LimitInput {
  interval: LimitInterval
  /** Minor units; 0 allows nothing. */
  amount_cents: number
  currency?: string
  time_zone?: string
}

/** An empty list leaves the card without limits of its own. Writing what is already there changes nothing. */
export async function replaceLimits(
  context: Context,
  input: { cardId: string; limits: readonly LimitInput[] },
): Promise<Card> {
  const { principal, now } = context
  const change = async (sql: TxSql) => {
    const card = await lockCard(sql, principal, input.cardId)
    if (card === null) throw new Refusal('resource_missing')
    requireState(card.status, LIMITS_REPLACEABLE_IN)

    const bound = card.controls.find((one) => one.scope === 'card')?.controls ?? []
    const own = bound.find((control) => control.id === ownControlId(card.id))
    const held = own?.limits ?? []
    const limits = input.limits.map((limit, index) =>
      limitFact({ limit, at: '/limits/' + index }, card, held, now),
    )
    refuseDuplicates(limits)
    if (sameLimits(held, limits)) return cardView(card)
    const kept = own ?? openControl(ownControlId(card.id))
    const changed = { ...kept, version: own === undefined ? 1 : own.version + 1, limits }
    const controls = [changed, ...bound.filter((control) => control.id !== changed.id)]
    return cardView(await saveCardControls(sql, principal, { cardId: card.id, controls }))
  }
  return changeConfiguration(context, change, { safeToRepeat: true })
}

/** A limit of the same interval and zone keeps its id, so that declines before and after name the same one. */
function limitFact(
  { limit, at }: { limit: LimitInput; at: string },
  card: CardRow,
  held: readonly LimitFact[],
  now: EpochMs,
): LimitFact {
  const { interval, amount_cents, currency = card.currency } = limit
  const time_zone = timeZoneName(limit.time_zone ?? TIME_ZONE_DEFAULT)
  if (currency !== card.currency) {
    throw new Refusal('parameter_invalid', {
      param: at + '/currency',
      message: 'This field must be the currency of the card, ' + card.currency + '.',
    })
  }
  if (time_zone === null) {
    throw new Refusal('parameter_invalid', {
      param: at + '/time_zone',
      message: 'This field must be an IANA time zone such as Europe/Berlin.',
    })
  }
  assert(isMinorUnits(amount_cents), 'validation let only minor units pass')
  const same = held.find((one) => one.interval === interval && one.time_zone === time_zone)
  return {
    id: same?.id ?? newId('lim', now),
    interval,
    amount_cents,
    count: null,
    currency,
    time_zone,
    rolling_seconds: null,
    filter: null,
  }
}

/**
 * The zone's name as windows are counted under it, or null. One zone must not count under two names: the case is mended, and
 * every name of UTC is UTC. Other aliases stay as written, because their preferred name differs between releases.
 */
function timeZoneName(text: string): string | null {
  // Intl also takes offsets such as +02:00, which are no zones: they know no daylight saving.
  if (!/^[A-Za-z]/.test(text)) return null
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions()
    const mended = timeZone === 'UTC' || timeZone.toLowerCase() === text.toLowerCase()
    return mended ? timeZone : text
  } catch (cause) {
    if (cause instanceof RangeError) return null
    throw cause
  }
}

function refuseDuplicates(limits: readonly LimitFact[]): void {
  const seen = new Set<string>()
  for (const [index, { interval, time_zone }] of limits.entries()) {
    const key = interval + ' ' + time_zone
    if (seen.has(key)) {
      throw new Refusal('parameter_invalid', {
        param: '/limits/' + index,
        message: 'There may be one limit per interval and time zone.',
      })
    }
    seen.add(key)
  }
}

function sameLimits(held: readonly LimitFact[], wanted: readonly LimitFact[]): boolean {
  return (
    held.length === wanted.length &&
    wanted.every((limit, index) => {
      const other = held[index]
      return other?.id === limit.id && other.amount_cents === limit.amount_cents
    })
  )
}
