// Loopback ports of tests. Processes that run side by side choose from ranges of their own, since a
// port that was found free is listened on only seconds later.
import { randomInt } from 'node:crypto'
import { PORT_END as PORT_MIN, tryListen } from '../../scripts/start/ports.ts'

/** Begin and end of the range of one process of tests, as `18000-18100`. */
export const PORTS_VARIABLE = 'SVC_TEST_PORTS'
const PORT_END = 32_000

/** A range for each of so many processes. */
export function portRanges(processes: number): string[] {
  const size = Math.floor((PORT_END - PORT_MIN) / processes)
  return Array.from({ length: processes }, (_, at) => {
    const begin = PORT_MIN + at * size
    return begin + '-' + (begin + size)
  })
}

const given = /^(\d+)-(\d+)$/.exec(process.env[PORTS_VARIABLE] ?? '')
const [begin, end] = given === null ? [PORT_MIN, PORT_END] : [Number(given[1]), Number(given[2])]
let next = given === null ? randomInt(begin, end) : begin

/** Different ports that are free now; those chosen long ago come again. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  for (let tries = begin; ports.length < count && tries < end; tries++) {
    const port = next
    next = next + 1 < end ? next + 1 : begin
    if ((await tryListen('127.0.0.1', port)) === null) ports.push(port)
  }
  if (ports.length < count) throw new Error('too few free ports from ' + begin + ' to ' + (end - 1))
  return ports
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}
