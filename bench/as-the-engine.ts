// What is timed in a process that has the heap and the memory of the engine, and nothing else in
// it.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ENGINE_HEAP, ENGINE_MEMORY } from '../scripts/start/processes.ts'

/**
 * What the process that runs `file` answers to `{ quick }`. Rejects where it ends without an
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
