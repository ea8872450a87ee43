// The engine's report on an endpoint's circuit breaker, for the calls that show the endpoint.
import type { BreakerReport } from '../../shared/wire/control.ts'
import type { EnginePort } from './shard-clients.ts'

/** Returns null when the engine is unavailable or slow: no call waits for it. Never rejects. */
export async function breakerReport(
  client: Pick<EnginePort, 'breakers'>,
  endpointId: string,
): Promise<BreakerReport | null> {
  try {
    const [report] = await client.breakers([endpointId])
    return report ?? null
  } catch {
    return null
  }
}
