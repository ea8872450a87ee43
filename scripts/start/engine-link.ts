// Waits for the engine: until PostgreSQL has all of its decisions, and until it knows a change.
import type { EngineClient } from '../../api/engine-link/client.ts'
import { sleep } from '../../shared/clock.ts'

const POLL_MS = 50

/** True once every synced entry is drained; false when that took longer than `waitMsMax`. */
export function untilDrained(engine: EngineClient, waitMsMax: number): Promise<boolean> {
  return poll(waitMsMax, async () => {
    const { synced_seq: synced, drained_seq: drained } = await engine.status()
    return synced === drained
  })
}

/**
 * True once the engine's config records cover the transaction; false if that takes longer than
 * `waitMsMax`.
 */
export function untilCovered(
  engine: EngineClient,
  xid: string,
  waitMsMax: number,
): Promise<boolean> {
  return poll(waitMsMax, () => engine.covers(BigInt(xid)))
}

/** An engine that does not answer now may in a moment: it is being restarted. */
async function poll(waitMsMax: number, condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = AbortSignal.timeout(waitMsMax)
  while (!deadline.aborted) {
    if (await condition().catch(() => false)) return true
    await sleep(POLL_MS, deadline)
  }
  return false
}
