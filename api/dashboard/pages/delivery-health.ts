// Delivery health: how each endpoint received the events of a day, and what waits for it.
import { type Html, html, url } from '../../../shared/html.ts'
import { FIRST_ROWS } from '../first-rows.ts'
import { type AnswerOf, call, type Outcome, type Visit } from '../page.ts'
import { percent } from '../parts/figure.ts'
import { meter } from '../parts/meter.ts'
import { span } from '../parts/moment.ts'
import { countText } from '../parts/money.ts'
import { none } from '../parts/panel.ts'
import { tag } from '../parts/tag.ts'

type Health = AnswerOf<'listWebhookEndpointsHealth'>

/** Endpoints that are drawn; the page of webhooks leads to the others. */
const DRAWN_MAX = 10
/** Endpoints that are asked for, whose events may wait. */
const ENDPOINTS_MAX = 100
/** Counts end there. */
const COUNTED_MAX = 1000

/** The health of the newest endpoints. */
export async function deliveryHealth(at: Visit): Promise<Outcome<Health>> {
  const { health } = await at.ask({
    health: call('listWebhookEndpointsHealth', { limit: ENDPOINTS_MAX }),
  })
  return health
}

/** One line and one bar for each endpoint: its share of deliveries by the first attempt. */
export function healthBars(at: Visit, { data }: Health): Html {
  if (data.length === 0)
    return none(
      at,
      'No endpoint receives events. An endpoint gets each event that your cards, passes and payments make.',
      FIRST_ROWS.listWebhookEndpoints,
      { path: '/webhooks/new', label: 'Add an endpoint', operation: 'createWebhookEndpoint' },
    )
  return html`<ul class="bars health">${data.slice(0, DRAWN_MAX).map((one) => endpointBar(at, one))}</ul>`
}

function endpointBar(at: Visit, one: Health['data'][number]): Html {
  const { id, url: address, status, total } = one
  const { first_tries: tries, first_try_share: share } = total
  const words =
    share === null
      ? 'nothing new sent in 24 h'
      : percent(share) + ' of ' + countText(tries) + ' delivered at the first try'
  const bar = share === null ? null : meter({ used: share, all: 1, label: words, isGood: true })
  return html`<li><a href="${url(at.to('/webhooks/' + id))}">${address}</a>${tag(status)}${bar}<span class="soft">${words} · ${waitingText(one)}</span></li>`
}

function waitingText({
  pending,
  held,
  oldest_age_seconds: age,
}: Pick<Health['data'][number], 'pending' | 'held' | 'oldest_age_seconds'>): string {
  const count = pending + held
  if (count === 0 || age === null) return 'nothing waits'
  const more = count === COUNTED_MAX ? ' or more' : ''
  return (
    countText(count) + more + (held > 0 ? ' held' : ' waiting') + ', the oldest for ' + span(age)
  )
}
