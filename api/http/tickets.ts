// One-time tickets: the credential of a call that the dashboard makes inside this process for a
// signed-in person. A ticket lives in memory, is worth one call, and never leaves the process.
import { randomSecret } from '../../shared/id.ts'
import type { KnownKey } from '../access/credentials/load.ts'
import type { ApprovedCall } from '../write/approval.ts'

const TICKET_BYTES = 32
const PREFIX = 'Bearer svc_ticket_'

/** A caller that a ticket stands for. */
export type Ticket = MemberTicket | OperatorTicket

interface OperatorTicket {
  operatorId: string
  /** The operator's proof of this call, used up; null for a read. */
  approval: Omit<ApprovedCall, 'challengeId'> | null
  /** Address of the operator's browser. */
  address: string | null
}

interface MemberTicket {
  key: KnownKey
  /** The person's session; null for one that ended meanwhile. */
  sessionId: string | null
  /** Address of the person's browser; null when unknown. */
  address: string | null
  /** For a call that goes on: whether the person may still make it. */
  isAllowed?: () => Promise<boolean>
}

export class Tickets {
  readonly #open = new Map<string, Ticket>()

  /** Returns the Authorization header of one call. */
  issue(ticket: Ticket): string {
    const header = PREFIX + randomSecret(TICKET_BYTES)
    this.#open.set(header, ticket)
    return header
  }

  /** Takes the ticket of a header; null for any other header, and for a ticket that was taken. */
  take(header: string | undefined): Ticket | null {
    if (header === undefined || !header.startsWith(PREFIX)) return null
    const ticket = this.#open.get(header) ?? null
    this.#open.delete(header)
    return ticket
  }
}
