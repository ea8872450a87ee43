// Entry point of settlement accounts.
export { settlementAccountRoutes } from './routes.ts'
export { findSettlementAccount, insertSettlementAccount, mayUsePayments } from './store.ts'
export { statusAt as settlementAccountStatusAt } from './view.ts'
