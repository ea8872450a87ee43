// A place for one request under way: a connection of HTTP, or one of many of an ISO 8583 link.

export interface Lane {
  /** Intended send time of the request under way, in milliseconds of `performance.now()`. */
  sinceMs: number
  send(request: Buffer, sinceMs: number): void
  /** Requests under way are abandoned. */
  close(): void
}

/** Called with the outcome of a request: a status, or 0 if the connection broke. */
export type Answered = (lane: Lane, status: number) => void
