// A process with a log; messages on its channel say what to log and how to end, and it answers with
// the number of dropped lines.
import { createLog, logMetricLines, logProcessErrors } from '../../shared/log.ts'

const log = createLog({ name: 'probe', level: 'info' })
logProcessErrors(log, 70)

process.on('message', ({ lines = 0, end }: { lines?: number; end?: string }) => {
  for (let line = 0; line < lines; line++) log.info({ line, text: 'x'.repeat(1000) }, 'a line')
  if (end === 'exit') {
    log.fatal('the last words')
    process.exit(3)
  }
  if (end === 'throw') throw new Error('nothing caught 4111 1111 1111 1111')
  process.send?.({ dropped: Number(logMetricLines().at(-1)?.split(' ').at(-1)) })
})
