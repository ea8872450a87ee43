// The engine's own timings in its journal: how long each step of each decision took. Returns the
// means of one run.
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import { rounded } from '../figures.ts'
import type { EngineTestbed } from '../line/engine.ts'
import type { Stages } from '../measured.ts'

const PAGE_BYTES = 4_000_000
const ANSWERS = 'svc_step_seconds_sum{step="answer"}'
const ANSWERED = 'svc_step_seconds_count{step="answer"}'
const REST = 'the device, and until it leaves'
const WAITS: ReadonlySet<string> = new Set([REST, 'tenant wait'])
const TOTAL = 'total'

export type Parts = Stages['rows'][number]['parts']

/**
 * Runs `work` and returns the mean microseconds of each step of its authorizations, from the first
 * byte to the answer. The result is empty where no message was decided. An entry holds whole
 * microseconds, so a shorter step is a fraction of them.
 */
export async function stagesOf(stand: EngineTestbed, work: () => Promise<void>): Promise<Parts> {
  const before = await seen(stand)
  await work()
  const after = await seen(stand)
  const sums = new Map<string, number>()
  const decided = await addTimings(stand, { from: before.seq + 1, to: after.seq }, sums)
  if (decided === 0) return []
  const wholeUs = ((after.seconds - before.seconds) * 1e6) / (after.answers - before.answers)
  const totalUs = (sums.get(TOTAL) ?? 0) / decided
  sums.delete(TOTAL)
  const parts = [...sums].map(([step, us]) => ({
    name: step.replaceAll('_', ' '),
    us: us / decided,
  }))
  parts.push({ name: REST, us: Math.max(0, wholeUs - totalUs) })
  return parts.filter(({ us }) => us > 0).map(({ name, us }) => ({ name, value: rounded(us) }))
}

/**
 * The steps alone, and beside the waits of an answer: the device, and the tenant where it was
 * asked.
 */
export function chartsOf(parts: Parts, load: string): Stages[] {
  const chart = (name: string, of: Parts): Stages => ({
    chart: name,
    unit: 'µs',
    rows: [{ name: 'by the engine’s journal', parts: of }],
  })
  const steps = parts.filter(({ name }) => !WAITS.has(name))
  const ownUs = steps.reduce((sum, { value }) => sum + value, 0)
  const waits = parts.filter(({ name }) => WAITS.has(name))
  return [
    chart('The steps of an authorization, ' + load, steps),
    chart('Until the answer leaves, ' + load, [
      { name: 'the steps', value: rounded(ownUs) },
      ...waits,
    ]),
  ]
}

interface Seen {
  seq: number
  seconds: number
  answers: number
}

async function seen(stand: EngineTestbed): Promise<Seen> {
  const { synced_seq: seq } = await stand.client.status()
  return { seq, seconds: await stand.metric(ANSWERS), answers: await stand.metric(ANSWERED) }
}

/** Counts the decisions between two entries, both included, and adds their timings to the sums. */
async function addTimings(
  { client }: EngineTestbed,
  { from, to }: { from: number; to: number },
  sums: Map<string, number>,
): Promise<number> {
  let decided = 0
  for (let next = from; next <= to; ) {
    const { entries } = await client.journal(next, PAGE_BYTES)
    for (const bytes of entries.slice(0, to - next + 1)) {
      const entry = decodeEntry(bytes)
      if (entry.kind !== 'decision') continue
      decided += 1
      for (const [step, us] of Object.entries(entry.decision.timings))
        sums.set(step, (sums.get(step) ?? 0) + us)
    }
    next += entries.length
  }
  return decided
}
