// A card's number and PIN. The number is shown once, for 30 seconds, in a frame that no script of
// ours reads; the PIN is only set. Both need a second factor.
import { hash } from 'node:crypto'
import type { Card } from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { action, call, FieldProblem, type FileDefinition, Refused, type Visit } from '../page.ts'
import { buttonForm, confirmed, hidden, secretField } from '../parts/form.ts'
import { notice, section } from '../parts/panel.ts'

/** Seconds until the frame is empty again. */
const SHOWN_S = 30
const PIN = { name: 'pin', label: 'PIN' }

/** The part of a card's page that leads to number and PIN; null for a role without them. */
export function cardSecrets(at: Visit, { id, last4, status }: Card): Html | null {
  if (status === 'terminated' || !at.may('createCardRevealToken')) return null
  const path = at.to('/cards/' + id)
  const setPin = confirmed({
    ...{ id: 'set-pin', action: path + '/set_pin', button: { label: 'Set the PIN' } },
    title: 'Set the PIN of this card?',
    text: 'It replaces the PIN that the card has. Nobody can read a PIN, not even here.',
    fields: secretField({ ...PIN, hint: 'four to twelve digits' }),
  })
  return section(
    'Number and PIN',
    html`<p class="soft">The number ends in ${last4}. Showing it needs a code or a passkey, and stands in the audit log.</p>
<div class="actions">${buttonForm(path + '/reveal', { label: 'Show the number', mood: 'plain' })}${setPin}</div>`,
  )
}

const STYLE = `:root { color-scheme: light dark }
body { margin: 0; padding: 16px; font: 14px/1.45 system-ui, sans-serif; background: Canvas; color: CanvasText }
dl { margin: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(90px, max-content)); gap: 12px 32px }
dl > :first-child { grid-column: 1 / -1 }
dt { font-size: 12px; opacity: .75 }
dd { margin: 0; font: 600 20px/1.4 ui-monospace, Menlo, Consolas, monospace; user-select: all; white-space: nowrap }
p { margin: 0 }
hr { height: 3px; margin: 16px 0 0; border: 0; background: Highlight; transform-origin: left; animation: left ${SHOWN_S}s linear forwards }
@keyframes left { to { transform: scaleX(0) } }
@media (max-width: 340px) { dd { font-size: 16px } }
@media (prefers-reduced-motion: reduce) { hr { animation: none } }`

/**
 * Scripts are allowed by the sandbox and by nothing else: without that word a sandboxed frame does
 * not empty itself.
 */
const POLICY =
  "default-src 'none'; frame-ancestors 'self'; sandbox allow-scripts; style-src 'sha256-" +
  hash('sha256', STYLE, 'base64') +
  "'"

function framePage(content: Html): string {
  const head = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="${SHOWN_S}; url=about:blank"><title>Number of the card</title>`
  const body = html`</head><body>${content}</body></html>
`
  return head.text + '<style>' + STYLE + '</style>' + body.text
}

/** The frame: exchanges the token of the form, once. */
export const cardNumber: FileDefinition = {
  method: 'POST',
  path: '/cards/:id/number',
  async view(at, form) {
    return { policy: POLICY, text: framePage(await shownNumber(at, form('token'))) }
  },
}

/** A token shows its card once: after that, the sentence that says so. */
async function shownNumber(at: Visit, token: string): Promise<Html> {
  try {
    const revealed = await at.need(call('createCardReveal', { token }))
    const { pan, cvc, exp_month: month, exp_year: year } = revealed
    const number = (pan ?? '').replaceAll(/(\d{4})(?=\d)/g, '$1 ')
    return html`<dl><div><dt>Number</dt><dd>${number}</dd></div>
<div><dt>Expires</dt><dd>${String(month).padStart(2, '0') + '/' + year}</dd></div><div><dt>CVC</dt><dd>${cvc}</dd></div></dl><hr>`
  } catch (error) {
    if (!(error instanceof Refused) || ![400, 404].includes(error.problem.status)) throw error
    return html`<p>The number was shown before, or its minute is over. Go back and ask again.</p>`
  }
}

const idOf = (at: Visit): string => at.params['id'] ?? ''

export const cardSecretMoves = [
  action({
    path: '/cards/:id/reveal',
    label: 'Show the number of the card.',
    operation: 'createCardRevealToken',
    done: 'The number may be shown.',
    input: (_form, at) => ({ id: idOf(at) }),
    shown: ({ token }, at, isRepeat) => ({
      title: 'Number of the card',
      status: 201,
      scripts: ['number.js'],
      content: html`<header class="head"><h1>Number of the card</h1><span class="actions"><a class="button plain" href="${url(at.to('/cards/' + idOf(at)))}">Back to the card</a></span></header>
${isRepeat ? notice('warn', 'The number was shown before. Go back to the card and ask again.') : numberFrame(at, token)}`,
    }),
  }),
  action({
    path: '/cards/:id/set_pin',
    label: 'Set the PIN of the card.',
    operation: 'setCardPin',
    secrets: [PIN],
    done: 'The PIN is set.',
    input: (form, at) => ({ id: idOf(at), pin: pinIn(form('pin')) }),
  }),
]

function numberFrame(at: Visit, token: string): Html {
  return html`<section class="panel narrow stack" data-number>
<p>It is shown once, for ${SHOWN_S} seconds. Leaving the page removes it.</p>
<form method="post" action="${url(at.to('/cards/' + idOf(at) + '/number'))}" target="number">${hidden('token', token)}<button class="primary">Show it now</button></form>
<iframe class="number" name="number" title="Number of the card" sandbox="allow-scripts"></iframe></section>`
}

function pinIn(text: string): string {
  if (!/^\d{4,12}$/.test(text)) throw new FieldProblem('pin', 'A PIN has four to twelve digits.')
  return text
}
