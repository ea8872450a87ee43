// Last uses of API keys beside each other: the fuller the bar, the more recent the use.
import { type Html, html, url } from '../../../shared/html.ts'
import type { AnswerOf, Visit } from '../page.ts'
import { meter } from '../parts/meter.ts'
import { span } from '../parts/moment.ts'

/** Active keys of the picture, the newest. */
export const KEYS_DRAWN = 25
const DAY_S = 86_400
/** A key without a use in so many days has an empty bar. */
const DAYS_DRAWN = 30

export function lastUses(at: Visit, { data, has_more: hasMore }: AnswerOf<'listApiKeys'>): Html {
  const all = DAYS_DRAWN * DAY_S
  const now = Math.floor(at.now / 1000)
  return html`<ul class="bars">${data.map(({ id, name, last_used_at: used }) => {
    const age = used === null ? null : Math.max(0, now - used)
    const words = wordsOf(age)
    const left = age === null ? 0 : Math.max(0, all - age)
    const bar = meter({ used: left, all, label: words, isPlain: true })
    return html`<li><a href="${url(at.to('/keys/' + id))}">${nameOf({ id, name })}</a><span class="soft">${words}</span>${bar}</li>`
  })}</ul><p class="soft">A bar empties in ${DAYS_DRAWN} days without a call.${hasMore ? ' These are the ' + KEYS_DRAWN + ' newest active keys.' : null}</p>`
}

/** The name of a key, or the end of its id. */
export function nameOf({ id, name }: { id: string; name: string }): Html | string {
  return name === '' ? html`<code class="id" title="${id}">…${id.slice(-8)}</code>` : name
}

function wordsOf(age: number | null): string {
  if (age === null) return 'never used'
  return age < 60 ? 'used just now' : 'used ' + span(age) + ' ago'
}
