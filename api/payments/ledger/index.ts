// Entry point of the ledger.
export {
  type HolderMove,
  type LedgerEntry,
  recordAbandonment,
  recordCapture,
  recordDeposit,
  recordHold,
  recordLanding,
  recordLeaving,
  recordOwnWithdrawal,
  recordRelease,
  recordStay,
  recordWithdrawal,
} from './record.ts'
export { type LedgerPlace, readFreeUnits, readHolderUnits, readPaidUnits } from './store.ts'
