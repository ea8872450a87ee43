// The job that fetches rung objects. A callback that came twice, late or in the wrong order leads
// to the same fetch, and each fetch saves the object as it is now.
import type { EpochMs } from '../../../shared/clock.ts'
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
import { answerBell, type ClaimedBell, claimBells, putOffBell } from './bells.ts'

const EVERY_MS = 500
/** Longer than the calls of a fetch take at most. */
const LEASE_MS = 120_000
const BATCH = 10

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
    async run(run) {
      const { sql, now, leaseMs, batch: most } = run
      const bells = await claimBells(sql, { now, leaseMs, most })
      await Promise.all(bells.map((bell) => fetchOne(run, bell, { processors, fetchers })))
      return bells.length
    },
  }
}

async function fetchOne(
  { sql, now, log }: JobRun,
  bell: ClaimedBell,
  { processors, fetchers }: { processors: Processors; fetchers: Fetchers },
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
