// What the engine says of an endpoint's circuit breaker, for whoever shows the endpoint.
import type { BreakerReport } from '../../shared/wire/control.ts'
import type { EngineClient } from './client.ts'

/** Null when the engine is away, or not quick: nobody waits for it. Never rejects. */
export async function breakerReport(
  client: EngineClient,
  endpointId: string,
): Promise<BreakerReport | null> {
  try {
    const [report] = await client.breakers([endpointId])
    return report ?? null
  } catch {
    return null
  }
}
