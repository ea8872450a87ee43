// Calls of operators that wait for a second operator.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

const APPROVAL_STATUSES = ['pending', 'approved', 'denied', 'used', 'expired'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

const TextOrNull = Type.Union([Type.String(), Type.Null()])
const MomentOrNull = Type.Union([Type.Integer(), Type.Null()])

export const OperatorApproval = Type.Object({
  id: Type.String(),
  object: Type.Literal('operator_approval'),
  created: Type.Integer(),
  status: described(
    Type.Enum([...APPROVAL_STATUSES]),
    'An approved one is used by the call that it allows, once.',
  ),
  operator_id: described(Type.String(), 'The operator who made the call.'),
  operator_name: described(Type.String(), 'The name of the operator who made the call.'),
  operation: described(Type.String(), 'The effect of the call, in a sentence.'),
  method: described(Type.String(), 'The method of the call.'),
  path: described(Type.String(), 'The path of the call.'),
  fields: described(
    Type.Array(
      Type.Object({
        name: described(Type.String(), 'The name of a field of the body.'),
        value: described(Type.String(), 'Its value as text; secrets are not shown.'),
      }),
    ),
    'The fields of the body of the call.',
  ),
  expires_at: described(
    Type.Integer(),
    'Unix seconds; until then another operator decides, and the call is made again.',
  ),
  decided_by: described(TextOrNull, 'The operator who decided; null before.'),
  decided_at: described(MomentOrNull, 'Unix seconds of the decision; null before.'),
  used_at: described(MomentOrNull, 'Unix seconds at which the call was made; null before.'),
})
export type OperatorApproval = Static<typeof OperatorApproval>
