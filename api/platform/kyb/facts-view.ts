// The details of an application as a list, for the page of operators.
import { type Html, html } from '../../../shared/html.ts'
import { moment } from '../../http/pages/moment.ts'
import type { KybRow } from './view.ts'

/** The details of an application as a list. */
export function applicationFacts({ details, createdAt }: KybRow): Html {
  const { address, program } = details
  const facts: readonly (readonly [label: string, value: string])[] = [
    ['Legal name', details.legal_name],
    ['Number in the register', details.registration_number],
    ['Country', details.country],
    ['Street and number', address.line1],
    ['City', address.city],
    ['Postal code', address.postal_code],
    ['Country of the address', address.country],
    ['Website', details.website],
    ['The business, and its use of cards and payments', details.description],
    ['Name of the first program', program.name],
    ['Currency of the program', program.currency],
  ]
  return html`<dl class="facts">${facts.map(
    ([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`,
  )}<div><dt>Sent</dt><dd>${moment(createdAt)}</dd></div></dl>`
}
