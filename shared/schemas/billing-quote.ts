// A quote for an enterprise plan: a tenant asks, an operator offers, a person accepts.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { AgreedTerms } from './billing-terms.ts'
import { described } from './described.ts'

export const QUOTE_STATUSES = [
  'requested',
  'offered',
  'accepted',
  'provisioned',
  'withdrawn',
  'declined',
  'expired',
] as const
export type QuoteStatus = (typeof QUOTE_STATUSES)[number]

const Count = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 })
const Line = { pattern: '^[^\\u0000-\\u001f\\u007f]*$' }

/** Expected units of a month, by meter. */
export const QuoteVolumes = Type.Object(
  {
    authorizations: described(Type.Optional(Count), 'Authorizations, approved and declined.'),
    cards_issued: described(Type.Optional(Count), 'Cards issued.'),
    passes_issued: described(Type.Optional(Count), 'Passes issued.'),
    physical_cards: described(Type.Optional(Count), 'Physical cards handed to the carrier.'),
    identity_checks: described(Type.Optional(Count), 'Identity checks with a result.'),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type QuoteVolumes = Static<typeof QuoteVolumes>

/** The person to talk to. */
export const QuoteContact = Type.Object(
  {
    name: described(
      Type.String({ minLength: 1, maxLength: 100, ...Line }),
      'The name of the person.',
    ),
    email: described(
      Type.String({ maxLength: 254, pattern: '^[^\\s@]{1,64}@[^\\s@]{1,189}$' }),
      'The mail address of the person.',
    ),
  },
  { additionalProperties: false },
)
export type QuoteContact = Static<typeof QuoteContact>

export const QuoteNote = Type.String({ maxLength: 1000, ...Line })

/** Names the offer that a person has read. */
export const OfferDigest = Type.String({ pattern: '^[0-9a-f]{64}$' })

export const Quote = Type.Object({
  id: Type.String(),
  object: Type.Literal('quote'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  status: described(Type.Enum([...QUOTE_STATUSES]), 'Expired once an offer ran out unaccepted.'),
  volumes: described(QuoteVolumes, 'Expected units of a month, by meter.'),
  contact: described(QuoteContact, 'The person to talk to.'),
  note: described(Type.Union([Type.String(), Type.Null()]), 'A note of the tenant.'),
  offer: described(
    Type.Union([AgreedTerms, Type.Null()]),
    'The offered terms; null until an operator offers.',
  ),
  offer_expires_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'When the offer runs out, Unix seconds.',
  ),
  offer_digest: described(
    Type.Union([OfferDigest, Type.Null()]),
    'SHA-256 of the offered terms and their end, in hex: another offer has another digest.',
  ),
  accepted_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'When the offer was accepted, Unix seconds.',
  ),
  accepted_by: described(Type.Union([Type.String(), Type.Null()]), 'The person who accepted.'),
  decline_reason: described(Type.Union([Type.String(), Type.Null()]), 'Why an operator declined.'),
})
export type Quote = Static<typeof Quote>

/** A quote as operators see it. */
export const OperatorQuote = Type.Object({ ...Quote.properties, tenant_id: Type.String() })
export type OperatorQuote = Static<typeof OperatorQuote>
