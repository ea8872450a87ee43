// A quote for an enterprise plan: a tenant asks, an operator offers, a person accepts.
import { type Static, Type } from 'typebox'
import { AgreedTerms } from './billing-terms.ts'

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
    /** Authorizations, approved and declined. */
    authorizations: Type.Optional(Count),
    /** Cards issued. */
    cards_issued: Type.Optional(Count),
    /** Passes issued. */
    passes_issued: Type.Optional(Count),
    /** Physical cards handed to the carrier. */
    physical_cards: Type.Optional(Count),
    /** Identity checks with a result. */
    identity_checks: Type.Optional(Count),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type QuoteVolumes = Static<typeof QuoteVolumes>

/** The person to talk to. */
export const QuoteContact = Type.Object(
  {
    /** The name of the person. */
    name: Type.String({ minLength: 1, maxLength: 100, ...Line }),
    /** The mail address of the person. */
    email: Type.String({ maxLength: 254, pattern: '^[^\\s@]{1,64}@[^\\s@]{1,189}$' }),
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
  /** `expired` once an offer ran out unaccepted. */
  status: Type.Enum([...QUOTE_STATUSES]),
  /** Expected units of a month, by meter. */
  volumes: QuoteVolumes,
  /** The person to talk to. */
  contact: QuoteContact,
  /** A note of the tenant. */
  note: Type.Union([Type.String(), Type.Null()]),
  /** The offered terms; null until an operator offers. */
  offer: Type.Union([AgreedTerms, Type.Null()]),
  /** When the offer runs out, Unix seconds. */
  offer_expires_at: Type.Union([Type.Integer(), Type.Null()]),
  /** SHA-256 of the offered terms and their end, in hex: another offer has another digest. */
  offer_digest: Type.Union([OfferDigest, Type.Null()]),
  /** When the offer was accepted, Unix seconds. */
  accepted_at: Type.Union([Type.Integer(), Type.Null()]),
  /** The person who accepted. */
  accepted_by: Type.Union([Type.String(), Type.Null()]),
  /** Why an operator declined. */
  decline_reason: Type.Union([Type.String(), Type.Null()]),
})
export type Quote = Static<typeof Quote>

/** A quote as operators see it. */
export const OperatorQuote = Type.Object({ ...Quote.properties, tenant_id: Type.String() })
export type OperatorQuote = Static<typeof OperatorQuote>
