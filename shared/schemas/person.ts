// A person of a tenant, as operators make one: who approves what keys alone may not do.
import { type Static, Type } from 'typebox'

const ROLES = ['owner', 'admin', 'member'] as const

export const NEW_PERSON_INPUT = {
  email: Type.String({
    maxLength: 254,
    pattern: '^[^\\s@\\u0000-\\u001f]+@[^\\s@\\u0000-\\u001f]+$',
  }),
  name: Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
  /** Owners and admins approve. */
  role: Type.Optional(Type.Enum([...ROLES])),
}

/** Password, secret and codes are shown this once. */
export const NewPerson = Type.Object({
  id: Type.String(),
  object: Type.Literal('person'),
  created: Type.Integer(),
  tenant_id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Type.Enum([...ROLES]),
  password: Type.String(),
  /** Base32, as authenticators take it. */
  totp_secret: Type.String(),
  /** Each stands once for a code of the authenticator. */
  recovery_codes: Type.Array(Type.String()),
})
export type NewPerson = Static<typeof NewPerson>
