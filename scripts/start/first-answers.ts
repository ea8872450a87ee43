// The first thing a newcomer sees work: a short burst of simulated authorizations as a table, and what to try next.

import { sleep } from '../../shared/clock.ts'
import { readSettings, SETTINGS } from '../../shared/settings.ts'
import { renderTable, runBurst } from '../simulate/burst.ts'
import type { Running, StartWorld } from './bring-up.ts'
import { type NextSteps, nextSteps, writeExampleMessage } from './next-steps.ts'
import type { Terminal } from './progress.ts'
import { furnishSandbox } from './sandbox.ts'

/** The journal drains within milliseconds; without an example the line shows a placeholder. */
const EXAMPLE_TRIES_MAX = 40
const EXAMPLE_POLL_MS = 50
const EXAMPLE_PAGE = 50

export interface Presentation {
  burst: boolean
}

/** Fills the sandbox for the simulator on its way. Never fails the start: the service is ready already. */
export async function showFirstAnswers(
  world: StartWorld,
  running: Running,
  presentation: Presentation,
  terminal: Terminal,
): Promise<void> {
  const { config, clock, progress } = world
  const { seedWorld, reach } = running
  const secrets = await progress.step('the simulator’s cards', () =>
    furnishSandbox(seedWorld, reach, running.secrets),
  )
  if (presentation.burst && secrets.furnished === true) {
    const sandbox = { engine_url: config.engine.url, network: secrets.network }
    const rows = await progress.step('a burst of authorizations', () =>
      runBurst(sandbox, secrets, clock),
    )
    // Cut short by a stop, it is no picture of the service.
    if (world.signal.aborted) return
    terminal.write('\n' + indented(renderTable(rows)) + '\n')
  }
  const card = running.cards.find((listed) => listed.realtime && listed.status === 'active')
  if (card === undefined) return
  const steps: NextSteps = {
    dataDir: config.dataDir,
    defaultDataDir: config.dataDir === defaultDataDir(),
    apiUrl: config.api.url,
    engineUrl: config.engine.url,
    card,
    transactionId: await exampleTransaction(world, running),
  }
  if (world.signal.aborted) return
  writeExampleMessage(steps, clock.nowMs())
  terminal.write(
    '\n  Ready.  API ' +
      config.api.url +
      '   network port ' +
      config.engine.url +
      '\n  Ctrl-C stops everything.\n' +
      nextSteps(steps) +
      '\n',
  )
}

function defaultDataDir(): string {
  const settings = readSettings({}, ['SVC_DATA_DIR'])
  return settings.ok ? settings.value.SVC_DATA_DIR : SETTINGS.SVC_DATA_DIR.fallback
}

/** A transaction that asked its tenant, else the latest; null where none arrived in time. */
async function exampleTransaction(
  { config, signal }: StartWorld,
  running: Running,
): Promise<string | null> {
  const url = config.api.url + '/v1/card_transactions?limit=' + EXAMPLE_PAGE
  const headers = { authorization: 'Bearer ' + running.secrets.keys.read }
  for (let tries = 0; tries < EXAMPLE_TRIES_MAX && !signal.aborted; tries++) {
    try {
      const response = await fetch(url, {
        headers,
        signal: AbortSignal.timeout(EXAMPLE_POLL_MS * 20),
      })
      const id = pick(await response.json())
      if (id !== null) return id
    } catch {
      // The API is being restarted; the example can wait.
    }
    await sleep(EXAMPLE_POLL_MS, signal)
  }
  return null
}

interface Listed {
  id: string
  decision: { webhook: unknown } | null
}

function pick(page: unknown): string | null {
  const data = typeof page === 'object' && page !== null && 'data' in page ? page.data : []
  if (!Array.isArray(data)) return null
  const listed = data as Listed[]
  return (listed.find((item) => item.decision?.webhook) ?? listed[0])?.id ?? null
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => '  ' + line)
    .join('\n')
}
