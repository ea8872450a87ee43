// The process in which the line is timed beside work that never changes, on the same messages. It
// gets `{ quick }` from its parent and answers with one HeldCosts. BENCH_PLANT slows the line down
// on purpose, in percent.
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Packr } from 'msgpackr'
import type { SignedMessage } from '../../engine/line/receive.ts'
import { type HeldLine, openHeldLine } from '../steps/held-line.ts'
import { undisturbed } from './undisturbed.ts'

/** Microseconds of the processor for each message, of each round. */
export interface HeldCosts {
  line: number[]
  known: number[]
}

/** Few cards, so other processes' use of the processor's caches matters little. */
const CARDS = 500
/** Rounds so short that on a busy machine some of them are still run in one piece. */
const PACE = {
  full: { rounds: 1000, batch: 200, warmRounds: 600 },
  quick: { rounds: 500, batch: 200, warmRounds: 500 },
}
/** Rounds by which the cost is known that is planted a part of. */
const KNOWN_ROUNDS = 300
const PLANTED = Number(process.env['BENCH_PLANT'] ?? 0) / 100

process.once('message', (asked) => {
  const pace = (asked as { quick: boolean }).quick ? PACE.quick : PACE.full
  void measure(pace).then((costs) => process.send?.(costs, () => process.disconnect()))
})

async function measure({ rounds, batch, warmRounds }: (typeof PACE)['full']): Promise<HeldCosts> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-budget-'))
  try {
    const held = await openHeldLine(join(directory, 'facts'), { cards: CARDS, controlsEach: 1 })
    const warm: number[] = []
    for (let round = 0; round < warmRounds; round++) {
      const messages = held.messages(batch, 'token')
      warm.push(cpuUsOf(batch, () => held.decide(messages)))
      cpuUsOf(batch, () => doKnownWork(messages))
    }
    const plantUs = PLANTED * undisturbed(warm.slice(-KNOWN_ROUNDS))
    const costs: HeldCosts = { line: [], known: [] }
    for (let round = 0; round < rounds; round++) {
      const messages = held.messages(batch, 'token')
      costs.line.push(cpuUsOf(batch, () => decide(held, messages, plantUs)))
      costs.known.push(cpuUsOf(batch, () => doKnownWork(messages)))
    }
    await held.close()
    return costs
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function decide(held: HeldLine, messages: readonly SignedMessage[], plantUs: number): void {
  held.decide(messages)
  if (plantUs === 0) return
  for (let at = 0; at < messages.length; at++) {
    const untilMs = performance.now() + plantUs / 1000
    while (performance.now() < untilMs);
  }
}

let written = 0

/**
 * Does fixed work of the same kinds as the line: reads and signs bytes, looks up records that are
 * spread over some megabytes, and packs the results. A cold cache or a slow processor slows both.
 */
function doKnownWork(messages: readonly SignedMessage[]): void {
  for (const { body } of messages) {
    const message = JSON.parse((body as Buffer).toString('utf8')) as { id: string }
    const digest = createHmac('sha256', 'known').update(body).digest()
    const found: unknown[] = []
    for (let at = 0; at < LOOKUPS; at++) {
      const place = (digest.readUInt16LE(2 * at) * RECORDS) >>> 16
      found.push(records.get('record_' + place))
    }
    written += packr.pack([message, digest.toString('hex'), found]).length
  }
}

const RECORDS = 20_000
const LOOKUPS = 8
const packr = new Packr({ useRecords: false })
const records = new Map(
  Array.from({ length: RECORDS }, (_, at) => [
    'record_' + at,
    { at, text: 'text ' + at, on: true },
  ]),
)

function cpuUsOf(pieces: number, work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / pieces
}

process.once('exit', () => {
  if (written === 0) process.exitCode ??= 1
})
