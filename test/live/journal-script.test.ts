import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { listSegments, SEGMENT_BYTES_MIN } from '../../engine/journal/segment-files.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { encodeEntry } from '../../shared/wire/journal-entry.ts'

const SCRIPT = new URL('../../scripts/journal.ts', import.meta.url).pathname

function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [SCRIPT, ...words], (_error, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err })
    })
  })
}

test('the journal can be inspected while an engine holds it, and damage is reported', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-journal-script-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const directory = join(dataDir, 'journal')
  const opened = await openSegmentLog({
    directory,
    segmentBytes: SEGMENT_BYTES_MIN,
    clock: systemClock,
    events: { onSynced: () => {}, onFailed: () => {} },
  })
  if ('refused' in opened) throw new Error(opened.refused)
  const { log } = opened
  for (let seq = 1; seq <= 30; seq++) {
    log.append(
      encodeEntry({
        kind: 'late_reply',
        transactionId: 'txn_' + seq,
        tenantId: 'ten_1',
        environment: 'sandbox',
        repliedAtMs: 1_800_000_000_000,
        outcome: 'late_decline',
        latencyMs: 1800,
        reason: null,
        disagrees: true,
        requestId: 'areq_' + seq,
        sequence: 1,
      }),
    )
    while (log.waiting > 0) await sleep(1)
  }
  const inDir = ['--data-dir', dataDir]
  const stat = await run('stat', ...inDir)
  t.match(stat.out, /entries +1 to 30\n/)
  t.match(stat.out, log.journalId)
  const tail = await run('tail', '--count', '2', ...inDir)
  t.equal(tail.out.trimEnd().split('\n').length, 2)
  t.match(tail.out, /txn_30 +late_decline after 1800 ms +disagrees +areq_30\n$/)
  const json = await run('tail', '--count', '1', '--json', ...inDir)
  t.match(JSON.parse(json.out), { seq: 30, kind: 'late_reply', transactionId: 'txn_30' })
  const whole = await run('verify', ...inDir)
  t.same([whole.code, whole.out], [0, '30 entries, all readable, no gap; last is 30.\n'])
  await log.close()

  const [{ path } = { path: '' }] = listSegments(directory)
  const bytes = readFileSync(path)
  bytes[500]! ^= 1
  writeFileSync(path, bytes)
  const damaged = await run('verify', ...inDir)
  t.equal(damaged.code, 1)
  t.match(damaged.err, /damaged in the middle/)
  t.equal((await run('--help')).code, 0)
  t.match(await run('erase', ...inDir), { code: 1, err: /stat, tail, verify/ })
})
