// Read your writes: a call that tightens answers only when the engine has the change. DESIGN 3.
import { sleep } from '../../shared/clock.ts'
import { ENGINE_COVER_MS_MAX } from '../../shared/limits.ts'
import type { EngineClient } from './client.ts'

/** Between two tries while the engine is away or not attached yet. */
const RETRY_MS = 25

/** True as soon as the engine's facts cover the transaction, false after one second. Never rejects. */
export async function waitForEngine(client: EngineClient, xid: bigint): Promise<boolean> {
  const startedNs = client.clock.monotonicNs()
  while (true) {
    const leftMs = ENGINE_COVER_MS_MAX - (client.clock.monotonicNs() - startedNs) / 1e6
    if (leftMs <= 0) return false
    try {
      return await client.covers(xid, leftMs)
    } catch {
      // Away for a moment: a restart takes less than the second there is.
      await sleep(RETRY_MS)
    }
  }
}
