// The holders of passes in the sandbox's Google wallet, and their callbacks: one for each save and
// each deletion, repeated until the service accepts it, as Google does.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { tellUntilHeard } from '../peer-callback.ts'
import type { CallbackSigner } from './callback-signer.ts'

/** Lifetime of a message. */
const MESSAGE_MS = 3_600_000

export interface HoldersWorld {
  signer: CallbackSigner
  issuerId: string
  clock: Clock
  log: Logger
  /** Factor for pauses. */
  pace: number
}

export interface Told {
  classId: string
  objectId: string
  /** Address for callbacks of the class; null: no callbacks. */
  callbackUrl: string | null
}

export class Holders {
  readonly #world: HoldersWorld
  /** Holders by object. */
  readonly #held = new Map<string, Set<string>>()
  #telling = new Set<Promise<void>>()

  constructor(world: HoldersWorld) {
    this.#world = world
  }

  hasUsers(objectId: string): boolean {
    return (this.#held.get(objectId)?.size ?? 0) > 0
  }

  has(holder: string, objectId: string): boolean {
    return this.#held.get(objectId)?.has(holder) === true
  }

  /** False if the holder had it already: no callback is then sent. */
  save(holder: string, told: Told): boolean {
    const holders = this.#held.get(told.objectId) ?? new Set()
    if (holders.has(holder)) return false
    this.#held.set(told.objectId, holders.add(holder))
    this.#tell(told, 'save')
    return true
  }

  /** False if the holder did not have it. */
  delete(holder: string, told: Told): boolean {
    if (this.#held.get(told.objectId)?.delete(holder) !== true) return false
    this.#tell(told, 'del')
    return true
  }

  /** Resolves when every callback was accepted or given up. */
  async settled(): Promise<void> {
    while (this.#telling.size > 0) await Promise.all(this.#telling)
  }

  #tell({ classId, objectId, callbackUrl }: Told, eventType: 'save' | 'del'): void {
    if (callbackUrl === null) return
    const { signer, issuerId, clock, log, pace } = this.#world
    const expTimeMillis = clock.nowMs() + MESSAGE_MS
    const message = { classId, objectId, eventType, expTimeMillis, count: 1, nonce: randomUUID() }
    const body = JSON.stringify(signer.sign(message, issuerId))
    const callback = { url: callbackUrl, body, headers: () => ({}) }
    const telling = tellUntilHeard(callback, { clock, log, pace }).finally(() => {
      this.#telling.delete(telling)
    })
    this.#telling.add(telling)
  }
}
