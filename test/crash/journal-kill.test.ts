import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { systemClock } from '../../shared/clock.ts'
import { repeats } from '../harness/long.ts'

const KILLS = repeats(6, 20)
const SEGMENT_BYTES = 256 * 1024
const CHILD = new URL('journal-appender.ts', import.meta.url).pathname

interface Life {
  /** Highest sequence the child said was durable. */
  acked: number
  signal: NodeJS.Signals | null
  complaint: string
}

/** Lets the child append until it has acknowledged `acksMax` times, then kills it. */
function liveAndDie(directory: string, acksMax: number): Promise<Life> {
  const child = spawn(process.execPath, [CHILD, directory, String(SEGMENT_BYTES)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let complaint = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.split('\n').length > acksMax) child.kill('SIGKILL')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (_code, signal) => {
      // A line that the kill cut off was not reported.
      const lines = said.slice(0, said.lastIndexOf('\n') + 1).trimEnd()
      resolve({ acked: Number(lines.split('\n').at(-1)), signal, complaint })
    })
  })
}

test('kill -9 loses nothing that was acknowledged and leaves no gap', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-journal-kill-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const problems: string[] = []
  let latest = 0
  for (let kill = 1; kill <= KILLS; kill++) {
    const life = await liveAndDie(directory, 3 + ((kill * 37) % 100))
    if (life.signal !== 'SIGKILL') problems.push('kill ' + kill + ': ' + life.complaint)
    const opened = await openSegmentLog({
      directory,
      segmentBytes: SEGMENT_BYTES,
      clock: systemClock,
      events: { onSynced: () => {}, onFailed: (reason) => problems.push(reason) },
    })
    if ('refused' in opened) {
      problems.push('kill ' + kill + ': ' + opened.refused)
      break
    }
    const { log } = opened
    if (log.syncedSeq < life.acked)
      problems.push('kill ' + kill + ': acked ' + life.acked + ', found ' + log.syncedSeq)
    if (log.syncedSeq <= latest) problems.push('kill ' + kill + ': nothing new')
    if (log.epoch !== kill * 2) problems.push('kill ' + kill + ': epoch ' + log.epoch)
    latest = log.syncedSeq
    let expected = log.oldestSeq
    log.replay(expected, (seq, bytes) => {
      const whole = Buffer.alloc(200 + (seq % 300), 'entry ' + seq + ' ')
      if (seq !== expected || !bytes.equals(whole)) problems.push('entry ' + seq)
      expected += 1
    })
    if (expected !== latest + 1) problems.push('kill ' + kill + ': replay ends at ' + expected)
    await log.close()
  }
  t.same(problems, [])
  t.ok(latest > 500 * KILLS, 'many entries over many segments: ' + latest)
})
