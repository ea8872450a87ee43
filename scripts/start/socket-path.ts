// Where the engine's private socket goes. The kernel takes at most 107 characters, so a deep data
// directory needs another place: one below the directory for temporary files, named after the data
// directory and ours alone.
import { hash } from 'node:crypto'
import { lstatSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StartProblem } from './start-problem.ts'

const PATH_BYTES_MAX = 100
const NAME = 'engine.sock'

/** Path of the socket for a data directory. */
export function engineSocketPath(dataDir: string): string {
  const path = join(dataDir, NAME)
  if (Buffer.byteLength(path) <= PATH_BYTES_MAX) return path
  return join(tmpdir(), 'svc-' + hash('sha256', dataDir).slice(0, 16), NAME)
}

/**
 * Makes the directory of a socket that is not in the data directory; refuses one that another user
 * made.
 */
export function makeSocketDirectory(dataDir: string, socketPath: string): void {
  if (!placedElsewhere(dataDir, socketPath)) return
  const directory = dirname(socketPath)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const stat = lstatSync(directory)
  const ours = stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0
  if (!ours) {
    throw new StartProblem(
      'The directory ' +
        directory +
        ' is not yours alone (mode 0700): remove it, or set SVC_ENGINE_SOCKET to another path.',
    )
  }
}

/** Removes the directory of `makeSocketDirectory`. */
export function removeSocketDirectory(dataDir: string, socketPath: string): void {
  if (placedElsewhere(dataDir, socketPath))
    rmSync(dirname(socketPath), { recursive: true, force: true })
}

/**
 * A path that the operator chose is the operator's business: the engine makes the socket itself
 * private.
 */
function placedElsewhere(dataDir: string, socketPath: string): boolean {
  return dirname(socketPath) !== dataDir && socketPath === engineSocketPath(dataDir)
}
