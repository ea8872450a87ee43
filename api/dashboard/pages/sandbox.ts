// The sandbox: its clock, and messages of the simulated network.
import type { Card, SandboxClock } from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import {
  action,
  call,
  FieldProblem,
  type Form,
  type Problem,
  page,
  type Shown,
  type Visit,
} from '../page.ts'
import { json } from '../parts/code.ts'
import { facts } from '../parts/facts.ts'
import { confirmed, field, form, select } from '../parts/form.ts'
import { distance, seconds } from '../parts/moment.ts'
import { amountIn } from '../parts/money.ts'
import { none, panel, panelError, section } from '../parts/panel.ts'

const SCENARIOS = [
  ...['approve', 'approve_and_capture', 'approve_and_reverse', 'capture_in_parts', 'incremental'],
  ...['refund', 'wrong_expiry', 'account_verification', 'duplicate', 'answer_lost'],
  ...['authorization_lost', 'reversal_first', 'delayed'],
]

async function view(at: Visit, problem: Problem | null): Promise<Shown> {
  const { clock, cards } = await at.ask({
    clock: call('getSandboxClock', {}),
    cards: call('listCards', { status: 'active', limit: 50 }),
  })
  const content = html`<header class="head"><h1>Sandbox</h1><p>Everything here goes through the same line as live.</p></header>
${problem === null ? null : panelError(problem)}
<div class="grid"><div class="stack">${at.may('createSimulateCardNetworkMessage') ? panel('Send an authorization', cards, ({ data }) => messageForm(at, data)) : null}
${panel('Clock', clock, (known) => clockForm(at, known))}</div><div class="stack">
${at.may('createSimulateCardNetworkScenario') ? panel('Play a story', cards, ({ data }) => storyForm(at, data)) : null}
${at.may('wipeSandbox') ? section('Begin again', wipeForm(at)) : null}</div></div>`
  return { title: 'Sandbox', content, ...(problem === null ? {} : { status: 422 }) }
}

const noCard = (at: Visit, use: string): Html =>
  none(
    at,
    'No card is active ' + use + '. The page of a cardholder issues one.',
    call('createCard', { cardholder_id: 'ch_…', type: 'virtual' }),
    { path: '/cardholders', label: 'Choose a cardholder', operation: 'createCard' },
  )

function cardChoice(cards: readonly Card[]): Html {
  const options = cards.map(
    ({ id, last4, name_on_card: name, type, currency }) =>
      [id, '…' + last4 + ' ' + (name ?? type) + ', ' + currency] as const,
  )
  return select({ name: 'card_id', label: 'Active card', options })
}

function messageForm(at: Visit, cards: readonly Card[]): Html {
  if (cards.length === 0) return noCard(at, 'that could be charged')
  const fields = html`${cardChoice(cards)}${field({ name: 'merchant', label: 'Merchant', value: 'Corner shop' })}<div class="pair">${AMOUNT}${field({ name: 'mcc', label: 'Category code', value: '5411', max: 4 })}${field({ name: 'country', label: 'Country', value: 'US', max: 2 })}</div>`
  return form({ action: at.to('/sandbox/message'), fields, button: { label: 'Send' } })
}

const AMOUNT = field({
  name: 'amount',
  label: 'Amount',
  hint: 'in the card’s currency',
  value: '12.50',
  required: true,
})

function storyForm(at: Visit, cards: readonly Card[]): Html {
  if (cards.length === 0) return noCard(at, 'for a story')
  const stories = SCENARIOS.map((one) => [one, one.replaceAll('_', ' ')] as const)
  const fields = html`${cardChoice(cards)}<div class="pair">${select({ name: 'scenario', label: 'Story', options: stories })}${AMOUNT}</div>`
  return form({ action: at.to('/sandbox/scenario'), fields, button: { label: 'Play' } })
}

/** Times in seconds: of holds, deadlines, billing periods and expiries. */
const ADVANCES = [
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '7 days'],
  ['2678400', '31 days'],
  ['31536000', '365 days'],
] as const

function clockForm(at: Visit, { now, offset_ms: offset }: SandboxClock): Html {
  const ahead = offset === 0 ? 'not at all' : distance(at.now + offset, at.now).slice(3)
  const fields = select({ name: 'seconds', label: 'Advance by', options: ADVANCES })
  return html`${facts([
    ['Time of the sandbox', seconds(now)],
    ['Ahead of real time', ahead],
  ])}${at.may('clockSandbox') ? form({ action: at.to('/sandbox/clock'), fields, button: { label: 'Advance', mood: 'plain' } }) : null}`
}

function wipeForm(at: Visit): Html {
  return html`<p>Removes every resource of the sandbox. Keys and people stay.</p>${confirmed({
    ...{ id: 'wipe', action: at.to('/sandbox/wipe') },
    button: { label: 'Wipe the sandbox', mood: 'danger' },
    title: 'Wipe the sandbox?',
    text: 'Every card, transaction, event and pass of the sandbox goes. This cannot be undone.',
  })}`
}

export const sandbox = page({
  path: '/sandbox',
  title: 'Sandbox',
  only: 'sandbox',
  menu: { group: 'Settings', label: 'Sandbox' },
  operations: ['getSandboxClock', 'listCards'],
  view: (at) => view(at, null),
})

/** The currency of a card; an amount in another one could be a hundred times another. */
async function currencyOf(at: Visit, id: string): Promise<string> {
  if (id === '') return 'USD'
  const { card } = await at.ask({ card: call('getCard', { id }) })
  if (card.ok) return card.value.currency
  throw new FieldProblem('card_id', 'The card could not be read. Send the message again.')
}

/** The typed amount in minor units of the card's currency. */
async function cardAmountIn(sent: Form, at: Visit): Promise<number> {
  return amountIn(sent, await currencyOf(at, sent('card_id')))
}

function played(at: Visit, title: string, answer: unknown): Shown {
  return {
    title,
    content: html`<header class="head"><h1>${title}</h1><p><a href="${url(at.to('/transactions'))}">Transactions</a> · <a href="${url(at.to('/sandbox'))}">Send another</a></p></header>${section('The answer of the network', json(answer, 'The answer of the API'))}`,
  }
}

const again = (at: Visit, _sent: unknown, problem: Problem): Promise<Shown> => view(at, problem)

export const sandboxMoves = [
  action({
    path: '/sandbox/message',
    label: 'Send an authorization.',
    operation: 'createSimulateCardNetworkMessage',
    done: '',
    input: async (sent, at) => ({
      card_id: sent('card_id'),
      amount_cents: await cardAmountIn(sent, at),
      merchant: {
        id: 'm-dashboard',
        name: sent('merchant'),
        mcc: sent('mcc'),
        city: 'Springfield',
        country: sent('country'),
      },
    }),
    shown: (answer, at) => played(at, 'The network was answered', answer),
    again,
  }),
  action({
    path: '/sandbox/scenario',
    label: 'Play a story.',
    operation: 'createSimulateCardNetworkScenario',
    done: '',
    input: async (sent, at) => ({
      card_id: sent('card_id'),
      scenario: sent('scenario') as 'approve',
      amount_cents: await cardAmountIn(sent, at),
    }),
    shown: (answer, at) => played(at, 'The story was played', answer),
    again,
  }),
  action({
    path: '/sandbox/clock',
    label: 'Advance the clock of the sandbox.',
    operation: 'clockSandbox',
    done: 'The clock is advanced.',
    input: (sent) => ({ advance_seconds: Number(sent('seconds')) }),
    again,
  }),
  action({
    path: '/sandbox/wipe',
    label: 'Wipe the sandbox.',
    operation: 'wipeSandbox',
    done: 'The sandbox is wiped.',
    input: () => ({}),
    again,
  }),
]
