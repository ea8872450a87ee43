// The steps to the first authorization, for a tenant that has none: which are done, which is next?
import { type Html, html, url } from '../../../shared/html.ts'
import { type AnswerOf, call, type Outcome, type Visit, type Way } from '../page.ts'
import { section } from '../parts/panel.ts'

interface Step extends Way {
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
  const steps: Step[] = [
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
    html`<ol>${steps.filter(({ operation }) => at.may(operation)).map((step) => stepLine(at, step))}</ol>`,
  )
}

const FIRST_USE: Step = {
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
function openingOf(status: string): Step {
  return {
    ...{ path: '/going_live', label: 'Apply for live', operation: 'getAccountKyb' },
    ...{ about: OPENINGS[status] ?? '', isDone: status === 'approved' },
  }
}

function stepLine({ to }: Visit, { path, label, about, isDone }: Step): Html {
  const done = isDone ? html` <span class="good">✓ done</span>` : null
  return html`<li><a href="${url(to(path))}">${label}</a> <span class="soft">${about}</span>${done}</li>`
}
