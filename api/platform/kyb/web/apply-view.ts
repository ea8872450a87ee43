// The page of a tenant's application for live.
import { type Html, html, url } from '../../../../shared/html.ts'
import type { KybStatus } from '../../../../shared/schemas/tenant.ts'
import {
  moment,
  type Problem,
  type ProofForm,
  problemNotice,
  provedForm,
  withPasskeys,
} from '../../../access/web/index.ts'
import type { Page } from '../../../http/pages/page.ts'
import type { KybRow } from '../view.ts'

interface Field {
  name: string
  label: string
  hint?: string
  max: number
  autocomplete?: string
  lines?: boolean
}

/** Fields of the form, in their order. */
export const FIELDS = [
  { name: 'legal_name', label: 'Legal name', max: 200, autocomplete: 'organization' },
  { name: 'registration_number', label: 'Number in the register', max: 64 },
  {
    name: 'country',
    label: 'Country',
    hint: 'two letters, such as DE',
    max: 2,
    autocomplete: 'country',
  },
  { name: 'address_line1', label: 'Street and number', max: 200, autocomplete: 'address-line1' },
  { name: 'address_city', label: 'City', max: 100, autocomplete: 'address-level2' },
  { name: 'address_postal_code', label: 'Postal code', max: 20, autocomplete: 'postal-code' },
  { name: 'address_country', label: 'Country of the address', hint: 'two letters', max: 2 },
  {
    name: 'website',
    label: 'Website',
    hint: 'begins with https://',
    max: 200,
    autocomplete: 'url',
  },
  {
    name: 'description',
    label: 'The business, and its use of cards and payments',
    max: 2000,
    lines: true,
  },
  { name: 'program_name', label: 'Name of the first program', max: 100 },
  {
    name: 'program_currency',
    label: 'Currency of the program',
    hint: 'three letters, such as EUR',
    max: 3,
  },
] as const satisfies readonly Field[]

export type TypedFields = { readonly [Name in (typeof FIELDS)[number]['name']]: string }

export interface ApplyPage {
  tenantId: string
  tenantName: string
  status: KybStatus
  application: KybRow | null
  /** Fields as they were sent; null before. */
  typed: TypedFields | null
  proof: ProofForm
  isSent: boolean
  problem: Problem | null
}

const STATES: { readonly [Status in KybStatus]: string } = {
  pending: 'Nobody applied yet. An operator verifies the business, and then live is open.',
  submitted: 'An operator looks at the application. The owners get a mail about the decision.',
  approved: 'The business is verified. Live is open.',
  rejected: 'The business could not be verified. Correct the details and apply again.',
}

export function applyPage(page: ApplyPage): Page {
  const { tenantId, tenantName, status, application, proof, isSent, problem } = page
  const isOpen = status === 'pending' || status === 'rejected'
  const content = html`
<header><a href="/account">Your account</a><span class="badge">${status}</span></header>
<h1>Going live with ${tenantName}</h1>
${isSent ? html`<p class="done" role="status">The application is on its way.</p>` : null}
<p class="operation">${STATES[status]}</p>
${reasonOf(application)}
${problemNotice(problem?.sentence ?? null)}
${
  isOpen
    ? html`<h2>The application</h2>
${provedForm({ action: '/going_live/' + tenantId, proof, fields: fieldsOf(page), label: 'Apply for live' })}`
    : null
}
${isOpen || application === null ? null : html`<h2>The application</h2>${applicationFacts(application)}`}
<p class="note"><a href="${url('/people/' + tenantId)}">People of ${tenantName}</a></p>`
  const title = 'Going live with ' + tenantName
  const shown = { status: problem?.status ?? 200, title, content }
  return isOpen ? withPasskeys(shown, proof) : shown
}

function reasonOf(application: KybRow | null): Html | null {
  const reason = application?.reason ?? null
  return reason === null ? null : html`<p class="note">In the operator’s words: ${reason}</p>`
}

function fieldsOf({ typed, application }: ApplyPage): Html {
  const known = typed ?? (application === null ? null : typedOf(application))
  return html`${FIELDS.map((field) => input(field, known?.[field.name] ?? ''))}`
}

function input({ name, label, hint, max, autocomplete, lines }: Field, value: string): Html {
  const text = hint === undefined ? html`${label}` : html`${label} <span>${hint}</span>`
  if (lines === true)
    return html`<label>${text}
<textarea name="${name}" rows="5" maxlength="${max}" required>${value}</textarea></label>`
  return html`<label>${text}
<input name="${name}" maxlength="${max}" autocomplete="${autocomplete ?? 'off'}" required value="${value}"></label>`
}

/** The fields of an earlier application, to be corrected. */
function typedOf({ details }: KybRow): TypedFields {
  const { address, program } = details
  return {
    legal_name: details.legal_name,
    registration_number: details.registration_number,
    country: details.country,
    address_line1: address.line1,
    address_city: address.city,
    address_postal_code: address.postal_code,
    address_country: address.country,
    website: details.website,
    description: details.description,
    program_name: program.name,
    program_currency: program.currency,
  }
}

/** The details of an application as a list. */
export function applicationFacts(application: KybRow): Html {
  const typed = typedOf(application)
  return html`<dl class="facts">${FIELDS.map(
    ({ name, label }) => html`<div><dt>${label}</dt><dd>${typed[name]}</dd></div>`,
  )}<div><dt>Sent</dt><dd>${moment(application.createdAt)}</dd></div></dl>`
}
