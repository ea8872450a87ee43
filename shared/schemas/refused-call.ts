// A call that the API refused, without anything the caller sent but its route.
import { type Static, Type } from 'typebox'

const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const RefusedCall = Type.Object({
  id: Type.String(),
  object: Type.Literal('refused_call'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** The Request-Id of the answer. */
  request_id: Type.String(),
  /** The method of the call. */
  method: Type.String(),
  /** The path of the operation, with `:id` in the place of an id. */
  path: Type.String(),
  /** HTTP status of the answer. */
  status: Type.Integer(),
  /** The error code of the answer. */
  code: Type.String(),
  /** The field that the answer named; null where it named none. */
  param: TextOrNull,
  /** The caller. */
  credential: Type.Object({
    /** `oauth`: a connected platform; `person`: somebody at the dashboard. */
    kind: Type.Enum(['api_key', 'oauth', 'person']),
    id: Type.String(),
  }),
  /** Address that the call came from; null when unknown. */
  address: TextOrNull,
})
export type RefusedCall = Static<typeof RefusedCall>

export const RefusedCallHours = Type.Object({
  object: Type.Literal('refused_call_hours'),
  livemode: Type.Boolean(),
  /** The hours of the last thousand refused calls, oldest first; hours without one are left out. */
  hours: Type.Array(
    Type.Object({
      /** When it began, in Unix seconds. */
      hour: Type.Integer(),
      /** Refused calls of the hour by error code, the most frequent first. */
      codes: Type.Array(
        Type.Object({
          /** The error code. */
          code: Type.String(),
          /** Calls refused with it. */
          count: Type.Integer(),
        }),
      ),
    }),
  ),
})
export type RefusedCallHours = Static<typeof RefusedCallHours>
