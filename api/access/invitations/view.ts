// Only this module makes an invitation public.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { Invitation, InvitationStatus } from '../../../shared/schemas/invitation.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'

export interface InvitationRow {
  id: string
  tenantId: string
  email: string
  role: PersonRole
  /** Null: an operator. */
  invitedBy: string | null
  createdAt: EpochMs
  endsAt: EpochMs
  usedAt: EpochMs | null
  withdrawnAt: EpochMs | null
}

/** Returns the state at `now` of installation time. */
export function statusOf(row: InvitationRow, now: EpochMs): InvitationStatus {
  if (row.usedAt !== null) return 'accepted'
  if (row.withdrawnAt !== null) return 'revoked'
  return now < row.endsAt ? 'pending' : 'expired'
}

export function invitationView(row: InvitationRow, now: EpochMs): Invitation {
  return {
    id: row.id,
    object: 'invitation',
    created: unixSeconds(row.createdAt),
    email: row.email,
    role: row.role,
    status: statusOf(row, now),
    invited_by: row.invitedBy,
    expires_at: unixSeconds(row.endsAt),
  }
}
