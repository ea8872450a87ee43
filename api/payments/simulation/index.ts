// Entry point of simulated holders.
export {
  type HolderPort,
  openSimulatedHolder,
  type SimulatedHolder,
} from './holder.ts'
export { simulationRoutes } from './routes.ts'
