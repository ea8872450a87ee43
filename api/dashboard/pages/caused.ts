// Events of a resource, and the deliveries of each.
import type { Event } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { curlOf } from '../curl.ts'
import { type Call, call, type Visit } from '../page.ts'
import { idLink } from '../parts/id.ts'
import { commandOf, none, panelError } from '../parts/panel.ts'
import { tag } from '../parts/tag.ts'

const EVENTS_MAX = 6

/** The latest events, each with its deliveries and their state. */
export async function causedDeliveries(at: Visit, events: readonly Event[]): Promise<Html> {
  if (events.length === 0)
    return none(at, 'No event yet. Each change becomes one as soon as it is stored.')
  const shown = events.slice(0, EVENTS_MAX)
  const calls: { [id: string]: Call<'listWebhookDeliveries'> } = Object.fromEntries(
    shown.map(({ id }) => [id, call('listWebhookDeliveries', { event_id: id, limit: 10 })]),
  )
  const deliveries = await at.ask(calls)
  const silent = shown.filter(({ id }) => {
    const found = deliveries[id]
    return found?.ok === true && found.value.data.length === 0
  })
  const types = [...new Set(silent.map(({ type }) => type))]
  const endpoint = call('createWebhookEndpoint', {
    url: 'https://hooks.example/svc',
    event_types: types as never,
  })
  return html`<ul class="bars">${shown.map(({ id, type }) => {
    const found = deliveries[id]
    return html`<li><span>${idLink(at, id, type)}</span><span></span><span>${
      found === undefined || !found.ok
        ? found === undefined
          ? null
          : panelError(found.problem)
        : found.value.data.length === 0
          ? html`<span class="soft">No endpoint takes it.</span>`
          : found.value.data.map(
              (one) =>
                html`${tag(one.state)} ${idLink(at, one.id, one.last_status === null ? 'not answered' : 'answered ' + one.last_status)} `,
            )
    }</span></li>`
  })}</ul>${types.length === 0 ? null : commandOf(curlOf(at.apiUrl, endpoint), 'No endpoint takes it.')}`
}
