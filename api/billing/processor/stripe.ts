// The processor over the SDK of Stripe, which is loaded here alone and with the first call: loading
// takes up to half a second and 28 MB.
import type Stripe from 'stripe'
import type { Clock } from '../../../shared/clock.ts'
import { openOutsideCaller } from '../../http/outside-caller.ts'
import { failureOf } from './failure.ts'
import { sdkHttpClient } from './http-client.ts'
import type { Outcome } from './processor.ts'

const ANSWER_BYTES_MAX = 4 * 1024 * 1024

export interface StripeOptions {
  key: string
  /** Without a slash at its end. */
  url: string
  /** Most calls a second. */
  ratePerS: number
  /** From the first byte sent to the last one read. */
  callMsMax: number
  clock: Clock
}

export interface StripeCaller {
  /** Runs calls of the SDK; what it throws becomes a failure. */
  run<Value>(work: (stripe: Stripe) => Promise<Value>): Outcome<Value>
  close(): Promise<void>
}

export function openStripe(options: StripeOptions): StripeCaller {
  const { key, url, ratePerS, callMsMax, clock } = options
  const outside = openOutsideCaller({ clock, callMsMax, answerBytesMax: ANSWER_BYTES_MAX })
  const { protocol, hostname, port } = new URL(url)
  const httpClient = sdkHttpClient(outside, pacer(clock, ratePerS))
  let loading: Promise<Stripe> | null = null
  const load = async (): Promise<Stripe> => {
    const { default: Sdk } = await import('stripe')
    return new Sdk(key, {
      ...{ httpClient, host: hostname, protocol: protocol === 'http:' ? 'http' : 'https' },
      port: port === '' ? (protocol === 'http:' ? 80 : 443) : port,
      ...{ maxNetworkRetries: 0, telemetry: false, timeout: callMsMax },
    })
  }
  return {
    async run(work) {
      try {
        loading ??= load()
        return { ok: true, value: await work(await loading) }
      } catch (error) {
        return { ok: false, error: failureOf(error) }
      }
    },
    close: outside.close,
  }
}

/** Spaces calls evenly, so that no second has more than `ratePerS`. */
function pacer(clock: Clock, ratePerS: number): () => Promise<void> {
  const gapNs = 1e9 / ratePerS
  let nextNs = 0
  return async () => {
    const now = clock.monotonicNs()
    const turn = Math.max(now, nextNs)
    nextNs = turn + gapNs
    if (turn > now)
      await new Promise<void>((resolve) => void clock.after((turn - now) / 1e6, resolve))
  }
}
