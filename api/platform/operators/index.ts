// Entry point of the operators.
export { addOperator } from './create-operator.ts'
export { operatorRoutes } from './routes.ts'
export { hasOperator } from './store.ts'
