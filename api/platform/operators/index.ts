// Entry point of the operators.
export { addOperator } from './create-operator.ts'
export type { InstallationPort } from './issue-key.ts'
export { operatorRoutes } from './routes.ts'
export { hasOperator } from './store.ts'
