// Row 30: the drain stood still for long. The engine starts with the whole backlog, and PostgreSQL
// gets each entry once.
import { join } from 'node:path'
import type { SandboxCard, SandboxSecrets } from '../../scripts/start/sandbox-secrets.ts'
import { systemClock } from '../../shared/clock.ts'
import type { CardRecord } from '../../shared/wire/journal-entry.ts'
import { decisionEntry } from '../harness/entries.ts'
import { until } from '../harness/until.ts'
import type { FaultRun, Findings } from './fault.ts'
import { type ApprovalPlace, writeApprovals } from './many-entries.ts'
import { recount } from './recount.ts'
import { startStack } from './stack.ts'

const CARDS = 32
/** Ten million entries take 60 s, and a process takes time to start on a busy machine. */
const START_MS_PER_ENTRY = 60_000 / 10_000_000
const START_MS_MIN = 10_000
const DRAIN_PER_S_MIN = 1000

export async function backlog(t: FaultRun): Promise<Findings> {
  const { records } = t.effort
  const stack = await startStack(t, {
    environment: {
      SVC_SNAPSHOT_ENTRIES: '100000000',
      SVC_JOURNAL_SEGMENT_BYTES: String(256 * 1024 * 1024),
    },
    async prepare(directory, secrets) {
      const places = placesOf(secrets)
      await writeApprovals(join(directory, 'journal'), records, (index) => places(index % CARDS))
      t.say(records.toLocaleString('en') + ' entries written')
    },
  })
  const problems: string[] = []
  const beganMs = systemClock.nowMs()
  await stack.drained()
  const drainMs = systemClock.nowMs() - beganMs
  const drainMsMax = Math.max(60_000, (records / DRAIN_PER_S_MIN) * 1000)
  if (drainMs > drainMsMax) problems.push('the drain took ' + drainMs + ' ms, bound ' + drainMsMax)
  t.say('drained in ' + Math.round(drainMs / 1000) + ' s')
  await stack.engineProcess.kill()
  const startMs = systemClock.nowMs()
  await stack.engineProcess.start()
  await until(() => stack.ready(), 60_000)
  const tookMs = systemClock.nowMs() - startMs
  const bound = START_MS_MIN + records * START_MS_PER_ENTRY
  if (tookMs > bound) problems.push('the start took ' + tookMs + ' ms, bound ' + bound)
  const [row] = await stack.sql<{ transactions: number; events: number; quarantined: number }[]>`
    select (select count(*)::int from card_transactions) as transactions,
      (select count(*)::int from events where type like 'card.transaction.%') as events,
      (select count(*)::int from drain_quarantine) as quarantined`
  if (row?.transactions !== records || row.events !== records || row.quarantined !== 0)
    problems.push('PostgreSQL has ' + JSON.stringify(row))
  problems.push(...(await recount(stack)))
  const injected = records + ' entries undrained: drained at ' + Math.round(records / drainMs)
  return { injected: injected + ' per ms, replayed in ' + Math.round(tookMs) + ' ms', problems }
}

function placesOf(secrets: SandboxSecrets): (index: number) => ApprovalPlace {
  const like = decisionEntry({}).card
  if (like === null) throw new Error('the entry of a test has a card')
  const programId = secrets.programs['plain'] ?? ''
  const placeOf = (card: SandboxCard): ApprovalPlace => {
    const record: CardRecord = {
      ...like,
      tenantId: secrets.tenant_id,
      programId,
      cardholderId: card.cardholder_id,
      cardId: card.id,
      currency: card.currency,
    }
    return { card: record, subjects: [programId, card.cardholder_id, card.id] }
  }
  const places = Array.from({ length: CARDS }, (_, at) => {
    const card = secrets.cards['load_plain_' + (at + 1)]
    if (card === undefined) throw new Error('the sandbox has no card for load')
    return placeOf(card)
  })
  return (index) => places[index] as ApprovalPlace
}
