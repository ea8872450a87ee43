// A server in so many processes as its user gives it: all of them share its port, and nothing else.
import cluster, { type Worker } from 'node:cluster'
import { onceToldToStop, signalReady } from '../../shared/parent.ts'

/**
 * Serves in this process, or in `processes` children of it; reports when every one of them serves.
 */
export async function serveIn(processes: number, serve: () => Promise<void>): Promise<void> {
  if (processes > 1 && cluster.isPrimary) await lead(processes)
  else {
    await serve()
    onceToldToStop(() => process.exit())
  }
  signalReady()
}

async function lead(processes: number): Promise<void> {
  const workers = Array.from({ length: processes }, () => cluster.fork())
  onceToldToStop(() => {
    for (const worker of workers) worker.kill('SIGTERM')
    process.exit()
  })
  await Promise.all(workers.map(ready))
}

function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('message', () => resolve())
    worker.once('exit', (code) => reject(new Error('a process of the server ended with ' + code)))
  })
}
