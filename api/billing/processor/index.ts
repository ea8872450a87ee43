// Entry point of the processor.
export { openProcessor } from './calls.ts'
export type { ProcessorFailure } from './failure.ts'
export type { CardMethod, CollectedInvoice, Outcome, Processor } from './processor.ts'
