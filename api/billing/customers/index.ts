// Entry point of customers: tenants as the payment processor knows them.
export { type EnsuredCustomer, ensureCustomer, isEnsured } from './ensure.ts'
export {
  type CustomerRow,
  findCustomer,
  findCustomerOf,
  replaceProcessorId,
  takeCustomer,
} from './store.ts'
