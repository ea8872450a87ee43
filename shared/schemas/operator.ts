// Operators of the installation, and the programs as they see them.
import { type Static, Type } from 'typebox'
import { described } from './described.ts'
import { Email } from './person.ts'
import { Program } from './program.ts'

export const Operator = Type.Object({
  id: Type.String(),
  object: Type.Literal('operator'),
  created: Type.Integer(),
  name: described(Type.String(), 'The name of the operator whose credential it is.'),
  last4: described(Type.String(), 'The end of the credential.'),
  status: described(Type.Enum(['active', 'revoked']), 'A revoked one never works again.'),
  email: described(
    Type.Union([Type.String(), Type.Null()]),
    'The address of the person who works on the pages of operators; null: nobody.',
  ),
})
export type Operator = Static<typeof Operator>

/** With the credential, which is shown this once. */
export const NewOperator = Type.Object({ ...Operator.properties, secret: Type.String() })
export type NewOperator = Static<typeof NewOperator>

export const NEW_OPERATOR_INPUT = {
  name: Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
}

export const OPERATOR_LINK = {
  email: described(
    Type.Union([Email, Type.Null()]),
    'The proved address of a person; null ends the link.',
  ),
}

/** A program as its tenant sees it, with its tenant. */
export const OperatorProgram = Type.Object({ ...Program.properties, tenant_id: Type.String() })
export type OperatorProgram = Static<typeof OperatorProgram>
