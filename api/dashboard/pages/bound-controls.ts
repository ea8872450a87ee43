// Controls of one card, cardholder or program: what does each do, in a sentence?
import type { SpendingControl } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { call, type Outcome, type Visit } from '../page.ts'
import { idLink } from '../parts/id.ts'
import { listLink, none, panel } from '../parts/panel.ts'
import { tag } from '../parts/tag.ts'
import { controlSentence } from './control-sentence.ts'

export interface Bound {
  scope: 'card' | 'cardholder' | 'program'
  id: string
}

const NONE: { readonly [scope in Bound['scope']]: string } = {
  card: 'None of its own: those of its cardholder and program bind it.',
  cardholder: 'None of its own: those of the program bind it.',
  program: 'None. A control of a program binds all its cards and payments.',
}

/** Names the call for the controls of a subject alone. */
export function controlsOf({ scope, id }: Bound) {
  return call('listSpendingControls', { scope, subject_id: id, limit: 20 })
}

/** The controls of a subject as sentences; null for a role that may not read them. */
export function controlsPanel(
  at: Visit,
  { scope, id }: Bound,
  controls: Outcome<{ data: readonly SpendingControl[] }>,
): Html | null {
  if (!at.may('listSpendingControls')) return null
  return panel(
    'Controls of this ' + scope,
    controls,
    ({ data }) =>
      data.length === 0
        ? none(
            at,
            NONE[scope],
            call('createSpendingControl', { scope, subject_id: id, blocked_mccs: ['7995'] }),
          )
        : html`<ul class="bars">${data.map((one) => html`<li><span>${idLink(at, one.id, controlSentence(one))} <small>version ${one.version}</small></span>${tag(one.state)}</li>`)}</ul>`,
    html`<span class="actions">${
      at.may('createSpendingControl')
        ? listLink(at, '/controls/new?scope=' + scope + '&subject_id=' + id, 'Write a control')
        : null
    }${listLink(at, '/controls?subject_id=' + id, 'All controls')}</span>`,
  )
}
