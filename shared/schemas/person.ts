// A person of a tenant, who approves calls that a key alone may not make. Operators make and change
// people; the tenant sees them.
import { type Static, Type } from 'typebox'

export const PERSON_ROLES = ['owner', 'admin', 'developer', 'analyst', 'support'] as const
export type PersonRole = (typeof PERSON_ROLES)[number]

/** Rights of each role in a few words. */
export const ROLE_TEXTS: { readonly [Role in PersonRole]: string } = {
  owner: 'everything, also other owners',
  admin: 'everything but owners',
  developer: 'the sandbox; live to read',
  analyst: 'read, but no keys or people',
  support: 'cards: suspend, resume, freeze',
}

export const PERSON_STATUSES = ['active', 'disabled'] as const

/** An email address. */
export const Email = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@\\u0000-\\u001f]+@[^\\s@\\u0000-\\u001f]+$',
})
const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })

/** One person for sandbox and live alike. */
export const Person = Type.Object({
  id: Type.String(),
  object: Type.Literal('person'),
  created: Type.Integer(),
  /** The address for signing in, in lower case. */
  email: Type.String(),
  /** The name of the person. */
  name: Type.String(),
  /**
   * Owners and admins approve calls, developers those of the sandbox. Analysts read, support helps
   * holders of cards.
   */
  role: Type.Enum([...PERSON_ROLES]),
  /** A disabled person approves nothing. */
  status: Type.Enum([...PERSON_STATUSES]),
})
export type Person = Static<typeof Person>

/** As operators see one. */
export const OperatorPerson = Type.Object({
  ...Person.properties,
  /** The tenant it belongs to. */
  tenant_id: Type.String(),
})
export type OperatorPerson = Static<typeof OperatorPerson>

const FACTOR = {
  /**
   * For an authenticator, base32 (RFC 6238: SHA-1, six digits, thirty seconds). Shown this once.
   */
  totp_secret: Type.String(),
  /** Each stands once for a code of the authenticator. Shown this once. */
  recovery_codes: Type.Array(Type.String()),
}

/** With a second factor of their own, which is shown this once. */
export const PersonFactor = Type.Object({
  ...OperatorPerson.properties,
  ...FACTOR,
  /**
   * When the factor begins to work, in Unix seconds: for an owner in live a day later, and only if
   * no owner of the tenant cancels it. Null: it works already.
   */
  works_at: Type.Union([Type.Integer(), Type.Null()]),
})
export type PersonFactor = Static<typeof PersonFactor>

export const NewPerson = Type.Object({
  ...OperatorPerson.properties,
  /** With which they sign in, shown this once; null for a person who signs in already. */
  password: Type.Union([Type.String(), Type.Null()]),
  /** As for another second factor; null for a person who signs in already. */
  totp_secret: Type.Union([Type.String(), Type.Null()]),
  /** Empty for a person who signs in already. */
  recovery_codes: FACTOR.recovery_codes,
})
export type NewPerson = Static<typeof NewPerson>

export const NEW_PERSON_INPUT = {
  /** With which they sign in; kept in lower case. */
  email: Email,
  /** The name of the person. */
  name: Name,
  /** Owner where it is not given. */
  role: Type.Optional(Type.Enum([...PERSON_ROLES])),
}

export const ROLE_CHANGE = {
  /** The new role; never above the role of the approving person. */
  role: Type.Enum([...PERSON_ROLES]),
}

/** A link by which a person who lost every factor comes in again. */
export const PersonRecovery = Type.Object({
  ...Person.properties,
  /** One-time link for the person, shown this once; null where it went by mail. */
  url: Type.Union([Type.String(), Type.Null()]),
  /** When the link ends, in Unix seconds. */
  expires_at: Type.Integer(),
})
export type PersonRecovery = Static<typeof PersonRecovery>

export const PERSON_CHANGE = {
  /** With which they sign in from now on; kept in lower case. */
  email: Type.Optional(Email),
  /** The name of the person. */
  name: Type.Optional(Name),
}
