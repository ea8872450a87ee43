// Counts the connections a tenant has open at once. Spec 8: 64. A connection belongs to a tenant
// from the first request that is known to be the tenant's; behind a proxy the connections belong to
// the proxy, so requests in flight are counted instead.
//
// Chosen: sandbox and live are counted apart, so that a load test blocks no connection in live, and
// each process counts its own.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Owner } from '../context.ts'

/** Spec 8. */
export const CONNECTIONS_MAX = 64

interface Closing {
  once(event: 'close', listener: () => void): unknown
}

export class Connections {
  readonly #open = new Map<string, Set<Closing>>()
  /** The counters each connection is in: one connection may carry the calls of several tenants. */
  readonly #countedIn = new WeakMap<Closing, Set<string>>()

  /**
   * Returns false when the connection would exceed the limit. The place is held until the
   * connection closes, or behind a proxy until the answer is sent.
   */
  enter({ tenantId, environment }: Owner, request: FastifyRequest, reply: FastifyReply): boolean {
    const closing: Closing = request.proxied ? reply.raw : request.raw.socket
    const name = tenantId + environment
    const open = this.#open.get(name) ?? new Set()
    if (open.has(closing)) return true
    if (open.size >= CONNECTIONS_MAX) return false
    this.#open.set(name, open.add(closing))
    const names = this.#countedIn.get(closing)
    if (names !== undefined) {
      names.add(name)
      return true
    }
    const counted = new Set([name])
    this.#countedIn.set(closing, counted)
    closing.once('close', () => {
      for (const each of counted) this.#leave(each, closing)
    })
    return true
  }

  #leave(name: string, closing: Closing): void {
    const open = this.#open.get(name)
    open?.delete(closing)
    if (open?.size === 0) this.#open.delete(name)
  }
}
