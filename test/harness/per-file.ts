// Stands that a file of tests starts once. Where files share a process, each has stands of its own,
// unless their folder shares those as well.
import { IdCourse, OWN_COURSE } from '../../shared/id.ts'

const stands = new Set<() => void>()

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

/**
 * The next file starts stands of its own, and its clock. Those of the last one end with the
 * process.
 */
export function beginFile(): void {
  Object.assign(OWN_COURSE, new IdCourse())
  for (const forget of stands) forget()
}
