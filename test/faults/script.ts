// One of our commands, run to its end.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Environment } from './part.ts'

const ROOT = join(import.meta.dirname, '../..')

export interface Ran {
  code: number | null
  /** Both streams. */
  output: string
}

export function runNodeScript(
  script: string,
  more: readonly string[],
  environment: Environment = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [join(ROOT, script), ...more], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      output += bytes
    })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })))
}
