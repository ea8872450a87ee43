// The job that fetches rung objects. A callback that came twice, late or in the wrong order leads
// to the same fetch, and each fetch saves the object as it is now.
import type { Clock, EpochMs } from '../../../shared/clock.ts'
import type { Logger } from '../../../shared/log.ts'
import type { Result } from '../../../shared/result.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Sql } from '../../database/pool.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import { type CustomerRow, findCustomer, findCustomerOf, isEnsured } from '../customers/index.ts'
import { findMethodOf, syncMethods } from '../payment-methods/index.ts'
import {
  backoffMs,
  type Processor,
  type ProcessorFailure,
  type Processors,
} from '../processor/index.ts'
import { answerBell, type ClaimedBell, claimBells, isInvoice, putOffBell } from './bells.ts'

/** Chosen: a person who paid waits for an approval no longer than a second. */
const EVERY_MS = 250
/** Longer than a run claims bells, and the calls of its last fetch take. */
const LEASE_MS = 240_000
/** Longer than the calls of a fetch take at most. */
const CLAIM_MS = 120_000
/** A run claims no further bell after this, 100 s. */
const RUN_NS_MAX = 100e9
/** Fetches of invoices at once. */
const BATCH = 6
/** Chosen: fetches of customers and their cards at once; they never take an invoice's place. */
const OTHERS_MAX = 4
/** With those of all jobs, a fetch of a loaded installation waited for a second and more. */
const CONNECTIONS = 3

export interface Fetch {
  sql: Sql
  log: Logger
  processor: Processor
  environment: Environment
  objectId: string
  /** Installation time. */
  now: EpochMs
}

/** Saves an object as it is at the processor. Objects that we do not know are left alone. */
export type FetchObject = (fetch: Fetch) => Promise<Result<unknown, ProcessorFailure>>

const NOTHING = { ok: true, value: null } as const

/** Fetches by the prefix of the object's id. */
export type Fetchers = { readonly [prefix: string]: FetchObject }

export const METHOD_FETCHERS: Fetchers = {
  async cus({ sql, processor, environment, objectId, now }) {
    const customer = await findCustomerOf(sql, environment, objectId)
    return synced(sql, processor, { customer, now })
  },
  async pm({ sql, processor, environment, objectId, now }) {
    const method = await processor.readMethod(objectId)
    if (!method.ok) return method
    const known = await findMethodOf(sql, environment, objectId)
    const { customer: processorId } = method.value
    const customer =
      processorId === null
        ? known && (await findCustomer(sql, known))
        : await findCustomerOf(sql, environment, processorId)
    return synced(sql, processor, { customer, now })
  },
}

async function synced(
  sql: Sql,
  processor: Processor,
  { customer, now }: { customer: CustomerRow | null; now: EpochMs },
): Promise<Result<unknown, ProcessorFailure>> {
  if (customer === null || !isEnsured(customer)) return NOTHING
  return syncMethods(sql, processor, { customer, now })
}

export function fetchBells(processors: Processors, fetchers: Fetchers): Job {
  return {
    name: 'billing_bells',
    every: EVERY_MS,
    lease: LEASE_MS,
    batch: BATCH,
    connections: CONNECTIONS,
    run: (run) => fetchAll(run, { processors, fetchers }),
  }
}

interface FetchWith {
  processors: Processors
  fetchers: Fetchers
}

/**
 * Fetches bells until none is due. A fetch that hangs keeps its own place only: bells that ring
 * meanwhile are claimed as before. Invoices have places of their own: somebody who paid does not
 * wait behind many cards.
 */
async function fetchAll(run: JobRun, given: FetchWith): Promise<number> {
  const { sql, clock, signal, batch } = run
  const beganNs = clock.monotonicNs()
  const places = { invoices: new Set<Promise<void>>(), others: new Set<Promise<void>>() }
  const failures: unknown[] = []
  let claimed = 0
  for (;;) {
    const elapsedNs = clock.monotonicNs() - beganNs
    const now = run.now + Math.floor(elapsedNs / 1e6)
    const isOver = signal.aborted || failures.length > 0 || elapsedNs > RUN_NS_MAX
    const most = {
      invoices: isOver ? 0 : batch - places.invoices.size,
      others: isOver ? 0 : OTHERS_MAX - places.others.size,
    }
    const isFull = most.invoices + most.others === 0
    const bells = isFull ? [] : await claimBells(sql, { now, leaseMs: CLAIM_MS, most })
    for (const bell of bells) {
      const running = isInvoice(bell) ? places.invoices : places.others
      const fetching = fetchOne({ ...run, now }, bell, given)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(fetching))
      running.add(fetching)
    }
    claimed += bells.length
    const running = [...places.invoices, ...places.others]
    if (running.length === 0) break
    if (bells.length === 0) await firstOf(running, clock)
  }
  if (failures.length > 0) throw failures[0]
  return claimed
}

/** Resolves when a fetch ends, and in time for the next bell. */
async function firstOf(running: readonly Promise<void>[], clock: Clock): Promise<void> {
  let timer: { cancel(): void } | undefined
  const tick = new Promise<void>((resolve) => {
    timer = clock.after(EVERY_MS, resolve)
  })
  await Promise.race([...running, tick])
  timer?.cancel()
}

/** A bell whose fetch throws is put off like one that the processor does not answer. */
async function fetchOne(run: JobRun, bell: ClaimedBell, given: FetchWith): Promise<void> {
  try {
    await fetchObject(run, bell, given)
  } catch (error) {
    const { sql, now, log } = run
    const { environment, objectId: object_id, failures } = bell
    log.error({ environment, object_id, err: error }, 'a fetched object cannot be saved')
    await putOffBell(sql, bell, now + backoffMs({ kind: 'unknown', problem: 'ours' }, failures))
  }
}

async function fetchObject(
  { sql, now, log }: JobRun,
  bell: ClaimedBell,
  { processors, fetchers }: FetchWith,
): Promise<void> {
  const { environment, objectId } = bell
  const processor = processors[environment]
  const fetch = fetchers[objectId.slice(0, objectId.indexOf('_'))]
  const isOurs = processor !== null && fetch !== undefined
  const given = isOurs ? await fetch({ sql, log, processor, environment, objectId, now }) : NOTHING
  // An object that the processor does not know has nothing to save.
  if (given.ok || given.error.kind === 'refused') return answerBell(sql, bell, now)
  const { kind } = given.error
  const named = { environment, object_id: objectId, kind, failures: bell.failures + 1 }
  if (kind === 'closed') log.error(named, 'the payment processor does not accept our key')
  else log.warn(named, 'an object of the payment processor cannot be fetched yet')
  await putOffBell(sql, bell, now + backoffMs(given.error, bell.failures))
}
