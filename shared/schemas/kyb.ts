// A tenant's application for live: its business, and the program it begins with.
import { type Static, Type } from 'typebox'

function words(maxLength: number, description?: string): ReturnType<typeof Type.String> {
  const pattern = '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$'
  return Type.String({ minLength: 1, maxLength, pattern, ...(description && { description }) })
}

const Country = Type.String({ pattern: '^[A-Z]{2}$' })

const DETAILS = {
  /** The legal name of the business. */
  legal_name: words(200),
  registration_number: words(64, 'The number in the register of companies.'),
  /** ISO 3166-1 alpha-2. */
  country: Country,
  address: Type.Object(
    {
      line1: words(200),
      city: words(100),
      postal_code: words(20),
      /** ISO 3166-1 alpha-2. */
      country: Country,
    },
    { additionalProperties: false, description: 'Where the business is registered.' },
  ),
  website: Type.String({
    maxLength: 200,
    pattern: '^https://[^\\s\\u0000-\\u001f\\u007f]+$',
    description: 'The website of the business, over https.',
  }),
  description: words(2000, 'The business, and the use of cards and payments, in a few sentences.'),
  /** The program that is activated with the approval. */
  program: Type.Object(
    {
      /** The name of the program. */
      name: words(100),
      /** ISO 4217. */
      currency: Type.String({ pattern: '^[A-Z]{3}$' }),
    },
    { additionalProperties: false },
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
  /** The owner or admin who approved the application. */
  submitted_by: Type.String(),
  /** Why it was decided like that, in the operator's words. */
  reason: Type.Union([Type.String(), Type.Null()]),
  /** Unix seconds; null before the decision. */
  decided_at: Type.Union([Type.Integer(), Type.Null()]),
})
export type KybApplication = Static<typeof KybApplication>

/** An application as a list over all tenants shows it. */
export const WaitingKybApplication = Type.Object({
  ...KybApplication.properties,
  /** The tenant that applies. */
  tenant_id: Type.String(),
})
export type WaitingKybApplication = Static<typeof WaitingKybApplication>
