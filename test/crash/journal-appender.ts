// Child process of journal-kill.test.ts: it appends until it is killed and reports what is durable.
import { writeSync } from 'node:fs'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { systemClock } from '../../shared/clock.ts'

const [directory = '', segmentBytes = ''] = process.argv.slice(2)
const OUTSTANDING = 64

function entryOf(seq: number): Buffer {
  return Buffer.alloc(200 + (seq % 300), 'entry ' + seq + ' ')
}

const opened = await openSegmentLog({
  directory,
  segmentBytes: Number(segmentBytes),
  clock: systemClock,
  events: {
    onSynced(seq) {
      // A synchronous write to the pipe reaches the parent even if the kill follows at once.
      writeSync(1, seq + '\n')
      log.trim(seq - 2000)
      while (log.waiting < OUTSTANDING) log.append(entryOf(log.lastSeq + 1))
    },
    onFailed(reason) {
      writeSync(2, reason + '\n')
      process.exit(70)
    },
  },
})
if ('refused' in opened) {
  writeSync(2, opened.refused + '\n')
  process.exit(1)
}
const { log } = opened
while (log.waiting < OUTSTANDING) log.append(entryOf(log.lastSeq + 1))
