// Going live: what is needed, and what came of the application?
import type { KybApplication } from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import {
  action,
  call,
  type Form,
  type Problem,
  page,
  Refused,
  type Shown,
  type Visit,
} from '../page.ts'
import { facts } from '../parts/facts.ts'
import { area, field, form } from '../parts/form.ts'
import { seconds } from '../parts/moment.ts'
import { notice, section } from '../parts/panel.ts'
import { tag, wordsOf } from '../parts/tag.ts'

interface Line {
  name: string
  label: string
  hint?: string
  max: number
}

/** Fields of the form, in their order; the description of the business comes after them. */
const LINES = [
  { name: 'legal_name', label: 'Legal name', max: 200 },
  { name: 'registration_number', label: 'Number in the register', max: 64 },
  { name: 'country', label: 'Country', hint: 'two letters, such as DE', max: 2 },
  { name: 'line1', label: 'Street and number', max: 200 },
  { name: 'city', label: 'City', max: 100 },
  { name: 'postal_code', label: 'Postal code', max: 20 },
  { name: 'address_country', label: 'Country of the address', hint: 'two letters', max: 2 },
  { name: 'website', label: 'Website', hint: 'begins with https://', max: 200 },
  { name: 'program_name', label: 'Name of the first program', max: 100 },
  {
    name: 'program_currency',
    label: 'Currency of the program',
    hint: 'such as EUR',
    max: 3,
  },
] as const satisfies readonly Line[]

const STATES: { readonly [status: string]: string } = {
  pending: 'Nobody applied yet. An operator verifies the business, and then live is open.',
  submitted: 'An operator looks at the application. The owners get a mail about the decision.',
  approved: 'The business is verified. Live is open.',
  rejected: 'The business could not be verified. Correct the details and apply again.',
}

type Typed = (name: string) => string

/** The fields of an earlier application, to be corrected. */
function typedOf(of: KybApplication | null): Typed {
  if (of === null) return () => ''
  const { address, program, ...plain } = of
  const known: { readonly [name: string]: unknown } = {
    ...plain,
    ...{ line1: address.line1, city: address.city, postal_code: address.postal_code },
    address_country: address.country,
    ...{ program_name: program.name, program_currency: program.currency },
  }
  return (name) => String(known[name] ?? '')
}

async function goingLiveView(at: Visit, sent: Form | null, problem: Problem | null) {
  const account = await at.need(call('getAccount', {}))
  const { application } = await at.ask({ application: call('getAccountKyb', {}) })
  // Before the first application there is none.
  if (!application.ok && application.problem.status !== 404) throw new Refused(application.problem)
  const of = application.ok ? application.value : null
  const status = account.kyb_status
  const isOpen = (status === 'pending' || status === 'rejected') && at.may('kybAccount')
  const shown: Shown = {
    title: 'Going live',
    status: problem === null ? 200 : problem.status || 200,
    content: html`<header class="head"><h1>Going live</h1>${status === 'pending' ? null : tag(status)}<p>${STATES[status] ?? wordsOf(status)}</p></header>
${of?.reason == null ? null : notice('warn', 'In the operator’s words: ' + of.reason)}
${isOpen ? section('The application', applyForm(at, sent ?? typedOf(of), problem)) : null}
${status === 'approved' ? nextInLive(at) : null}${isOpen || of === null ? null : section('The application', applicationFacts(of))}`,
  }
  return shown
}

/** The first steps of an approved tenant, in live. */
function nextInLive({ environment, others, member, may }: Visit): Html | null {
  const hasLive = environment === 'live' || others.some((one) => one.environment === 'live')
  if (!hasLive) return null
  const live = '/d/' + member.tenantId + '/live'
  return html`<p class="actions">${
    may('createApiKey')
      ? html`<a class="button primary" href="${url(live + '/keys/new')}">Make a live key</a>`
      : null
  }<a class="button" href="${url(live + '/overview')}">Open live</a></p>`
}

function applyForm(at: Visit, typed: Typed, problem: Problem | null): Html {
  const lines = LINES.map((line) => field({ ...line, required: true, value: typed(line.name) }))
  const fields = html`<div class="pair wide">${lines}</div>${area({
    ...{ name: 'description', label: 'The business, and its use of cards and payments' },
    value: typed('description'),
  })}`
  return form({
    ...{ action: at.to('/going_live'), fields, problem },
    button: { label: 'Apply for live' },
  })
}

function applicationFacts(of: KybApplication): Html {
  const typed = typedOf(of)
  return facts([
    ...LINES.map(({ name, label }): [string, string] => [label, typed(name)]),
    ['The business', of.description],
    ['Sent', seconds(of.created)],
  ])
}

export const goingLive = page({
  path: '/going_live',
  title: 'Going live',
  menu: { group: 'Settings', label: 'Going live' },
  operations: ['getAccountKyb', 'getAccount'],
  view: (at) => goingLiveView(at, null, null),
})

export const apply = action({
  path: '/going_live',
  label: 'Apply for live with the details of the business.',
  operation: 'kybAccount',
  done: 'The application is on its way.',
  input: (sent) => ({
    legal_name: sent('legal_name'),
    registration_number: sent('registration_number'),
    country: sent('country').toUpperCase(),
    address: {
      ...{ line1: sent('line1'), city: sent('city'), postal_code: sent('postal_code') },
      country: sent('address_country').toUpperCase(),
    },
    website: sent('website'),
    description: sent('description'),
    program: { name: sent('program_name'), currency: sent('program_currency').toUpperCase() },
  }),
  next: () => '/going_live',
  again: (at, sent, problem) => goingLiveView(at, sent, problem),
})
