// Finds the fastest setting of each side: ways and pools first, then the number of connections. The
// report names every setting that was tried.
import type { Pace, Shape, Side } from './sides.ts'

export interface Tried extends Shape {
  perSecond: number
}

export interface Choices {
  ways: readonly string[]
  pools: readonly number[]
  /**
   * Every way and pool is tried with the first number of processes; with the others, only the best
   * until then.
   */
  processes: readonly number[]
  connections: readonly number[]
}

export interface Best {
  shape: Shape
  /** In the order in which they were tried. */
  tried: readonly Tried[]
}

/** Tries them; where there is one choice only, nothing is tried. */
export async function findBest(side: Side, choices: Choices, pace: Pace): Promise<Best> {
  const [processes = 1, ...otherProcesses] = choices.processes
  const [connections = 1, ...otherConnections] = choices.connections
  const setups = choices.ways.flatMap((way) =>
    choices.pools.map((pool) => ({ way, processes, pool, connections })),
  )
  const [only] = setups
  if (only === undefined) throw new Error(side.name + ' has no setup')
  if (setups.length + otherProcesses.length + otherConnections.length === 1)
    return { shape: only, tried: [] }
  const tried: Tried[] = []
  const tryOut = async (shape: Shape): Promise<void> => {
    const { perSecond } = await side.ask(shape, pace)
    tried.push({ ...shape, perSecond: Math.round(perSecond) })
  }
  for (const shape of setups) await tryOut(shape)
  const ofOne = shapeOf(fastest(tried))
  for (const count of otherProcesses) await tryOut({ ...ofOne, processes: count })
  const ofFew = shapeOf(fastest(tried))
  for (const count of otherConnections) await tryOut({ ...ofFew, connections: count })
  return { shape: shapeOf(fastest(tried)), tried }
}

function shapeOf({ way, processes, pool, connections }: Tried): Shape {
  return { way, processes, pool, connections }
}

function fastest(tried: readonly Tried[]): Tried {
  return tried.reduce((best, one) => (one.perSecond > best.perSecond ? one : best))
}
