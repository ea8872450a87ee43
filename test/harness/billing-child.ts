// Starts jobs of billing in a process of their own, and kills it once something has happened.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestApi } from './api.ts'
import { COMPILED } from './compiled.ts'
import { PEER_KEY } from './stripe-peer.ts'
import { until } from './until.ts'

const SCRIPT = fileURLToPath(new URL('./billing-process.ts', import.meta.url))
const NO_PROCESSOR = 'http://127.0.0.1:1'

export interface BillingChild {
  jobs: readonly string[]
  /** Absent: no job calls a processor. */
  processorUrl?: string
  /** Work of one step; absent: that of the job. */
  batch?: number
}

/**
 * Runs the jobs until the condition holds, and kills the process with SIGKILL. Returns false where
 * it ended by itself before.
 */
export async function killWhen(
  api: TestApi,
  { jobs, processorUrl = NO_PROCESSOR, batch = 0 }: BillingChild,
  condition: () => Promise<boolean>,
): Promise<boolean> {
  const { databaseUrl, clock } = api
  const words = [databaseUrl, processorUrl, PEER_KEY, clock.nowMs, jobs.join(','), batch]
  const child = spawn(process.execPath, [SCRIPT, ...words.map(String)], {
    ...{ env: { ...COMPILED }, stdio: ['ignore', 'pipe', 'pipe'] },
  })
  let problem = ''
  child.stderr?.on('data', (bytes) => {
    problem += bytes
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  try {
    await until(async () => child.exitCode !== null || (await condition()))
  } finally {
    kill(child)
  }
  const code = await ended
  if (code !== null && code !== 0) throw new Error(problem)
  return code === null
}

function kill(child: ChildProcess): void {
  if (child.exitCode === null) child.kill('SIGKILL')
}
