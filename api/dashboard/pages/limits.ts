// Limits as bars: used, left, and when the count begins anew.
import type { LimitHeadroom } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { call, type Visit } from '../page.ts'
import { meter } from '../parts/meter.ts'
import { moment, UTC } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { none } from '../parts/panel.ts'
import { wordsOf } from '../parts/tag.ts'

/** Headroom of the limits that an authorization of the card was judged by. */
export function limitBars(at: Visit, limits: readonly LimitHeadroom[], cardId: string): Html {
  if (limits.length === 0)
    return none(
      at,
      'No limit was judged. A limit of a control bounds what a card spends in a time.',
      call('createSpendingControl', {
        ...{ scope: 'card', subject_id: cardId },
        limits: [{ interval: 'daily', amount_cents: 50_000 }],
      }),
    )
  return html`<ul class="limits">${limits.map(
    (limit) =>
      html`<li><p><strong>${wordsOf(String(limit.interval))}</strong> <span class="soft">of the ${String(limit.scope)}</span></p>${amountBar(limit)}${countBar(limit)}${
        limit.resets_at === null
          ? null
          : html`<small>Begins anew ${moment(limit.resets_at)}${UTC}${limit.time_zone === 'UTC' ? null : ', by the clock of ' + limit.time_zone}</small>`
      }</li>`,
  )}</ul>`
}

function amountBar(limit: LimitHeadroom): Html | null {
  const { amount_cents: all, used_cents: used, reserved_cents: reserved } = limit
  if (all === null) return null
  const taken = (used ?? 0) + (reserved ?? 0)
  const currency = String(limit.currency)
  const words = moneyText(taken, currency) + ' of ' + moneyText(all, currency)
  return html`<p><span>${words}</span><span class="soft">${moneyText(limit.remaining_cents ?? 0, currency)} left</span></p>${meter({ used: taken, all, label: words })}`
}

function countBar(limit: LimitHeadroom): Html | null {
  const { count: all, used_count: used, reserved_count: reserved } = limit
  if (all === null) return null
  const taken = (used ?? 0) + (reserved ?? 0)
  const words = countText(taken) + ' of ' + countText(all) + ' authorizations'
  return html`<p>${words}</p>${meter({ used: taken, all, label: words })}`
}
