// `npm start`: the whole service on one machine. Checks the machine first, with nothing loaded that
// could fail on it.
import { parseArgs } from 'node:util'
import { runCommand } from '../shared/command-line.ts'
import { nodeBehind } from '../shared/node-release.ts'
import { platformProblem, thisMachine } from './start/platform.ts'

const HELP = `Starts the whole service on this machine: PostgreSQL (embedded, unless DATABASE_URL is set), engine, api,
dispatcher, and a demo tenant. Seeds a sandbox at the first start, shows a burst of authorizations, and stays up.

  npm start -- [--no-burst] [--help]

  --no-burst   do not send the burst of simulated authorizations
  --help       this text

Ctrl-C or SIGTERM stops everything. The data stays in SVC_DATA_DIR, and the next start uses it again.
`

async function help(): Promise<string> {
  const { SETTINGS, settingsUsage } = await import('../shared/settings.ts')
  const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]
  return HELP + '\nEnvironment (all optional):\n' + settingsUsage(names)
}

async function main(): Promise<number> {
  const problem = platformProblem(thisMachine())
  if (problem !== null) throw new Error(problem)
  const behind = nodeBehind(process.version)
  if (behind !== null) process.stderr.write(behind + '\n')
  const { values } = parseArgs({ options: { 'no-burst': { type: 'boolean' } } })
  const { runStart } = await import('./start/run.ts')
  const { systemClock } = await import('../shared/clock.ts')
  const { openTerminal } = await import('./start/terminal.ts')
  const terminal = openTerminal()
  return runStart({ burst: values['no-burst'] !== true }, systemClock, terminal)
}

await runCommand({ help, run: main })
// Keep-alive connections to our own services would hold the process for seconds.
process.exit()
