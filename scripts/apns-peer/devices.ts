// The devices that the sandbox's push service knows, what was pushed to each and who waits for it.
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../shared/clock.ts'

const TOKEN_BYTES = 32
/** Beyond it the oldest is forgotten, which hears nothing more. */
const DEVICES_MAX = 100_000
/** So long a device waits for a push before it asks again. */
const HEAR_MS_MAX = 20_000

interface Device {
  /** Pushes that were tried, taken or not. */
  tried: number
  /** Taken since the device asked last. */
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

  /** A token by which one more device is found. */
  add(): string {
    const token = randomBytes(TOKEN_BYTES).toString('hex')
    this.#of(token)
    return token
  }

  /** It wants no pushes any more; whoever pushes to it is told so. */
  remove(token: string): void {
    this.#of(token).gone = true
  }

  gone(token: string): boolean {
    return this.#devices.get(token)?.gone === true
  }

  /** How often a push was tried before; counts this one. */
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

  /** How many pushes came since it was asked last; waits a while for the first. */
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

  /** A token that was not given out here is a device like any other: it may be older than this process. */
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
