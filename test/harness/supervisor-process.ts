// Supervises two stand-ins and prints their pids: a process of its own, so that a test can kill it.

import { runNodeProcess } from '../../scripts/start/node-process.ts'
import { supervise } from '../../scripts/start/supervise.ts'
import { systemClock } from '../../shared/clock.ts'

const script = new URL('./stand-in-process.ts', import.meta.url).pathname
const directory = process.argv[2] ?? '.'

for (const name of ['one', 'two']) {
  const logPath = directory + '/' + name + '.log'
  supervise({
    name,
    clock: systemClock,
    logPath,
    launch: () => runNodeProcess({ script, arguments: ['steady'], environment: {}, logPath }),
    onPid: (pid) => process.stdout.write(pid + '\n'),
    say: () => undefined,
  })
}
