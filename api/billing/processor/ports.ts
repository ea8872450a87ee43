// The processors of the environments, each with a key of its own.
import type { Clock } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import { openProcessor } from './calls.ts'
import type { Processor } from './processor.ts'

/** Null: the environment is not billed. */
export type Processors = { readonly [environment in Environment]: Processor | null }

/** Environments that have a processor. */
export function openEnvironments(processors: Processors): readonly Environment[] {
  return (['sandbox', 'live'] as const).filter((name) => processors[name] !== null)
}

/** The port of whatever calls the processor. */
export interface ProcessorPort {
  processors: Processors
}

export interface ProcessorConfig {
  /** The key of each environment; null: it is not billed. */
  keys: { readonly [environment in Environment]: string | null }
  /** Base URL, without a slash at its end. */
  url: string
  /** Most calls a second. */
  ratePerS: number
}

/** `callMsMax`: milliseconds of a call, from its first byte to the last one of its answer. */
export function openProcessors(
  { keys, url, ratePerS }: ProcessorConfig,
  { clock, callMsMax }: { clock: Clock; callMsMax: number },
): Processors & { close(): Promise<void> } {
  const opened = (environment: Environment): Processor | null => {
    const key = keys[environment]
    return key === null ? null : openProcessor({ key, url, ratePerS, callMsMax, clock })
  }
  const processors = { sandbox: opened('sandbox'), live: opened('live') }
  return {
    ...processors,
    close: async () => {
      await Promise.all([processors.sandbox?.close(), processors.live?.close()])
    },
  }
}
