// Starts the front door: the network port and nothing else. It holds no data that outlives it.
import { systemClock } from '../../shared/clock.ts'
import { createLog, logProcessErrors } from '../../shared/log.ts'
import { warnOfOldNode } from '../../shared/node-release.ts'
import { onceToldToStop, signalReady } from '../../shared/parent.ts'
import { readDoorConfig } from './config.ts'
import { openDoor } from './door.ts'

const EXIT_FAIL_STOP = 70
const STOP_MS_MAX = 5000

/** Runs the door until it is told to stop; ends the process where it cannot start. */
export async function main(): Promise<void> {
  const config = readDoorConfig()
  if (!config.ok) return fail(config.error)
  const log = createLog({ name: 'door', level: config.value.settings.SVC_LOG_LEVEL })
  for (const sentence of config.value.misspelt) log.warn(sentence)
  logProcessErrors(log, EXIT_FAIL_STOP)
  warnOfOldNode(log)
  const door = await openDoor({
    config: config.value,
    clock: systemClock,
    log,
    onFatal(reason) {
      log.fatal({ reason }, 'fail-stop')
      process.exit(EXIT_FAIL_STOP)
    },
  })
  if (!door.ok) return fail([door.error])
  const { port, isoPort } = door.value
  log.info({ port, iso_port: isoPort }, 'front door listening')
  signalReady()
  onceToldToStop(() => {
    log.info('front door stopping')
    systemClock.after(STOP_MS_MAX, () => process.exit(1))
    door.value.stop().then(
      () => {
        log.info('front door stopped')
        process.exit(0)
      },
      (error) => {
        log.error({ err: error }, 'front door failed to stop')
        process.exit(1)
      },
    )
  })
}

function fail(problems: readonly string[]): never {
  for (const problem of problems) process.stderr.write(problem + '\n')
  process.exit(1)
}
