// An invitation of a person to a tenant: a one-time link by mail.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { Email, PERSON_ROLES } from './person.ts'

export const INVITATION_STATUSES = ['pending', 'accepted', 'revoked', 'expired'] as const
export type InvitationStatus = (typeof INVITATION_STATUSES)[number]

export const Invitation = Type.Object({
  id: Type.String(),
  object: Type.Literal('invitation'),
  created: Type.Integer(),
  email: described(Type.String(), 'The invited address, in lower case. Nobody else can accept.'),
  role: described(Type.Enum([...PERSON_ROLES]), 'The role in sandbox and live alike.'),
  status: Type.Enum([...INVITATION_STATUSES]),
  invited_by: described(
    Type.Union([Type.String(), Type.Null()]),
    'The inviting person; null: an operator.',
  ),
  expires_at: described(Type.Integer(), 'Unix seconds.'),
})
export type Invitation = Static<typeof Invitation>

/** With the one-time link, where the installation sends no mail. */
export const SentInvitation = Type.Object({
  ...Invitation.properties,
  url: described(
    Type.Union([Type.String(), Type.Null()]),
    'One-time link for the invited person, shown this once; null where it went by mail.',
  ),
})
export type SentInvitation = Static<typeof SentInvitation>

export const INVITATION_INPUT = {
  email: described(Email, 'The address to invite; kept in lower case.'),
  role: described(Type.Enum([...PERSON_ROLES]), 'Never above the role of the inviting person.'),
}
