// Loads the OpenTelemetry SDK only where traces are on.
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { TraceConfig, Traces } from './span.ts'

/** Returns the way to the receiver of traces; undefined while traces are off. */
export async function openedTraces(
  config: TraceConfig | null,
  parts: { clock: Clock; log: Logger },
): Promise<Traces | undefined> {
  if (config === null) return undefined
  return (await import('./otlp.ts')).openTraces(config, parts)
}
