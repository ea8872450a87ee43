// One connection between Postgres and the engine, from the attach to the first failure of either
// side. The session closes everything it opened, so that the next one starts from the state that
// both sides report.
import { type Clock, sleep } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { FIRST_SHARD } from '../../shared/shards.ts'
import type { StatusAnswer } from '../../shared/wire/control.ts'
import type { AwaitedMigrations } from '../database/awaited-migrations.ts'
import { withDeadline } from '../database/deadline.ts'
import { openPool, poolSize, type Sql } from '../database/pool.ts'
import type { Job } from '../jobs/job.ts'
import type { JobRunner } from '../jobs/run-jobs.ts'
import { createSignal } from '../jobs/signal.ts'
import type { Traces } from '../tracing/span.ts'
import type { EngineClient } from './client.ts'
import { countCardsJob } from './count-cards.ts'
import { endHoldsJobs } from './end-holds.ts'
import { keepLead, type Lead, takeLead } from './lead.ts'
import type { PaymentsPort } from './payments-port.ts'
import { pullJournal } from './pull-journal.ts'
import { purgeVersionsJob } from './purge-versions.ts'
import { pushConfig } from './push-config.ts'
import { renewIdentity } from './renew-identity.ts'
import { databaseClockJob } from './tell-database-clock.ts'

const QUERY_MS_MAX = 10_000
const ENGINE_POLL_MS = 100
const MIGRATIONS_POLL_MS = 250
const DEAF_POLL_MS = 1000
/** Facts, changes, drain, holds, the clock and old versions; LISTEN takes one more by itself. */
const CONNECTIONS_MAX = 7
const CLOSE_S_MAX = 1

export interface SessionParts {
  databaseUrl: string
  /** Most connections of the session's pool; null: as many as it wants. */
  connectionsMax: number | null
  /** The shard of the engine. */
  shard: string
  client: EngineClient
  clock: Clock
  /** Whether this process may believe its own clock. */
  watch: { readonly agrees: boolean }
  log: Logger
  /** Runs the link's own jobs. */
  jobs: JobRunner
  migrations: Pick<AwaitedMigrations, 'missing'>
  payments: PaymentsPort
  /** Absent: off. */
  traces?: Traces | undefined
  /** Called when this process became the leader, and when the engine accepted the database. */
  onLead(): void
  onAttached(): void
}

/**
 * The engine's sentence for the operator: the engine refuses this database until an operator
 * decides.
 */
export class AttachRefused extends Error {
  override readonly name = 'AttachRefused'
}

/** Resolves when the signal aborts; rejects with the first failure. */
export async function runSession(parts: SessionParts, signal: AbortSignal): Promise<void> {
  const { databaseUrl, client } = parts
  await engineAnswers(client, signal)
  await migrationsThere(parts, signal)
  // The commit of a drain that relies on synchronous replication must not be cut short, so the
  // server sets no timeout here: every wait has its own deadline, and the end of the session closes
  // the connections.
  const options = { statementTimeoutMs: 0, lockTimeoutMs: 0 }
  const leading = openPool(databaseUrl, { ...options, max: 1, applicationName: 'svc-link-lead' })
  const sql = openPool(databaseUrl, {
    ...options,
    max: poolSize(CONNECTIONS_MAX, parts.connectionsMax),
    applicationName: 'svc-link',
    byIndex: true,
  })
  const ended = new AbortController()
  const both = AbortSignal.any([signal, ended.signal])
  let loops: readonly Promise<void>[] = []
  try {
    const { member_id: memberId } = await client.status()
    const lead = await takeLead(leading, memberId ?? lockName(parts.shard), both)
    if (lead === null) return
    parts.onLead()
    loops = await startLoops(parts, { sql, lead }, both)
    await Promise.race(loops)
  } finally {
    ended.abort()
    // Closing the connections ends a loop that waits for a hung database.
    const closed = Promise.allSettled([
      sql.end({ timeout: CLOSE_S_MAX }),
      leading.end({ timeout: CLOSE_S_MAX }),
    ])
    await Promise.allSettled([closed, ...loops])
  }
}

async function engineAnswers(client: EngineClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await client.status()
      return
    } catch {
      await sleep(ENGINE_POLL_MS, signal)
    }
  }
}

/**
 * This code reads columns that an older database lacks. A waiting session holds no resources, and
 * logs once.
 */
async function migrationsThere({ migrations }: SessionParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await withDeadline(migrations.missing(), QUERY_MS_MAX)) !== null)
    await sleep(MIGRATIONS_POLL_MS, signal)
}

async function startLoops(
  parts: SessionParts,
  { sql, lead }: { sql: Sql; lead: Lead },
  signal: AbortSignal,
): Promise<readonly Promise<void>[]> {
  const { client, clock, log } = parts
  const status = await client.status()
  if (await renewIdentity(sql, status))
    log.warn('the database was put back from an older copy: the engine gets all facts anew')
  const { databaseId, drainedSeq } = await attach(sql, parts, status)
  parts.onAttached()
  const wake = createSignal(clock)
  signal.addEventListener('abort', () => wake.raise(), { once: true })
  // NOTIFY only wakes: the announced data is read from the tables, and the poll finds it without
  // NOTIFY.
  await withDeadline(
    sql.listen(
      'svc_config',
      () => wake.raise(),
      () => wake.raise(),
    ),
    QUERY_MS_MAX,
  )
  const cursor = status.database_id === databaseId ? status.facts_cursor : null
  const pushing = [
    keepLead(lead, signal),
    pushConfig({ sql, client, databaseId, wake }, cursor, signal),
  ]
  if (status.is_door === true) return pushing
  return [
    ...pushing,
    parts.jobs.run(
      // The engine needs the database's clock most while this process does not trust its own.
      ofShard(parts.shard, [databaseClockJob(client)]),
      { sql, clock, log, watch: { agrees: true } },
      signal,
    ),
    ...(status.member_id === null
      ? drainLoops(parts, { sql, journalId: status.journal_id, drainedSeq }, signal)
      : [drainAsLeader(parts, { sql, journalId: status.journal_id }, signal)]),
  ]
}

/** The loops that one process runs for a whole journal. */
function drainLoops(
  { client, clock, watch, log, jobs, payments, traces, shard }: SessionParts,
  { sql, journalId, drainedSeq }: { sql: Sql; journalId: string; drainedSeq: number },
  signal: AbortSignal,
): readonly Promise<void>[] {
  return [
    pullJournal({ sql, client, clock, log, journalId, payments, traces }, drainedSeq, signal),
    jobs.run(
      ofShard(shard, [
        ...endHoldsJobs({ client, watch, shard }),
        purgeVersionsJob(client, shard),
        countCardsJob(shard),
      ]),
      { sql, clock, log, watch: { agrees: true } },
      signal,
    ),
  ]
}

/**
 * Each member of a shard has a session, and one of them drains the journal that all members hold:
 * the one with the lock of the drain.
 */
async function drainAsLeader(
  parts: SessionParts,
  { sql, journalId }: { sql: Sql; journalId: string },
  signal: AbortSignal,
): Promise<void> {
  const draining = openPool(parts.databaseUrl, {
    statementTimeoutMs: 0,
    lockTimeoutMs: 0,
    max: 1,
    applicationName: 'svc-link-drain',
  })
  const ended = new AbortController()
  const both = AbortSignal.any([signal, ended.signal])
  let loops: readonly Promise<void>[] = []
  const useful = (): Promise<boolean> => mayDrain(parts, { sql, journalId })
  try {
    while (!both.aborted && !(await useful())) await sleep(DEAF_POLL_MS, both)
    const lead = await takeLead(draining, lockName(parts.shard), both)
    if (lead === null) return
    const drainedSeq = await drainedTo(sql, journalId)
    const leaves = async (): Promise<void> => {
      while (!both.aborted && (await useful())) await sleep(DEAF_POLL_MS, both)
    }
    loops = [
      keepLead(lead, both),
      leaves(),
      ...drainLoops(parts, { sql, journalId, drainedSeq }, both),
    ]
    await Promise.race(loops)
  } finally {
    ended.abort()
    await Promise.allSettled([draining.end({ timeout: CLOSE_S_MAX }), ...loops])
  }
}

/** False for a member without news of its shard that has given everything it has. */
async function mayDrain(
  { client }: SessionParts,
  { sql, journalId }: { sql: Sql; journalId: string },
): Promise<boolean> {
  const { hears = true, synced_seq: syncedSeq } = await client.status()
  return hears || syncedSeq > (await drainedTo(sql, journalId))
}

async function drainedTo(sql: Sql, journalId: string): Promise<number> {
  const [cursor] = await withDeadline(
    sql<{ seq: number }[]>`select seq from journal_cursor where journal_id = ${journalId}`,
    QUERY_MS_MAX,
  )
  if (cursor === undefined) throw new Error('the database follows another journal')
  return cursor.seq
}

/** The lock of a shard's only engine, or of its drain; null: that of every release. */
function lockName(shard: string): string | null {
  return shard === FIRST_SHARD ? null : 'shard ' + shard
}

/** The jobs of a shard beyond the first one carry its name, in logs and metrics. */
function ofShard(shard: string, jobs: readonly Job[]): readonly Job[] {
  if (shard === FIRST_SHARD) return jobs
  return jobs.map((job) => ({ ...job, name: job.name + '_' + shard }))
}

/**
 * Introduces the database to the engine. Rejects with AttachRefused when their histories do not
 * fit.
 */
async function attach(
  sql: Sql,
  { client, shard }: SessionParts,
  { journal_id: journalId, is_door: isDoor = false }: StatusAnswer,
): Promise<{ databaseId: string; drainedSeq: number }> {
  const [known] = await withDeadline(
    sql<{ database_id: string; journal_id: string | null; seq: number | null }[]>`
      select database_identity() as database_id, c.journal_id, c.seq
      from (select 1) as always left join journal_cursor c on c.shard = ${shard} and not ${isDoor}
    `,
    QUERY_MS_MAX,
  )
  if (known === undefined) throw new Error('the database does not say who it is')
  const { database_id: databaseId, journal_id: drainedId, seq } = known
  const answer = await client.attach({
    database_id: databaseId,
    journal: drainedId === null || seq === null ? null : { journal_id: drainedId, seq },
  })
  if (!answer.attached) throw new AttachRefused(answer.refused)
  if (drainedId === null && !isDoor)
    await withDeadline(
      sql`insert into journal_cursor (one, shard, journal_id, seq)
        values (${shard === FIRST_SHARD ? true : null}, ${shard}, ${journalId}, 0)
        on conflict do nothing`,
      QUERY_MS_MAX,
    )
  return { databaseId, drainedSeq: seq ?? 0 }
}
