// A tenant's application for live: its business, and the program it begins with.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { words } from './words.ts'

const Country = Type.String({ pattern: '^[A-Z]{2}$' })

const DETAILS = {
  legal_name: described(words(200), 'The legal name of the business.'),
  registration_number: words(64, 'The number in the register of companies.'),
  country: described(Country, 'ISO 3166-1 alpha-2.'),
  address: Type.Object(
    {
      line1: words(200),
      city: words(100),
      postal_code: words(20),
      country: described(Country, 'ISO 3166-1 alpha-2.'),
    },
    { additionalProperties: false, description: 'Where the business is registered.' },
  ),
  website: Type.String({
    maxLength: 200,
    pattern: '^https://[^\\s\\u0000-\\u001f\\u007f]+$',
    description: 'The website of the business, over https.',
  }),
  description: words(2000, 'The business, and the use of cards and payments, in a few sentences.'),
  program: described(
    Type.Object(
      {
        name: described(words(100), 'The name of the program.'),
        currency: described(Type.String({ pattern: '^[A-Z]{3}$' }), 'ISO 4217.'),
      },
      { additionalProperties: false },
    ),
    'The program that is activated with the approval.',
  ),
}

const KybInput = Type.Object(DETAILS)
export const KYB_INPUT = DETAILS
export type KybInput = Static<typeof KybInput>

export const KybApplication = Type.Object({
  id: Type.String(),
  object: Type.Literal('kyb_application'),
  created: Type.Integer(),
  status: Type.Enum(['submitted', 'approved', 'rejected']),
  ...DETAILS,
  submitted_by: described(Type.String(), 'The owner or admin who approved the application.'),
  reason: described(
    Type.Union([Type.String(), Type.Null()]),
    "Why it was decided like that, in the operator's words.",
  ),
  decided_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Unix seconds; null before the decision.',
  ),
})
export type KybApplication = Static<typeof KybApplication>

/** An application as a list over all tenants shows it. */
export const WaitingKybApplication = Type.Object({
  ...KybApplication.properties,
  tenant_id: described(Type.String(), 'The tenant that applies.'),
})
export type WaitingKybApplication = Static<typeof WaitingKybApplication>
