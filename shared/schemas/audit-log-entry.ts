// A row of the audit log as the outside sees it: the action, its author and its origin. No bodies,
// no secrets.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

const ACTOR_TYPES = ['api_key', 'oauth', 'person', 'operator', 'system', 'holder'] as const
const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const AuditLogEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal('audit_log_entry'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  seq: described(Type.Integer(), 'Counts the rows of the log from 1, without gaps.'),
  actor: described(
    Type.Object({
      type: described(
        Type.Enum([...ACTOR_TYPES]),
        'oauth: a connected platform; system: an action that time triggered; holder: a cardholder on a hosted page.',
      ),
      id: TextOrNull,
    }),
    'The caller.',
  ),
  action: described(
    Type.String(),
    "The method and path of the call, for example POST /v1/cards/:id/suspend, or the name of an action of the system. Two names stand for calls that changed nothing: secret_key_in_browser for the first call with a secret key from each web page, ip_not_allowed for calls from outside a key's address ranges.",
  ),
  resource_id: described(TextOrNull, 'The id of the resource in the response, if it has one.'),
  request_id: described(
    TextOrNull,
    'The Request-Id of the call; null for an action of the system.',
  ),
  address: described(TextOrNull, 'Where the call came from.'),
  approved_by: described(
    TextOrNull,
    'The person who approved the call, if it needed a second factor.',
  ),
  previous_hash: described(
    Type.String(),
    'SHA-256, lower-case hex: of the row before, and over it and everything in this one.',
  ),
  hash: described(
    Type.String(),
    'SHA-256 over this row and the hash of the row before, lower-case hex.',
  ),
})
export type AuditLogEntry = Static<typeof AuditLogEntry>
export type ActorType = AuditLogEntry['actor']['type']

/** The result of checking the chain. */
export const AuditVerification = Type.Object({
  object: Type.Literal('audit_log_verification'),
  valid: described(Type.Boolean(), 'True if no checked row was changed.'),
  rows: described(Type.Integer(), 'Rows that were checked.'),
  broken: described(
    Type.Union([
      Type.Object({ seq: Type.Integer(), id: TextOrNull, problem: Type.String() }),
      Type.Null(),
    ]),
    'The first row that was changed, or the number of a missing one. Null if the chain holds.',
  ),
  head: described(
    Type.Union([Type.Object({ seq: Type.Integer(), hash: Type.String() }), Type.Null()]),
    'The newest row. Keep it elsewhere: it shows later whether an earlier row was changed. Null for an empty log.',
  ),
  next_from: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Where the next call goes on (from); null when everything was checked, or the chain is broken.',
  ),
})
export type AuditVerification = Static<typeof AuditVerification>
