// The job that reads the processor's list of events: a callback that was lost rings here.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'
import { openEnvironments, type Processor, type Processors } from '../processor/index.ts'
import { RINGING, ring } from './bells.ts'

const EVERY_MS = 10_000
const LEASE_MS = 240_000
const LIST_MS = 300_000
/** Chosen: events become visible late, and clocks differ. */
const OVERLAP_MS = 600_000
/** Chosen: the first list goes back as far. */
const FIRST_MS = 3 * 86_400_000
/** Longer than a callback is repeated, and than any list goes back. */
const KEPT_MS = 40 * 86_400_000

export function listProcessorEvents(processors: Processors): Job {
  const environments = openEnvironments(processors)
  return {
    name: 'billing_events',
    every: EVERY_MS,
    lease: LEASE_MS,
    batch: environments.length,
    async run({ sql, now, leaseMs, log }) {
      let rung = 0
      for (const environment of environments) {
        const processor = processors[environment]
        const claim = { environment, now, leaseMs }
        const readUntil = processor === null ? null : await claimList(sql, claim)
        if (processor === null || readUntil === null) continue
        const given = await ringListed(sql, processor, { environment, readUntil, now })
        if (given === null) log.warn({ environment }, 'events of the processor cannot be listed')
        else rung += given
      }
      return rung
    },
  }
}

/** Returns the number of events that no callback told; null where the list cannot be had. */
async function ringListed(
  sql: Sql,
  processor: Processor,
  { environment, readUntil, now }: { environment: Environment; readUntil: EpochMs; now: EpochMs },
): Promise<number | null> {
  const sinceS = Math.floor((readUntil - OVERLAP_MS) / 1000)
  const listed = await processor.listEvents(RINGING, sinceS)
  if (!listed.ok) return null
  let rung = 0
  for (const event of listed.value) if (await ring(sql, environment, event, now)) rung += 1
  const save = (inner: TxSql) => inner`
    update billing_event_lists set read_until = ${now}, due_at = ${now + LIST_MS}
    where environment = ${environment}`
  await tx(sql, save, { safeToRepeat: true })
  return rung
}

/** Claims the list of an environment until the lease ends; null while it is not due. */
async function claimList(
  sql: Sql,
  { environment, now, leaseMs }: { environment: Environment; now: EpochMs; leaseMs: number },
): Promise<EpochMs | null> {
  const claim = async (inner: TxSql): Promise<EpochMs | null> => {
    await inner`
      insert into billing_event_lists (environment, read_until, due_at)
      values (${environment}, ${now - FIRST_MS}, ${now})
      on conflict do nothing`
    const [row] = await inner<{ readUntil: EpochMs }[]>`
      update billing_event_lists set due_at = ${now + leaseMs}
      where environment = ${environment} and due_at <= ${now}
      returning read_until as "readUntil"`
    return row?.readUntil ?? null
  }
  return tx(sql, claim, { safeToRepeat: true })
}

/** Events are forgotten long after the processor repeats or lists them. */
export const purgeProcessorEvents: Job = {
  name: 'purge_billing_events',
  every: 60_000,
  lease: 60_000,
  batch: 1000,
  async run({ sql, now, batch }) {
    const purged = await tx(
      sql,
      (inner) => inner`
        delete from billing_processor_events where (environment, id) in (
          select environment, id from billing_processor_events
          where seen_at < ${now - KEPT_MS} order by seen_at limit ${batch} for update skip locked
        )`,
      { safeToRepeat: true },
    )
    return purged.count
  },
}
