// Entry point of settlement accounts.
export { payeeProblem } from './address.ts'
export { settlementAccountRoutes } from './routes.ts'
export {
  findPayee,
  findSettlementAccount,
  insertSettlementAccount,
  type Payee,
  requirePayee,
} from './store.ts'
export { settlementAccountView, statusAt as settlementAccountStatusAt } from './view.ts'
