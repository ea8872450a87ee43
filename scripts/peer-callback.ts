// Sends callbacks of the sandbox's outside parties to the service, and repeats each until it
// succeeds.
import type { Clock } from '../shared/clock.ts'
import type { Logger } from '../shared/log.ts'

const CALLBACK_MS_MAX = 15_000
/** Delay before each retry: ten minutes in all, in which a busy service or a new one hears it. */
const RETRY_MS: readonly number[] = [1000, 5000, ...Array<number>(20).fill(30_000)]

export interface PeerCallback {
  url: string
  /** JSON. */
  body: string
  /** Made anew for each try. */
  headers(): { readonly [name: string]: string }
}

/** Resolves when a callback succeeded or was abandoned. `pace` multiplies the delays. */
export async function tellUntilHeard(
  callback: PeerCallback,
  { clock, log, pace }: { clock: Clock; log: Logger; pace: number },
): Promise<void> {
  for (const delayMs of [0, ...RETRY_MS]) {
    if (delayMs > 0) await new Promise<void>((resolve) => void clock.after(delayMs * pace, resolve))
    if (await isHeard(callback)) return
    log.warn('a callback was not heard')
  }
}

async function isHeard({ url, body, headers }: PeerCallback): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers() },
      body,
      signal: AbortSignal.timeout(CALLBACK_MS_MAX),
    })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
