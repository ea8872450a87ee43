// Operators of the installation, and the programs as they see them.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { Email } from './person.ts'
import { Program } from './program.ts'

/** `all`: every call; `read`: calls with GET; `rates`: the calls of exchange rates. */
export const OPERATOR_SCOPES = ['all', 'read', 'rates'] as const
export type OperatorScope = (typeof OPERATOR_SCOPES)[number]
const OperatorScope = described(
  Type.Enum([...OPERATOR_SCOPES]),
  'What the credential may call: everything, only what reads, or only exchange rates.',
)

export const Operator = Type.Object({
  id: Type.String(),
  object: Type.Literal('operator'),
  created: Type.Integer(),
  name: described(Type.String(), 'The name of the operator whose credential it is.'),
  last4: described(Type.String(), 'The end of the credential.'),
  status: described(Type.Enum(['active', 'revoked']), 'A revoked one never works again.'),
  scope: OperatorScope,
  email: described(
    Type.Union([Type.String(), Type.Null()]),
    'The address of the person who works on the pages of operators; null: nobody.',
  ),
  expires_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Unix seconds from which the credential no longer works; null: it has no end.',
  ),
  cidrs: described(
    Type.Array(Type.String()),
    'Address ranges the credential may be used from; none: from anywhere.',
  ),
})
export type Operator = Static<typeof Operator>

/** With the credential, which is shown this once. */
export const NewOperator = Type.Object({ ...Operator.properties, secret: Type.String() })
export type NewOperator = Static<typeof NewOperator>

const OPERATOR_CIDRS_MAX = 50
const CREDENTIAL_BOUNDS = {
  expires_at: Type.Optional(
    described(
      Type.Integer({ minimum: 0, maximum: 99_999_999_999 }),
      'Unix seconds ahead, two years and a day at most; by default a credential works for a year.',
    ),
  ),
  cidrs: Type.Optional(
    described(
      Type.Array(Type.String({ pattern: '^[0-9A-Fa-f.:]{2,45}/[0-9]{1,3}$' }), {
        maxItems: OPERATOR_CIDRS_MAX,
      }),
      'Address ranges such as 203.0.113.0/24; none: from anywhere.',
    ),
  ),
}

export const NEW_OPERATOR_INPUT = {
  ...CREDENTIAL_BOUNDS,
  scope: Type.Optional(OperatorScope),
  name: Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
}

export const OPERATOR_CHANGE = { ...CREDENTIAL_BOUNDS }

export const OPERATOR_LINK = {
  email: described(
    Type.Union([Email, Type.Null()]),
    'The proved address of a person; null ends the link.',
  ),
}

/** A program as its tenant sees it, with its tenant. */
export const OperatorProgram = Type.Object({ ...Program.properties, tenant_id: Type.String() })
export type OperatorProgram = Static<typeof OperatorProgram>
