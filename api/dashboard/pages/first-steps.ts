// The steps to the first authorization, for a tenant that has none: which are done, which is next?
import { type Html, html, url } from '../../../shared/html.ts'
import { type AnswerOf, call, type Outcome, type Visit, type Way } from '../page.ts'
import { section } from '../parts/panel.ts'
import type { Visitor } from '../port.ts'

interface Step {
  label: string
  about: string
  isDone: boolean
}

const hasRows = (listed: Outcome<{ data: readonly unknown[] }>): boolean =>
  listed.ok && listed.value.data.length > 0

/** The steps, each with its sign and word; a step that the role may not make is left out. */
export async function firstSteps(
  at: Visit,
  account: Outcome<AnswerOf<'getAccount'>>,
): Promise<Html> {
  const { keys, endpoints, cardholders, cards } = await at.ask({
    keys: call('listApiKeys', { limit: 1 }),
    endpoints: call('listWebhookEndpoints', { limit: 1 }),
    cardholders: call('listCardholders', { limit: 1 }),
    cards: call('listCards', { limit: 1 }),
  })
  const steps: (Step & Way)[] = [
    ...(at.environment === 'live' && account.ok ? [openingOf(account.value.kyb_status)] : []),
    {
      ...{ path: '/keys/new', label: 'Make an API key', operation: 'createApiKey' },
      ...{ about: 'Your server calls us with it.', isDone: hasRows(keys) },
    },
    {
      ...{ path: '/webhooks/new', label: 'Add a webhook endpoint' },
      ...{ operation: 'createWebhookEndpoint', isDone: hasRows(endpoints) },
      about: 'It receives every event, and may decide authorizations.',
    },
    {
      ...{ path: '/cardholders/new', label: 'Add a cardholder', operation: 'createCardholder' },
      ...{ about: 'A person who holds cards, with a checked identity.' },
      isDone: hasRows(cardholders),
    },
    {
      ...{ path: '/cardholders', label: 'Issue a card', operation: 'createCard' },
      ...{ about: 'The page of the cardholder issues it.', isDone: hasRows(cards) },
    },
    ...(at.environment === 'sandbox' ? [FIRST_USE] : []),
  ]
  return section(
    'Nothing happened yet. These steps lead to the first authorization',
    html`<ol>${stepLine('/account', secondFactor(at.visitor))}${steps
      .filter(({ operation }) => at.may(operation))
      .map((step) => stepLine(at.to(step.path), step))}</ol>`,
  )
}

/** The step of the person, on a page that belongs to no tenant. */
function secondFactor({ identity: { hasGenerator, hasPasskeys } }: Visitor): Step {
  return {
    label: 'Set up a second factor',
    about:
      'A passkey or an authenticator approves sensitive changes. For keys of live, have two ways to sign in.',
    isDone: hasGenerator || hasPasskeys,
  }
}

const FIRST_USE: Step & Way = {
  ...{ path: '/sandbox', label: 'Send an authorization', isDone: false },
  operation: 'createSimulateCardNetworkMessage',
  about: 'The sandbox sends it through the real line.',
}

const OPENINGS: { readonly [status: string]: string } = {
  pending: 'Live is closed until an operator has verified the business.',
  submitted: 'An operator looks at the application.',
  rejected: 'The business could not be verified: correct the details.',
  approved: 'The business is verified.',
}

/** The step before all others of live. */
function openingOf(status: string): Step & Way {
  return {
    ...{ path: '/going_live', label: 'Apply for live', operation: 'getAccountKyb' },
    ...{ about: OPENINGS[status] ?? '', isDone: status === 'approved' },
  }
}

function stepLine(href: string, { label, about, isDone }: Step): Html {
  const done = isDone ? html` <span class="good">✓ done</span>` : null
  return html`<li><a href="${url(href)}">${label}</a> <span class="soft">${about}</span>${done}</li>`
}
