// Stands that a file of tests starts once. Where files share a process, each has stands of its own,
// unless their folder shares those as well.
import { t as suite } from 'tap'
import { IdCourse, OWN_COURSE } from '../../shared/id.ts'
import type { Teardown } from './postgres.ts'

const stands = new Set<() => void>()
const ends: (() => unknown)[] = []

/** Ends what it is given after the tests of the file, in reverse. */
export const file: Teardown = { teardown: (task) => ends.push(task) }
suite.teardown(endFile)

/** Starts once per file what `start` starts; later calls get the same, whatever they ask for. */
export function perFile<Args extends unknown[], Value>(
  start: (...args: Args) => Promise<Value>,
): (...args: Args) => Promise<Value> {
  let running: Promise<Value> | null = null
  stands.add(() => {
    running = null
  })
  return (...args) => (running ??= start(...args))
}

/** Ends the stands of the last file; the next one starts its own, and a clock of its own. */
export async function beginFile(): Promise<void> {
  await endFile()
  Object.assign(OWN_COURSE, new IdCourse())
  for (const forget of stands) forget()
}

async function endFile(): Promise<void> {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end()
}
