// Faults of the engine's process itself: a second start, a stop by signal.
import { sleep } from '../../shared/clock.ts'
import { isNotification } from '../../shared/schemas/network-message.ts'
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import { freePort } from '../harness/free-ports.ts'
import type { FaultRun, Findings } from './fault.ts'
import { openPart } from './part.ts'
import { type Stack, startStack } from './stack.ts'
import { openWitness } from './witness.ts'

const CONCLUDE_LATEST_MS = 2000
const STOPPED_MS = 5000

/**
 * Row 5: a second engine on the same directory explains why it does not start, and the first one is
 * undisturbed.
 */
export async function startTwice(t: FaultRun): Promise<Findings> {
  const stack = await startStack(t)
  const witness = openWitness(stack, [stack.card('load_plain_1'), stack.card('load_plain_2')])
  const end = new AbortController()
  const running = witness.run(end.signal)
  const problems: string[] = []
  const starts = t.effort.seconds + 1
  for (let start = 0; start < starts; start++) {
    const second = openPart('engine/main.ts', stack.directory, {
      PATH: process.env['PATH'],
      SVC_DATA_DIR: stack.directory,
      SVC_ENGINE_PORT: String(await freePort()),
    })
    const exit = await second.tryStart()
    if (exit === null) {
      problems.push('a second engine started')
      await second.stop()
    } else if (exit.code !== 1 || !/held by another engine/.test(exit.lastWords ?? ''))
      problems.push('the second engine ended with ' + exit.code + ': ' + exit.lastWords)
  }
  end.abort()
  await running
  if (witness.refusals.size > 0) problems.push('refused: ' + [...witness.refusals].join(' '))
  problems.push(...(await witness.compare()))
  return { injected: starts + ' second engines under ' + witness.answered + ' answers', problems }
}

/**
 * Row 6: the machine sleeps while tenants are asked. The engine approves no request whose network
 * has stopped waiting.
 */
export async function stopInItsTracks(t: FaultRun): Promise<Findings> {
  const stack = await startStack(t, {
    behave: () => ({ kind: 'reply', body: '{"approve":true}', afterMs: 150 }),
  })
  const witness = openWitness(stack, ['load_realtime_1', 'load_plain_1'].map(stack.card))
  const end = new AbortController()
  const running = witness.run(end.signal)
  const problems: string[] = []
  const stops = Math.ceil(t.effort.seconds / 2)
  for (let stop = 0; stop < stops; stop++) {
    await sleep(500)
    stack.engineProcess.signal('SIGSTOP')
    await sleep(STOPPED_MS)
    stack.engineProcess.signal('SIGCONT')
    await sleep(500)
    const alive = await Promise.race([stack.engineProcess.exited, sleep(10)])
    if (alive !== undefined) {
      problems.push('the engine ended: ' + alive.lastWords)
      await stack.engineProcess.start()
    }
  }
  end.abort()
  await running
  problems.push(...(await witness.compare()))
  const late = await lateDecisions(stack)
  problems.push(...late.problems)
  const injected = stops + ' stops of 5 s, ' + late.declined + ' decided too late, all declined'
  return { injected, problems }
}

async function lateDecisions(stack: Stack): Promise<{ declined: number; problems: string[] }> {
  const rows = await stack.sql<{ entry: Buffer }[]>`select entry from card_transaction_messages`
  const problems: string[] = []
  let declined = 0
  for (const row of rows) {
    const entry = decodeEntry(row.entry)
    if (entry.kind !== 'decision' || isNotification(entry.message.kind)) continue
    const { decision, receivedAtMs } = entry
    if (decision.decidedAtMs <= receivedAtMs + CONCLUDE_LATEST_MS) continue
    if (decision.approved) problems.push(entry.transactionId + ' was approved too late')
    else declined += 1
  }
  return { declined, problems }
}
