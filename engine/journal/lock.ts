// Holds a directory for one process: an abstract Unix socket named after its device and inode. The
// kernel gives it back when the process ends, however it ends; no file is left that could lie. It
// is seen only within one network namespace.
import { statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

export interface DirectoryLock {
  release(): Promise<void>
}

/**
 * The lock, or null when another process (or this one) holds the directory. Rejects on any other
 * error.
 */
export function lockDirectory(directory: string): Promise<DirectoryLock | null> {
  const { dev, ino } = statSync(directory, { bigint: true })
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null)
      else reject(error)
    })
    server.listen({ path: '\0svc-journal-' + dev + '-' + ino, exclusive: true }, () => {
      server.unref()
      resolve({ release: () => closed(server) })
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
