// Entry point of settlement batches.
export { adoptBatch, type LostBatch } from './adopt.ts'
export { BATCH_ITEMS_MAX, closeBatch, fillsBatch } from './close.ts'
export { dropRefunds, failBatch, landBatch } from './outcome.ts'
export { settlementBatchRoutes } from './routes.ts'
export type { ClosingAccount } from './store.ts'
