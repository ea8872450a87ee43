// A person of a tenant, who approves calls that a key alone may not make. Operators make and change
// people; the tenant sees them.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

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
  email: described(Type.String(), 'The address for signing in, in lower case.'),
  name: described(Type.String(), 'The name of the person.'),
  role: described(
    Type.Enum([...PERSON_ROLES]),
    'Owners and admins approve calls, developers those of the sandbox. Analysts read, support helps holders of cards.',
  ),
  status: described(Type.Enum([...PERSON_STATUSES]), 'A disabled person approves nothing.'),
})
export type Person = Static<typeof Person>

/** As operators see one. */
export const OperatorPerson = Type.Object({
  ...Person.properties,
  tenant_id: described(Type.String(), 'The tenant it belongs to.'),
})
export type OperatorPerson = Static<typeof OperatorPerson>

const FACTOR = {
  totp_secret: described(
    Type.String(),
    'For an authenticator, base32 (RFC 6238: SHA-1, six digits, thirty seconds). Shown this once.',
  ),
  recovery_codes: described(
    Type.Array(Type.String()),
    'Each stands once for a code of the authenticator. Shown this once.',
  ),
}

/** With a second factor of their own, which is shown this once. */
export const PersonFactor = Type.Object({
  ...OperatorPerson.properties,
  ...FACTOR,
  works_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'When the factor begins to work, in Unix seconds: for an owner in live a day later, and only if no owner of the tenant cancels it. Null: it works already.',
  ),
})
export type PersonFactor = Static<typeof PersonFactor>

export const NewPerson = Type.Object({
  ...OperatorPerson.properties,
  password: described(
    Type.Union([Type.String(), Type.Null()]),
    'With which they sign in, shown this once; null for a person who signs in already.',
  ),
  totp_secret: described(
    Type.Union([Type.String(), Type.Null()]),
    'As for another second factor; null for a person who signs in already.',
  ),
  recovery_codes: described(FACTOR.recovery_codes, 'Empty for a person who signs in already.'),
})
export type NewPerson = Static<typeof NewPerson>

export const NEW_PERSON_INPUT = {
  email: described(Email, 'With which they sign in; kept in lower case.'),
  name: described(Name, 'The name of the person.'),
  role: described(Type.Optional(Type.Enum([...PERSON_ROLES])), 'Owner where it is not given.'),
}

export const ROLE_CHANGE = {
  role: described(
    Type.Enum([...PERSON_ROLES]),
    'The new role; never above the role of the approving person.',
  ),
}

/** A link by which a person who lost every factor comes in again. */
export const PersonRecovery = Type.Object({
  ...Person.properties,
  url: described(
    Type.Union([Type.String(), Type.Null()]),
    'One-time link for the person, shown this once; null where it went by mail.',
  ),
  expires_at: described(Type.Integer(), 'When the link ends, in Unix seconds.'),
})
export type PersonRecovery = Static<typeof PersonRecovery>

export const PERSON_CHANGE = {
  email: described(
    Type.Optional(Email),
    'With which they sign in from now on; kept in lower case.',
  ),
  name: described(Type.Optional(Name), 'The name of the person.'),
}
