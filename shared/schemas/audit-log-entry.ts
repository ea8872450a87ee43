// A row of the audit log as the outside sees it: the action, its author and its origin. No bodies,
// no secrets.
import { type Static, Type } from 'typebox'

const ACTOR_TYPES = ['api_key', 'oauth', 'person', 'operator', 'system', 'holder'] as const
const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const AuditLogEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal('audit_log_entry'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** Counts the rows of the log from 1, without gaps. */
  seq: Type.Integer(),
  /** The caller. */
  actor: Type.Object({
    /**
     * `oauth`: a connected platform; `system`: an action that time triggered; `holder`: a
     * cardholder on a hosted page.
     */
    type: Type.Enum([...ACTOR_TYPES]),
    id: TextOrNull,
  }),
  /**
   * The method and path of the call, for example `POST /v1/cards/:id/suspend`, or the name of an
   * action of the system. Two names stand for calls that changed nothing: `secret_key_in_browser`
   * for the first call with a secret key from each web page, `ip_not_allowed` for calls from
   * outside a key's address ranges.
   */
  action: Type.String(),
  /** The id of the resource in the response, if it has one. */
  resource_id: TextOrNull,
  /** The Request-Id of the call; null for an action of the system. */
  request_id: TextOrNull,
  /** Where the call came from. */
  address: TextOrNull,
  /** The person who approved the call, if it needed a second factor. */
  approved_by: TextOrNull,
  /** SHA-256, lower-case hex: of the row before, and over it and everything in this one. */
  previous_hash: Type.String(),
  /** SHA-256 over this row and the hash of the row before, lower-case hex. */
  hash: Type.String(),
})
export type AuditLogEntry = Static<typeof AuditLogEntry>
export type ActorType = AuditLogEntry['actor']['type']

/** The result of checking the chain. */
export const AuditVerification = Type.Object({
  object: Type.Literal('audit_log_verification'),
  /** True if no checked row was changed. */
  valid: Type.Boolean(),
  /** Rows that were checked. */
  rows: Type.Integer(),
  /** The first row that was changed, or the number of a missing one. Null if the chain holds. */
  broken: Type.Union([
    Type.Object({ seq: Type.Integer(), id: TextOrNull, problem: Type.String() }),
    Type.Null(),
  ]),
  /**
   * The newest row. Keep it elsewhere: it shows later whether an earlier row was changed. Null for
   * an empty log.
   */
  head: Type.Union([Type.Object({ seq: Type.Integer(), hash: Type.String() }), Type.Null()]),
  /**
   * Where the next call goes on (`from`); null when everything was checked, or the chain is broken.
   */
  next_from: Type.Union([Type.Integer(), Type.Null()]),
})
export type AuditVerification = Static<typeof AuditVerification>
