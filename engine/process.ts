// Starts the engine: the network port, the control socket, and nothing else. Never talks to
// Postgres.
import { readFileSync } from 'node:fs'
import { systemClock } from '../shared/clock.ts'
import { systemMachine } from '../shared/clock-anchor.ts'
import { createLog, logProcessErrors } from '../shared/log.ts'
import { warnOfOldNode } from '../shared/node-release.ts'
import { onceToldToStop, signalReady } from '../shared/parent.ts'
import { readEngineConfig } from './config.ts'
import { openEngine } from './engine.ts'
import { TAKE_OVER } from './setting-names.ts'

/** The journal or an assertion failed: the supervisor restarts the engine, and recovery decides. */
const EXIT_FAIL_STOP = 70
/** Another member owns the shard; started again, the engine follows. */
const EXIT_LOST = 75
const STOP_MS_MAX = 8000

/** Runs the engine until it is told to stop; ends the process where it cannot start. */
export async function main(): Promise<void> {
  const config = readEngineConfig()
  if (!config.ok) return fail(config.error)
  const log = createLog({ name: 'engine', level: config.value.settings.SVC_LOG_LEVEL })
  for (const sentence of config.value.misspelt) log.warn(sentence)
  const onFatal = (reason: string): void => {
    log.fatal({ reason }, 'fail-stop')
    process.exit(EXIT_FAIL_STOP)
  }
  logProcessErrors(log, EXIT_FAIL_STOP)
  warnOfOldNode(log)
  const engine = await openEngine({
    config: config.value,
    clock: systemClock,
    machine: systemMachine,
    log,
    build: build(),
    takesOver: process.argv.includes(TAKE_OVER),
    onFatal,
    onLost(reason) {
      log.error({ reason }, 'another member owns the shard')
      process.exit(EXIT_LOST)
    },
  })
  if (!engine.ok) return fail([engine.error])
  log.info(
    {
      port: engine.value.port,
      iso_port: engine.value.isoPort,
      host: config.value.settings.SVC_ENGINE_HOST,
    },
    'engine listening',
  )
  signalReady()
  onceToldToStop(() => {
    log.info('engine stopping')
    systemClock.after(STOP_MS_MAX, () => {
      log.error('engine did not stop in time')
      process.exit(1)
    })
    engine.value.stop().then(
      () => {
        log.info('engine stopped')
        process.exit(0)
      },
      (error) => {
        log.error({ err: error }, 'engine failed to stop')
        process.exit(1)
      },
    )
  })
}

function fail(problems: readonly string[]): never {
  for (const problem of problems) process.stderr.write(problem + '\n')
  process.exit(1)
}

/** Name and version of this build, kept with every decision. */
function build(): string {
  const manifest: { name: string; version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return manifest.name + '-' + manifest.version
}
