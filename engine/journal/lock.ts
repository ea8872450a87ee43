// Holds a directory for one process by two locks of the kernel, which both end with the process,
// however it ends; no file is left that could lie. An abstract Unix socket, named after device and
// inode, is cheap to ask for but seen only within one network namespace. An flock of the directory
// is seen by every process of the machine, also from other containers.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

export interface DirectoryLock {
  release(): Promise<void>
}

/**
 * The lock, or null when another process (or this one) holds the directory. Rejects on any other
 * error.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock | null> {
  const server = await listenAlone(directory)
  if (server === null) return null
  const descriptor = openSync(directory, 'r')
  const release = async (): Promise<void> => {
    closeSync(descriptor)
    await closed(server)
  }
  try {
    if (flock(descriptor)) return { release }
  } catch (error) {
    await release()
    throw error
  }
  await release()
  return null
}

/** A server on the abstract socket of the directory; null while another process listens there. */
function listenAlone(directory: string): Promise<Server | null> {
  const { dev, ino } = statSync(directory, { bigint: true })
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null)
      else reject(error)
    })
    server.listen({ path: '\0svc-journal-' + dev + '-' + ino, exclusive: true }, () => {
      server.unref()
      resolve(server)
    })
  })
}

/** The command ends with this code where another process holds the lock. */
const HELD = 1

/**
 * Locks an open file; false while another process holds it. Node has no flock: the command of
 * util-linux locks the file that it inherits, and the lock stays with our descriptor.
 */
function flock(descriptor: number): boolean {
  const { status, error, stderr } = spawnSync('flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
  })
  if (error !== undefined) throw new Error('The command flock cannot be run: ' + error.message)
  if (status === 0 || status === HELD) return status === 0
  throw new Error('The command flock failed: ' + stderr.toString().trim())
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
