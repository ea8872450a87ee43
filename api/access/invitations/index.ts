// Entry point of invitations.
export { type Acceptance, type Accepter, accept } from './accept.ts'
export { type InviteWorld, invite, resend, revoke, tokenHash } from './invite.ts'
export { type InvitationPorts, invitationRoutes } from './routes.ts'
export { findByToken, listInvitations } from './store.ts'
export { type InvitationRow, invitationView, statusOf } from './view.ts'
