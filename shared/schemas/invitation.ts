// An invitation of a person to a tenant: a one-time link by mail.
import { type Static, Type } from 'typebox'
import { Email, PERSON_ROLES } from './person.ts'

export const INVITATION_STATUSES = ['pending', 'accepted', 'revoked', 'expired'] as const
export type InvitationStatus = (typeof INVITATION_STATUSES)[number]

export const Invitation = Type.Object({
  id: Type.String(),
  object: Type.Literal('invitation'),
  created: Type.Integer(),
  /** The invited address, in lower case. Nobody else can accept. */
  email: Type.String(),
  /** The role in sandbox and live alike. */
  role: Type.Enum([...PERSON_ROLES]),
  status: Type.Enum([...INVITATION_STATUSES]),
  /** The inviting person; null: an operator. */
  invited_by: Type.Union([Type.String(), Type.Null()]),
  /** Unix seconds. */
  expires_at: Type.Integer(),
})
export type Invitation = Static<typeof Invitation>

/** With the one-time link, where the installation sends no mail. */
export const SentInvitation = Type.Object({
  ...Invitation.properties,
  /** One-time link for the invited person, shown this once; null where it went by mail. */
  url: Type.Union([Type.String(), Type.Null()]),
})
export type SentInvitation = Static<typeof SentInvitation>

export const INVITATION_INPUT = {
  /** The address to invite; kept in lower case. */
  email: Email,
  /** Never above the role of the inviting person. */
  role: Type.Enum([...PERSON_ROLES]),
}
