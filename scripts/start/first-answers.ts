// The end of the first start: a short burst of simulated authorizations as a table, and lines to
// try next.
import { renderTable, runBurst } from '../simulate/burst.ts'
import type { Running, StartWorld } from './bring-up.ts'
import { nextSteps, writeExampleMessages } from './next-steps.ts'
import { planNextSteps } from './plan-next-steps.ts'
import type { Terminal } from './progress.ts'
import { fillDashboard, furnishSandbox } from './sandbox.ts'

export interface Presentation {
  burst: boolean
}

/**
 * Fills the sandbox for the simulator on its way. Never fails the start: the service is ready
 * already.
 */
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
  if (secrets.furnished === true) {
    const filled = { secrets, authUrl: config.authUrl, hasInbox: running.inboxUrl !== null }
    await progress.step('a row for every page of the dashboard', () =>
      fillDashboard(seedWorld, reach, filled),
    )
  }
  const place = {
    dataDir: config.dataDir,
    apiUrl: config.api.url,
    pagesUrl: config.authUrl,
    engineUrl: config.engine.url,
    inboxUrl: running.inboxUrl,
    ownerEmail: secrets.owner?.email ?? '',
  }
  const steps = await planNextSteps(place, running.cards)
  if (steps === null || world.signal.aborted) return
  writeExampleMessages(steps, clock.nowMs())
  terminal.write(nextSteps(steps, 'Ctrl-C stops everything.') + '\n')
  await showPayment(world, running, terminal)
}

/** One payment from the authorization to the chain, where the sandbox has a chain of its own. */
async function showPayment(world: StartWorld, running: Running, terminal: Terminal): Promise<void> {
  const { chainDirectory, seedWorld, reach, secrets } = running
  if (chainDirectory === null || world.signal.aborted) return
  const { playPayment } = await import('./play-payment.ts')
  const lines = await world.progress.step('a payment', () =>
    playPayment({ ...seedWorld, ...reach, secrets, chainDirectory, cards: running.cards }),
  )
  if (!world.signal.aborted) terminal.write('\n' + lines.map((line) => '  ' + line + '\n').join(''))
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => '  ' + line)
    .join('\n')
}
