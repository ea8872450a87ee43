// The nightly comparison with the processor: invoices of 35 days, both ways, and every payment
// method. A difference of an invoice is an exception for a person; a change whose bell was lost
// rings again and mends itself.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import { findCustomerOf } from '../customers/index.ts'
import { type NewException, noteException } from '../exceptions/index.ts'
import { type CollectedInvoice, openEnvironments, type Processors } from '../processor/index.ts'
import { ring, ringCustomers } from './bells.ts'

const EVERY_MS = 60_000
const LEASE_MS = 600_000
const NIGHT_MS = 86_400_000
const WINDOW_MS = 35 * 86_400_000
/** Chosen: an invoice of the last minutes may still be on its way. */
const SETTLING_MS = 3_600_000

interface Ours {
  id: string
  tenantId: string
  status: string
  totalCents: number
  processorId: string
  placedAt: EpochMs
}

export function reconcileInvoices(processors: Processors): Job {
  const environments = openEnvironments(processors)
  return {
    ...{ name: 'billing_reconcile', every: EVERY_MS, lease: LEASE_MS, batch: environments.length },
    async run(run) {
      let work = 0
      for (const environment of environments) {
        const processor = processors[environment]
        if (processor === null || !(await claimNight(run, environment))) continue
        work += await ringCustomers(run.sql, environment, run.now)
        const listed = await processor.listInvoices(Math.floor((run.now - WINDOW_MS) / 1000))
        if (listed.ok) work += await compare(run, environment, listed.value)
        else run.log.warn({ environment }, 'invoices of the processor cannot be compared')
      }
      return work
    },
  }
}

/** True once a night for one process. */
async function claimNight(
  { sql, now }: Pick<JobRun, 'sql' | 'now'>,
  environment: Environment,
): Promise<boolean> {
  const claim = async (inner: TxSql): Promise<boolean> => {
    const claimed = await inner`
      update billing_event_lists set reconciled_at = ${now}
      where environment = ${environment}
        and (reconciled_at is null or reconciled_at <= ${now - NIGHT_MS})`
    return claimed.count > 0
  }
  return tx(sql, claim, { safeToRepeat: true })
}

async function compare(
  { sql, now }: JobRun,
  environment: Environment,
  theirs: readonly CollectedInvoice[],
): Promise<number> {
  const ours = await sql<Ours[]>`
    select invoice.id, tenant_id as "tenantId", status, total_cents as "totalCents",
      processor_id as "processorId", held.placed_at as "placedAt"
    from billing_collections held join billing_invoices invoice on invoice.id = held.invoice_id
    where environment = ${environment} and processor_id is not null
      and held.placed_at > ${now - WINDOW_MS - SETTLING_MS}`
  const known = new Map(ours.map((row) => [row.processorId, row]))
  const world = { sql, environment, now }
  let differences = 0
  for (const seen of theirs) {
    const row = known.get(seen.id)
    known.delete(seen.id)
    if (await differs(world, seen, row)) differences += 1
  }
  for (const row of known.values()) {
    const { tenantId, id: subject, placedAt } = row
    if (placedAt < now - WINDOW_MS || placedAt > now - SETTLING_MS) continue
    differences += 1
    await record(world, { tenantId, subject, kind: 'missing_invoice', detail: {} })
  }
  return differences
}

interface World {
  sql: Sql
  environment: Environment
  now: EpochMs
}

async function differs(
  world: World,
  seen: CollectedInvoice,
  row: Ours | undefined,
): Promise<boolean> {
  const { sql, environment, now } = world
  const { status, total, currency } = seen
  const detail = { status, total, currency }
  if (row === undefined) {
    const customer = await findCustomerOf(sql, environment, seen.customer)
    // An invoice that names ours is being made; another account's customer is none of ours.
    if (customer === null || seen.ours !== null) return false
    const { tenantId } = customer
    await record(world, { tenantId, subject: seen.id, kind: 'unknown_invoice', detail })
    return true
  }
  const { id: subject, tenantId } = row
  if (total !== row.totalCents && status !== 'draft') {
    await record(world, { tenantId, subject, kind: 'wrong_total', detail })
    return true
  }
  if (status === row.status || status === 'draft') return false
  // Given up here, and not marked there yet.
  if (row.status === 'uncollectible' && status === 'open') return false
  const isPaidLate = row.status === 'uncollectible' && status === 'paid'
  if (row.status === 'open' || isPaidLate) {
    const bell = { id: 'night_' + seen.id + '_' + now, type: 'invoice.paid', objectId: seen.id }
    await ring(sql, environment, bell, now)
    return true
  }
  await record(world, { tenantId, subject, kind: 'status_differs', detail })
  return true
}

async function record(
  { sql, environment, now }: World,
  made: Omit<NewException, 'environment' | 'now'>,
): Promise<void> {
  await noteException(sql, { ...made, environment, now })
}
