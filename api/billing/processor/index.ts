// Entry point of the processor.
export { callKey } from './call-key.ts'
export { openProcessor } from './calls.ts'
export { backoffMs, type ProcessorFailure } from './failure.ts'
export {
  openEnvironments,
  openProcessors,
  type ProcessorConfig,
  type ProcessorPort,
  type Processors,
} from './ports.ts'
export type { CardMethod, CollectedInvoice, Processor, SentLine } from './processor.ts'
