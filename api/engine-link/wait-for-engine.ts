// Read your writes: a call that tightens limits answers only when the engine has the change.
import { sleep } from '../../shared/clock.ts'
import { ENGINE_COVER_MS_MAX } from '../../shared/limits.ts'
import type { EnginePort } from './shard-clients.ts'

/** Milliseconds between two tries while the engine is down or not attached yet. */
const RETRY_MS = 25

/**
 * Resolves to true as soon as the engine's config records cover the transaction, to false after one
 * second. Never rejects.
 */
export async function waitForEngine(
  client: Pick<EnginePort, 'clock' | 'covers'>,
  xid: bigint,
): Promise<boolean> {
  const startedNs = client.clock.monotonicNs()
  while (true) {
    const leftMs = ENGINE_COVER_MS_MAX - (client.clock.monotonicNs() - startedNs) / 1e6
    if (leftMs <= 0) return false
    try {
      return await client.covers(xid, leftMs)
    } catch {
      // The engine is briefly down: a restart takes less than the one second allowed.
      await sleep(RETRY_MS)
    }
  }
}
