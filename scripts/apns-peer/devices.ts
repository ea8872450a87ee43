// The devices known to the sandbox’s push service, the pushes to each, and the clients waiting for
// them.
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../shared/clock.ts'

const TOKEN_BYTES = 32
/** Most devices; beyond it the oldest is forgotten and gets no more pushes. */
const DEVICES_MAX = 100_000
/** Longest wait of a device for a push before it asks again. */
const HEAR_MS_MAX = 20_000

interface Device {
  /** Attempted pushes, accepted or not. */
  tried: number
  /** Accepted since the device's last request. */
  pushed: number
  gone: boolean
  wake: (() => void) | null
}

export class Devices {
  readonly #clock: Clock
  readonly #devices = new Map<string, Device>()
  #taken = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get taken(): number {
    return this.#taken
  }

  /** Adds a device and returns its token. */
  add(): string {
    const token = randomBytes(TOKEN_BYTES).toString('hex')
    this.#of(token)
    return token
  }

  /** The device takes no more pushes; a sender of pushes gets that as its answer. */
  remove(token: string): void {
    this.#of(token).gone = true
  }

  gone(token: string): boolean {
    return this.#devices.get(token)?.gone === true
  }

  /** Returns the number of earlier attempts to push; counts this one. */
  tried(token: string): number {
    const device = this.#of(token)
    device.tried += 1
    return device.tried - 1
  }

  push(token: string): void {
    const device = this.#of(token)
    this.#taken += 1
    device.pushed += 1
    device.wake?.()
  }

  /** Returns the number of pushes since the last call; waits a while for the first. */
  async hear(token: string): Promise<number> {
    const device = this.#of(token)
    if (device.pushed === 0) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.after(HEAR_MS_MAX, resolve)
        device.wake = () => {
          timer.cancel()
          resolve()
        }
      })
      device.wake = null
    }
    const { pushed } = device
    device.pushed = 0
    return pushed
  }

  /**
   * A token issued elsewhere counts as a device like any other: it may be older than this process.
   */
  #of(token: string): Device {
    const known = this.#devices.get(token)
    if (known !== undefined) return known
    const [oldest] = this.#devices.size >= DEVICES_MAX ? this.#devices.keys() : []
    if (oldest !== undefined) this.#devices.delete(oldest)
    const device: Device = { tried: 0, pushed: 0, gone: false, wake: null }
    this.#devices.set(token, device)
    return device
  }
}
