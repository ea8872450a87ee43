// Gives each connection of the API its slot before a byte of it is read and before its TLS
// handshake, the dearest of all refusals. Half requests of strangers then take slots from strangers
// only, and a newcomer is always heard.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type TLSSocket, Server as TlsServer } from 'node:tls'
import type { Cidr } from '../../shared/address.ts'
import { ConnectionSlots, type Slot, type SlotLimits } from '../../shared/connection-slots.ts'
import type { Logger } from '../../shared/log.ts'
import { connectionEnds } from '../../shared/peer-address.ts'
import { connectionLimits, descriptorsMax, isLowered } from './connection-limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** For the metrics. */
    connectionSlots: ConnectionSlots
    /** A request on this connection has shown the session of a signed-in person. */
    signedIn(socket: Socket, identityId: string): void
  }
}

/**
 * Chosen: connections that a person's sessions keep from eviction, two browsers of six each. Anyone
 * may sign up, therefore a person keeps fewer than a tenant's keys.
 */
const PERSON_CONNECTIONS_MAX = 12

export interface GuardOptions {
  /** Proxies carry the calls of many: their connections have no limit per address. */
  trustedProxies: readonly Cidr[]
  /** Absent: as many as the process has descriptors for. */
  connectionLimits?: SlotLimits
  log: Logger
}

export class GuardedConnections {
  /** For the metrics. */
  readonly slots: ConnectionSlots
  /** By the socket that requests come on. */
  readonly #slotOf = new WeakMap<Socket, Slot>()
  /** Slots of connections that speak TLS, by both ends of the connection. */
  readonly #secured = new Map<string, Slot>()
  /** Kept connections by identity. */
  readonly #ofPerson = new Map<string, number>()

  constructor({ trustedProxies, connectionLimits: chosen, log }: GuardOptions) {
    const limits = chosen ?? connectionLimits(descriptorsMax())
    if (chosen === undefined && isLowered(limits))
      log.warn(limits, 'the descriptor limit of this process lowers the number of connections')
    this.slots = new ConnectionSlots({
      ...limits,
      name: 'api',
      allowed: [],
      trusted: trustedProxies,
    })
  }

  /**
   * Stands before all that the server does with a connection. Call it once, before the server
   * listens.
   */
  guard(server: Server): void {
    const accepting = server.listeners('connection')
    const secure = server instanceof TlsServer
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      // A reset may fail as well.
      socket.on('error', () => undefined)
      const slot = this.slots.admit(socket.remoteAddress, () => socket.destroy())
      if (slot === null) return void socket.resetAndDestroy()
      socket.once('close', () => this.slots.release(slot))
      if (secure) this.#awaitHandshake(socket, slot)
      else this.#slotOf.set(socket, slot)
      for (const accept of accepting) accept.call(server, socket)
    })
    server.on('tlsClientError', (error: NodeJS.ErrnoException) =>
      this.slots.countFailedHandshake(error.code),
    )
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      const slot = this.#secured.get(connectionEnds(socket))
      if (slot !== undefined) this.#slotOf.set(socket, slot)
    })
  }

  /** A request on this connection has shown a key that only its owner knows. */
  authenticated(socket: Socket): void {
    const slot = this.#slotOf.get(socket)
    if (slot !== undefined) this.slots.authenticate(slot)
  }

  /** A person who signed in keeps a few connections; one of them may be a stream. */
  signedIn(socket: Socket, identityId: string): void {
    const slot = this.#slotOf.get(socket)
    const kept = this.#ofPerson.get(identityId) ?? 0
    if (slot === undefined || slot.authenticated || kept >= PERSON_CONNECTIONS_MAX) return
    this.slots.authenticate(slot)
    if (!slot.authenticated) return
    this.#ofPerson.set(identityId, kept + 1)
    socket.once('close', () => {
      const left = (this.#ofPerson.get(identityId) ?? 1) - 1
      if (left > 0) this.#ofPerson.set(identityId, left)
      else this.#ofPerson.delete(identityId)
    })
  }

  #awaitHandshake(socket: Socket, slot: Slot): void {
    const ends = connectionEnds(socket)
    this.#secured.set(ends, slot)
    socket.once('close', () => {
      if (this.#secured.get(ends) === slot) this.#secured.delete(ends)
    })
  }
}
