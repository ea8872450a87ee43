// One command of a kind at a time for each data directory.
import { statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

/**
 * Runs the task unless another process runs one under the same name for this data directory; then
 * returns null. The claim is an abstract socket, which the kernel frees with the process.
 */
export async function aloneInDataDir<Value>(
  dataDir: string,
  name: string,
  task: () => Promise<Value>,
): Promise<Value | null> {
  const claim = await claimDirectory(dataDir, name)
  if (claim === null) return null
  try {
    return await task()
  } finally {
    claim.close()
  }
}

function claimDirectory(dataDir: string, name: string): Promise<Server | null> {
  const { dev, ino } = statSync(dataDir)
  return new Promise((resolve) => {
    const claim = createServer()
    claim.once('error', () => resolve(null))
    claim.listen('\0svc-' + name + '-' + dev + '-' + ino, () => resolve(claim))
  })
}
