// Row 4: many power cuts from one recording. A real engine runs under load, is killed and recovers,
// with every change of its disk and every answer recorded; then the test builds its directory as a
// power cut at some moment would have left it, and opens it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSegmentLog } from '../../../engine/journal/open-segment-log.ts'
import { recoverState } from '../../../engine/recover-state.ts'
import { sleep, systemClock } from '../../../shared/clock.ts'
import type { NetworkAnswer } from '../../../shared/schemas/network-message.ts'
import { decodeEntry } from '../../../shared/wire/journal-entry.ts'
import { SEGMENT_BYTES } from '../../harness/segment-bytes.ts'
import { until } from '../../harness/until.ts'
import { Random } from '../../simulation/random.ts'
import type { FaultRun, Findings, Skipped } from '../fault.ts'
import type { Stack } from '../stack.ts'
import { openWitness } from '../witness.ts'
import { Disk, SURVIVALS } from './images.ts'
import { type OnShim, onShim } from './on-shim.ts'
import { type Recorded, readRecording } from './recording.ts'
import { NO_COMPILER } from './shim.ts'

const CUTS_PER_KILL = 20

/** `started`: a watched stack without an entry, which is left running and drained. */
export async function cutPower(
  t: FaultRun,
  started: Promise<OnShim | null> = onShim(t, { watched: true }),
): Promise<Findings | Skipped> {
  const on = await started
  if (on === null) return { skipped: NO_COMPILER }
  const { shim, stack } = on
  // A slow sync makes it likely that a write is under way.
  shim.slow(1000)
  const witness = openWitness(
    stack,
    ['load_plain_1', 'load_realtime_1', 'limited_plain'].map(stack.card),
    {
      pauseMs: 5,
    },
  )
  const end = new AbortController()
  const running = witness.run(end.signal)
  for (let life = 0; life < 2; life++) {
    await sleep(t.effort.seconds * 1000)
    await stack.killEngine()
  }
  await until(() => stack.ready())
  await sleep(t.effort.seconds * 500)
  end.abort()
  await running
  await stack.drained()
  const keys = await messageKeys(stack)
  await stack.engineProcess.stop()
  const records = readRecording(shim.logPath)
  shim.slow(0)
  await stack.engineProcess.start()
  const cuts = t.effort.kills * CUTS_PER_KILL
  const found = await openEveryCut(t, { records, keys }, cuts)
  const { answered, unsynced } = found
  if (answered === 0) found.problems.push('no answer was recorded')
  if (unsynced === 0) found.problems.push('no cut met a write under way')
  return {
    injected:
      cuts +
      ' cuts, ' +
      unsynced +
      ' with writes under way, in ' +
      records.length +
      ' changes and ' +
      answered +
      ' answers',
    problems: [...witness.problems, ...found.problems],
  }
}

async function openEveryCut(
  t: FaultRun,
  { records, keys }: { records: readonly Recorded[]; keys: ReadonlyMap<string, Buffer> },
  cuts: number,
) {
  const random = new Random(4)
  const directory = mkdtempSync(join(tmpdir(), 'svc-power-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const disk = new Disk()
  const problems: string[] = []
  let unsynced = 0
  const every = records.length / cuts
  let next = every
  let cut = 0
  for (const [index, record] of records.entries()) {
    disk.apply(record)
    if (index + 1 < next) continue
    // Picks a moment in this stretch at which the device has unsynced data.
    if (disk.unsynced === 0 && index + 1 < next + every / 2) continue
    next += every
    const survival = SURVIVALS[cut % SURVIVALS.length] ?? 'drop'
    if (disk.unsynced > 0) unsynced += 1
    const image = join(directory, String(cut++))
    disk.image(image, survival, random)
    for (const problem of await openImage(image, disk.answered, keys))
      problems.push('cut ' + cut + ' after change ' + index + ', ' + survival + ': ' + problem)
    rmSync(image, { recursive: true, force: true })
  }
  return { problems, answered: disk.answered.length, unsynced }
}

/** The key under which the engine remembers each message, read from the journal. */
async function messageKeys(stack: Stack): Promise<Map<string, Buffer>> {
  const rows = await stack.sql<{ entry: Buffer }[]>`select entry from card_transaction_messages`
  const keys = new Map<string, Buffer>()
  for (const row of rows) {
    const entry = decodeEntry(row.entry)
    if (entry.kind === 'decision') keys.set(entry.message.id, entry.messageKey)
  }
  return keys
}

/** Names what the next start lacks or finds wrong in the directory after the power cut. */
async function openImage(
  directory: string,
  answered: readonly string[],
  keys: ReadonlyMap<string, Buffer>,
): Promise<string[]> {
  const failures: string[] = []
  const opened = await openSegmentLog({
    directory,
    segmentBytes: SEGMENT_BYTES,
    clock: systemClock,
    events: { onSynced: () => {}, onFailed: (reason) => failures.push(reason) },
  })
  if ('refused' in opened) return [opened.refused]
  try {
    const recovered = recoverState(directory, opened.log)
    if (!recovered.ok) return [recovered.error]
    const { recall } = recovered.value.state
    for (const text of answered) {
      const answer = JSON.parse(text) as NetworkAnswer
      const key = keys.get(answer.message_id)
      const slot = key === undefined ? -1 : recall.find(key)
      if (slot === -1) {
        failures.push(answer.message_id + ' was answered, and is lost')
        continue
      }
      const kept = recall.read(slot)
      const same =
        kept.transactionId === answer.transaction_id &&
        kept.approved === answer.approved &&
        kept.approvedAmountCents === answer.approved_amount_cents
      if (!same) failures.push(answer.message_id + ' is remembered otherwise than answered')
    }
    return failures
  } finally {
    await opened.log.close()
  }
}
