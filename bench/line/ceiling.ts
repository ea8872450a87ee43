// The ceiling, to which all is compared: the same server without decisions and without a journal.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { threadsApart } from '../../scripts/start/process-priority.ts'
import { freePort, type Server, startServer } from '../server-process.ts'

/** Answers every `POST /v1/network/messages` with one constant, in a process of its own. */
export async function startCeiling(directory: string): Promise<Server> {
  const port = await freePort()
  const ceiling = await startServer({
    name: 'ceiling',
    file: fileURLToPath(new URL('ceiling-process.ts', import.meta.url)),
    logFile: join(directory, 'ceiling.log'),
    port,
    environment: { CEILING_PORT: String(port) },
    priority: 'first',
  })
  // As the engine's.
  threadsApart(ceiling.pid)
  return ceiling
}
