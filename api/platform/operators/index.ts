// Entry point of the operators.
export { addOperator } from './create-operator.ts'
export { type OperatorPorts, operatorRoutes } from './routes.ts'
export { countOperators, unlinkOperators } from './store.ts'
export { type FoundOperator, operatorFinder } from './web/find-operator.ts'
export { registerOperatorPages } from './web/review.ts'
