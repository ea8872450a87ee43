// A call that the API refused, without anything the caller sent but its route.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const RefusedCall = Type.Object({
  id: Type.String(),
  object: Type.Literal('refused_call'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  request_id: described(Type.String(), 'The Request-Id of the answer.'),
  method: described(Type.String(), 'The method of the call.'),
  path: described(Type.String(), 'The path of the operation, with :id in the place of an id.'),
  status: described(Type.Integer(), 'HTTP status of the answer.'),
  code: described(Type.String(), 'The error code of the answer.'),
  param: described(TextOrNull, 'The field that the answer named; null where it named none.'),
  credential: described(
    Type.Object({
      kind: described(
        Type.Enum(['api_key', 'oauth', 'person']),
        'oauth: a connected platform; person: somebody at the dashboard.',
      ),
      id: Type.String(),
    }),
    'The caller.',
  ),
  address: described(TextOrNull, 'Address that the call came from; null when unknown.'),
})
export type RefusedCall = Static<typeof RefusedCall>

export const RefusedCallHours = Type.Object({
  object: Type.Literal('refused_call_hours'),
  livemode: Type.Boolean(),
  hours: described(
    Type.Array(
      Type.Object({
        hour: described(Type.Integer(), 'When it began, in Unix seconds.'),
        codes: described(
          Type.Array(
            Type.Object({
              code: described(Type.String(), 'The error code.'),
              count: described(Type.Integer(), 'Calls refused with it.'),
            }),
          ),
          'Refused calls of the hour by error code, the most frequent first.',
        ),
      }),
    ),
    'The hours of the last thousand refused calls, oldest first; hours without one are left out.',
  ),
})
export type RefusedCallHours = Static<typeof RefusedCallHours>
