// One-time tickets: the credential of a call that the dashboard makes inside this process for a
// signed-in person. A ticket lives in memory, is worth one call, and never leaves the process.
import { randomSecret } from '../../shared/id.ts'
import type { KnownKey } from '../access/credentials/load.ts'

const TICKET_BYTES = 32
const PREFIX = 'Bearer svc_ticket_'

/** The caller that a ticket stands for. */
export interface Ticket {
  key: KnownKey
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
