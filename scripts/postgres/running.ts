// Finds the embedded PostgreSQL that `npm start` is running, for scripts beside it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE, dataPathOf, SUPERUSER } from './cluster.ts'

/** Its URL, with password, or null where none runs below this directory. */
export function runningPostgresUrl(directory: string): string | null {
  try {
    // Lines of postmaster.pid: pid, data directory, start time, port, socket directory, address,
    // shared memory, status.
    const lines = readFileSync(join(dataPathOf(directory), 'postmaster.pid'), 'utf8').split('\n')
    const port = Number(lines[3])
    if (lines[7]?.trim() !== 'ready' || !Number.isInteger(port)) return null
    const password = readFileSync(join(directory, 'password'), 'utf8').trim()
    return urlOf({ password, port })
  } catch {
    // Never started here, or stopped.
    return null
  }
}

export function urlOf(server: { password: string; port: number }): string {
  return (
    'postgres://' + SUPERUSER + ':' + server.password + '@127.0.0.1:' + server.port + '/' + DATABASE
  )
}
