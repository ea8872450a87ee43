// Listens on a Unix socket that only its owner may open, from its first moment on.
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { connect, type Server } from 'node:net'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o600
const ALL_BUT_OWNER = 0o177

/**
 * Replaces the socket of a dead process. Rejects with a sentence if a living process answers or a
 * file is in the way.
 */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  await clearStale(path)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // The bind happens within this call, so no other code of the process sees the mask.
    const mask = process.umask(ALL_BUT_OWNER)
    try {
      server.listen(path, () => {
        server.off('error', reject)
        resolve()
      })
    } finally {
      process.umask(mask)
    }
  })
  chmodSync(path, OWNER_ONLY)
}

async function clearStale(path: string): Promise<void> {
  const obstacle = await socketObstacle(path)
  if (obstacle !== null) throw new Error(obstacle)
  rmSync(path, { force: true })
}

/** A sentence where the path holds something else than the socket of a dead process, or null. */
export async function socketObstacle(path: string): Promise<string | null> {
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file === undefined) return null
  if (!file.isSocket()) return `${path} is in the way: it is not a socket`
  return (await answers(path)) ? `${path} is held by a running engine` : null
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
