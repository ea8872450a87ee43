// One of the product's own processes under measurement.
import { join } from 'node:path'
import { launchProcess, type ProcessName } from '../scripts/start/processes.ts'
import { cpuUsOf, profiled, type Server } from './server-process.ts'

/**
 * With the heap and the turn that `npm start` gives it. Rejects with its last words where it ends
 * before it is ready.
 */
export async function startPart(
  name: ProcessName,
  port: number,
  environment: { readonly [name: string]: string },
  placed: { threadsApart?: boolean } = {},
): Promise<Server> {
  const run = await launchProcess({
    name,
    environment: { PATH: process.env['PATH'], ...environment },
    logPath: join(environment['SVC_DATA_DIR'] ?? '', name + '.log'),
    nodeOptions: profiled(),
    ...placed,
  })
  const early = (await Promise.race([run.ready, run.exited])) ?? null
  if (early !== null) throw new Error(name + ' does not start: ' + early.lastWords)
  return { name, port, pid: run.pid, cpuUs: () => cpuUsOf(run.pid), stop: () => run.stop() }
}
