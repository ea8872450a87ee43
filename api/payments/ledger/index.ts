// Entry point of the ledger.
export {
  type HolderMove,
  type LedgerEntry,
  recordAbandonment,
  recordCapture,
  recordDeposit,
  recordHold,
  recordLanding,
  recordRelease,
} from './record.ts'
export { type LedgerPlace, readHolderUnits } from './store.ts'
