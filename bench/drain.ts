// Measures the cost of a journal entry on its way into PostgreSQL: processor time of the draining
// process and of the server, beside one bare row with the bytes of the same entry and one key. Both
// work in pages of a thousand, in turns, one page after the other.
import { join } from 'node:path'
import { migrate } from '../api/database/migrate.ts'
import { openPool, type Sql } from '../api/database/pool.ts'
import { tx } from '../api/database/transaction.ts'
import { countRows, insertCounts } from '../api/engine-link/authorization-counts.ts'
import { type Batch, batchOf } from '../api/engine-link/batch.ts'
import { createEngineClient } from '../api/engine-link/client.ts'
import { drainedEntry } from '../api/engine-link/drained-entry.ts'
import { NO_PAYMENTS } from '../api/engine-link/payments-port.ts'
import { drainBatch } from '../api/engine-link/pull-journal.ts'
import { insertVerdicts, verdictRows } from '../api/engine-link/stand-in-counts.ts'
import { type RunningPostgres, startPostgres } from '../scripts/postgres.ts'
import { systemClock } from '../shared/clock.ts'
import { newId } from '../shared/id.ts'
import { createLog } from '../shared/log.ts'
import { loadMasterKeys } from '../shared/master-key-file.ts'
import type { TraceRow } from '../shared/rule-catalog.ts'
import { noSums, TRANSACTION_FLAGS } from '../shared/transaction-sums.ts'
import { type DecisionEntry, encodeEntry } from '../shared/wire/journal-entry.ts'
import { decisionEntry } from '../test/harness/entries.ts'
import { undisturbed } from './budget/undisturbed.ts'
import { column, rounded } from './figures.ts'
import { seedLine } from './line/seed.ts'
import { newDirectory } from './machine.ts'
import type { BenchOptions, Findings, Measured } from './measured.ts'
import { compare, inTurns, pairsOf, ratioOf } from './pairs.ts'
import { treeCpuUs } from './server-process.ts'

const DRAINED_ENTRY = 'processor time of a drained entry : of a bare row with its bytes'
const COUNTED_ENTRY = 'processor time of the counts of an entry, by themselves : of its drain'
const COUNTED_MAX = 0.04
/**
 * It was 22 while rows went as documents, and is about 14; measured beside others, so not as a
 * tight budget.
 */
const RATIO_MAX = 18
const JOURNAL = 'journal-bench'
const CARDS = 10_000
const TENANTS = 4
const PAGE = 1000
/** Each fifth entry captures an authorization of the page before. */
const CAPTURES_EACH = 5
const CENTS = 1250
const HOLD_MS = 7 * 86_400_000
const PAGES = { full: 20, quick: 10 }
const WARM_PAGES = 10
/** As an everyday purchase leaves it: eleven rules, one limit. */
const TRACE: readonly TraceRow[] = [
  [2, 1, 0, 'active'],
  [3, 1, 0, 'active'],
  [4, 1, 0, false],
  [5, 1, 0, 'active', false],
  [6, 1, 0, 'match'],
  [7, 1, 0, 'match'],
  [33, 1, 0, 'USD', 'USD', true, null, null, CENTS],
  [9, 2, 0, 'card', 'block', '5411', false, 'ctl_0'],
  [11, 2, 0, 'card', 'block', 'US', false, 'ctl_0'],
  // biome-ignore format: one row.
  [12, 2, 0, 'card', 'lim_0', 'daily', 900_000_000_000, 'USD', 0, 0, CENTS, 1795305600000, 1795392000000, 'UTC', 'amount'],
  [13, 1, 0, 0, CENTS],
]

interface Stand {
  sql: Sql
  postgres: RunningPostgres
  cards: readonly CardRow[]
  close(): Promise<void>
}

interface CardRow {
  id: string
  tenant_id: string
  program_id: string
  cardholder_id: string
}

/** Microseconds of the processor for each entry, and how many a second. */
interface Sample {
  ownUs: number
  serverUs: number
  perSecond: number
}

export const DRAIN: Measured = {
  name: 'drain',
  seconds: { full: 60, quick: 25 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  const stand = await openTestbed()
  try {
    const journal = new Journal(stand.cards)
    const pages = options.quick ? PAGES.quick : PAGES.full
    const sides = {
      drain: () => measured(stand, journal.pages(pages), (page) => drained(stand, page)),
      bare: () => measured(stand, journal.pages(pages), (page) => bare(stand, page)),
      counts: () =>
        measured(stand, batchesOf(journal.pages(pages)), (batch) => counted(stand, batch)),
    }
    await measured(stand, journal.pages(WARM_PAGES), (page) => drained(stand, page))
    await measured(stand, journal.pages(WARM_PAGES), (page) => bare(stand, page))
    options.log('Draining, and writing bare rows, in turns.')
    const rounds = await inTurns(sides, pairsOf(options))
    const compared = (figure: (sample: Sample) => number) =>
      compare(rounds, ['drain', 'bare'], figure)
    const costs = (side: keyof typeof sides) =>
      undisturbed(rounds.map((round) => round[side].ownUs + round[side].serverUs))
    const ratio = ratioOf(
      {
        ...compared(({ ownUs, serverUs }) => ownUs + serverUs),
        ratio: rounded(costs('drain') / costs('bare')),
      },
      { sentence: DRAINED_ENTRY, unit: 'µs', bound: { atMost: RATIO_MAX } },
    )
    const counts = ratioOf(
      {
        ...compare(rounds, ['counts', 'drain'], ({ ownUs, serverUs }) => ownUs + serverUs),
        ratio: rounded(costs('counts') / costs('drain')),
      },
      { sentence: COUNTED_ENTRY, unit: 'µs', bound: { atMost: COUNTED_MAX } },
    )
    const rows = {
      'CPU µs': ratio,
      'of the drain': compared(({ ownUs }) => ownUs),
      'of PostgreSQL': compared(({ serverUs }) => serverUs),
      'a second': compared(({ perSecond }) => perSecond),
    }
    return {
      lines: [
        '',
        ['each', 'an entry', 'a bare row', 'ratio'].map(column).join(''),
        ...Object.entries(rows).map(([name, { ours, theirs, ratio: by }]) =>
          [name, ours, theirs, by].map(column).join(''),
        ),
        '',
      ],
      figures: Object.fromEntries(
        Object.entries(rows).map(([name, { ours }]) => [name.replaceAll(' ', '_'), ours]),
      ),
      targets: [],
      ratios: [ratio, counts],
      flaws: await flawsOf(stand.sql),
    }
  } finally {
    await stand.close()
  }
}

/** PostgreSQL with tenants and cards, whose journal is empty. */
export async function openTestbed(): Promise<Stand> {
  const directory = newDirectory()
  const postgres = await startPostgres({ directory: join(directory, 'postgres') })
  await migrate(postgres.url, () => undefined)
  // As the link of the api opens it.
  const sql = openPool(postgres.url, {
    max: 1,
    applicationName: 'bench',
    statementTimeoutMs: 0,
    byIndex: true,
  })
  const keys = loadMasterKeys({ dataDir: directory, configured: null, environment: 'sandbox' })
  if (!keys.ok) throw new Error(keys.error)
  const tenants = Array.from({ length: TENANTS }, () => ({ url: null }))
  const now = systemClock.nowMs()
  await seedLine(sql, keys.value, { tenants, cards: CARDS, controlsEach: 0, now })
  await sql`insert into journal_cursor (journal_id, seq) values (${JOURNAL}, 0)`
  await sql`create table bare_entries (seq bigint primary key, entry bytea)`
  const cards = await sql<CardRow[]>`select id, tenant_id, program_id, cardholder_id from cards`
  const close = async (): Promise<void> => {
    await sql.end({ timeout: 1 })
    await postgres.stop()
  }
  return { sql, postgres, cards, close }
}

interface Entry {
  seq: number
  bytes: Buffer
}

/** Takes page after page; returns the cost of an entry. */
export async function measured<Page>(
  { postgres }: Pick<Stand, 'postgres'>,
  pages: readonly Page[],
  take: (page: Page) => Promise<unknown>,
): Promise<Sample> {
  const [serverBefore, ownBefore] = [treeCpuUs(postgres.pid), process.cpuUsage()]
  const startedAt = performance.now()
  for (const page of pages) await take(page)
  const seconds = (performance.now() - startedAt) / 1000
  const own = process.cpuUsage(ownBefore)
  const entries = pages.length * PAGE
  return {
    ownUs: rounded((own.user + own.system) / entries),
    serverUs: rounded((treeCpuUs(postgres.pid) - serverBefore) / entries),
    perSecond: Math.round(entries / seconds),
  }
}

/** Drains a page as the link to the engine does. */
export async function drained({ sql }: Stand, page: readonly Entry[]): Promise<void> {
  const client = createEngineClient({ socketPath: '/nowhere', clock: systemClock })
  const log = createLog({ name: 'bench', level: 'silent' })
  const parts = { sql, client, clock: systemClock, log, journalId: JOURNAL, payments: NO_PAYMENTS }
  const [cursor] = await sql<{ seq: number }[]>`select seq from journal_cursor`
  const from = cursor?.seq ?? 0
  // The pages of the other side are no part of this journal.
  const entries = page.map(({ bytes }, at) => ({ seq: from + at + 1, bytes }))
  await drainBatch(parts, entries, from)
}

async function bare({ sql }: Stand, page: readonly Entry[]): Promise<void> {
  await sql`
    insert into bare_entries
    select seq, decode(entry, 'base64') from unnest(
      ${page.map(({ seq }) => seq)}::bigint[],
      ${page.map(({ bytes }) => bytes.toString('base64'))}::text[]
    ) as row (seq, entry)`
}

/** The pages as the drain applies them, as far as their own entries tell. */
function batchesOf(pages: readonly (readonly Entry[])[]): Batch[] {
  return pages.map((page) => {
    const stored = { messages: new Map(), lives: new Map(), originals: new Map() }
    return batchOf(page.map(drainedEntry), stored, new Map())
  })
}

/** Writes the counts of a page by themselves: the drain writes them with everything else. */
async function counted({ sql }: Stand, batch: Batch): Promise<void> {
  await tx(sql, async (inner) => {
    await inner`
      with counted as (${insertCounts(inner, countRows(batch))}
      ), compared as (${insertVerdicts(inner, verdictRows(batch))}
      ) select 1`
  })
}

async function flawsOf(sql: Sql): Promise<string[]> {
  const [row] = await sql<{ refused: number }[]>`
    select count(*)::integer as refused from drain_quarantine`
  return row?.refused === 0 ? [] : [row?.refused + ' entries were set aside']
}

/** Makes entries as an engine would have written them. */
export class Journal {
  readonly #cards: readonly CardRow[]
  #seq = 0
  /** Entries that were authorized in the page before. */
  #open: readonly DecisionEntry[] = []

  constructor(cards: readonly CardRow[]) {
    this.#cards = cards
  }

  pages(count: number): Entry[][] {
    // A page of authorizations first, so that the same side drains an authorization and its
    // capture.
    this.#open = []
    return Array.from({ length: count }, () => this.#page())
  }

  #page(): Entry[] {
    const made = Array.from({ length: PAGE }, (_, at) => {
      const before = at % CAPTURES_EACH === 0 ? this.#open[at] : undefined
      return before === undefined ? this.#authorization() : capture(before)
    })
    this.#open = made.map((entry) => entry)
    return made.map((entry) => ({ seq: ++this.#seq, bytes: encodeEntry(entry) }))
  }

  #authorization(): DecisionEntry {
    const card = this.#cards[Math.floor(Math.random() * this.#cards.length)] as CardRow
    const now = systemClock.nowMs()
    const id = newId('msg', now)
    const like = decisionEntry({
      transactionId: newId('txn', now),
      receivedAtMs: now,
      trace: TRACE,
    })
    if (like.card === null || like.effect === null) throw new Error('an entry has a card')
    return {
      ...like,
      message: { ...like.message, id, networkTransactionId: id, originalNetworkTransactionId: id },
      card: {
        ...like.card,
        tenantId: card.tenant_id,
        programId: card.program_id,
        cardholderId: card.cardholder_id,
        cardId: card.id,
      },
      decision: { ...like.decision, decidedAtMs: now },
      effect: { ...like.effect, holdExpiresAtMs: now + HOLD_MS },
    }
  }
}

/** A final capture of the whole amount; for a captured entry it is one more capture. */
function capture(before: DecisionEntry): DecisionEntry {
  const { effect, message } = before
  if (effect === null) throw new Error('an entry has an effect')
  return {
    ...before,
    trace: [],
    message: { ...message, id: newId('msg', before.receivedAtMs), kind: 'capture', final: true },
    decision: {
      ...before.decision,
      ...{ decidedBy: 'network', tenant: null, standInWould: null, meters: [] },
    },
    effect: {
      ...effect,
      sequence: effect.sequence + 1,
      event: 'captured',
      sums: { ...noSums(), authorized: CENTS, captured: effect.sums.captured + CENTS },
      flags: TRANSACTION_FLAGS.final,
      holdExpiresAtMs: 0,
    },
  }
}
