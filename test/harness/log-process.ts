// A process with a log and a terminal; messages on its channel say what to write and how to end,
// and it answers with the number of dropped lines.
import { openTerminal } from '../../scripts/start/terminal.ts'
import { createLog, logMetricLines, logProcessErrors } from '../../shared/log.ts'

const log = createLog({ name: 'probe', level: 'info' })
logProcessErrors(log, 70)
const terminal = openTerminal()

interface Wish {
  lines?: number
  /** Lines for the terminal. */
  shown?: number
  /** Values of one line. */
  values?: object
  end?: string
}

process.on('message', ({ lines = 0, shown = 0, values, end }: Wish) => {
  for (let line = 0; line < shown; line++) terminal.write('x'.repeat(1000) + '\n')
  for (let line = 0; line < lines; line++) log.info({ line, text: 'x'.repeat(1000) }, 'a line')
  if (values !== undefined) log.info(values, 'values')
  if (end === 'exit') {
    log.fatal('the last words')
    process.exit(3)
  }
  if (end === 'throw') throw new Error('nothing caught 4111 1111 1111 1111')
  process.send?.({ dropped: Number(logMetricLines().at(-1)?.split(' ').at(-1)) })
})
