// A state: a sign and a word, never colour alone.
import { type Html, html } from '../../../shared/html.ts'

export type Mood = 'good' | 'bad' | 'warn' | 'plain'

const SIGNS: { readonly [mood in Mood]: string } = { good: '●', bad: '✕', warn: '▲', plain: '○' }

const GOOD = [
  'active approved authorized captured completed confirmed enabled succeeded won installed',
  'partially_captured verified valid usable closed accepted provisioned included paid true ok',
]
const BAD = [
  'declined failed revoked terminated lost expired rejected disabled open_breaker forged',
  'risk_declined open canceled removed blocked unknown replayed error false not_ok',
]
const WARN = [
  'pending suspended needs_response needs_confirmation held half_open submitted draft inactive',
  'reversed refunded partially_refunded capture_pending past_due trial trialing frozen issued',
]
const MOODS = new Map<string, Mood>([
  ...words(GOOD, 'good'),
  ...words(BAD, 'bad'),
  ...words(WARN, 'warn'),
])

function words(lists: readonly string[], mood: Mood): [string, Mood][] {
  return lists.flatMap((list) => list.split(' ')).map((word): [string, Mood] => [word, mood])
}

/** A state in words: underscores become spaces. */
export function wordsOf(state: string): string {
  return state.replaceAll('_', ' ')
}

/** A state or name at the beginning of a line. */
export function titled(state: string): string {
  const words = wordsOf(state)
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** A sanctions alert: a confirmed one is a listed person. */
export function alertTag(status: 'open' | 'dismissed' | 'confirmed'): Html {
  return tag(status, ({ open: 'warn', dismissed: 'good', confirmed: 'bad' } as const)[status])
}

/** A state of a resource; the mood follows from the word unless it is given. */
export function tag(state: string, mood: Mood = MOODS.get(state) ?? 'plain'): Html {
  return html`<span class="tag ${mood}"><span aria-hidden="true">${SIGNS[mood]}</span> ${wordsOf(state)}</span>`
}
