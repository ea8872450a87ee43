// Times work in a process of its own, with the heap and the memory settings of the engine.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ENGINE_HEAP, ENGINE_MEMORY } from '../scripts/start/processes.ts'

/**
 * Returns the answer to `{ quick }` of the process that runs `file`. Rejects if it ends without an
 * answer.
 */
export function timedAsTheEngine<Figures>(file: URL, quick: boolean): Promise<Figures> {
  const child = fork(fileURLToPath(file), {
    execArgv: [...ENGINE_HEAP],
    env: { ...ENGINE_MEMORY, ...process.env },
  })
  return new Promise((resolve, reject) => {
    child.once('message', (figures) => resolve(figures as Figures))
    child.once('exit', (code) => reject(new Error('the timed process ended with ' + code)))
    child.send({ quick })
  })
}
