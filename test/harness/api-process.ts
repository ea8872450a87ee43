// The api as a process of its own, with its output.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Test } from 'tap'
import { COMPILED } from './compiled.ts'

export interface ApiProcess {
  child: ChildProcess
  ready: Promise<boolean>
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

/** Starts `api/main.ts` on a data directory of its own; `parameters` are its command line. */
export function startProcess(
  t: Test,
  environment: { [name: string]: string },
  parameters: string[] = [],
): ApiProcess {
  const directory = mkdtempSync(join(tmpdir(), 'svc-api-'))
  const child = spawn(process.execPath, ['api/main.ts', ...parameters], {
    env: { ...COMPILED, SVC_DATA_DIR: directory, SVC_LOG_LEVEL: 'info', ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (part) => {
      text[name] += part
    })
  }
  // Not 'close': that event never comes once this side has disconnected the channel.
  const ended = Promise.all([once(child, 'exit'), closed(child.stdout), closed(child.stderr)])
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(directory, { recursive: true, force: true })
  })
  const ready = new Promise<boolean>((resolve) => {
    child.on('message', () => resolve(true))
    child.on('exit', () => resolve(false))
  })
  return { child, ready, ended: ended.then(([[code]]) => ({ code, ...text })) }
}

function closed(stream: Readable | null): Promise<unknown> {
  return stream === null ? Promise.resolve() : once(stream, 'close')
}
