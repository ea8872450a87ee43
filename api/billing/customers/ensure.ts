// Makes a tenant's customer at the processor, once. The row is committed before the call, so an
// unanswered call is looked for before it is repeated.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Result } from '../../../shared/result.ts'
import type { Owner } from '../../context.ts'
import type { Sql } from '../../database/pool.ts'
import type { Processor, ProcessorFailure } from '../processor/index.ts'
import { type CustomerRow, findCustomer, insertCustomer, saveProcessorId } from './store.ts'

/** Chosen: the processor's clock may be behind ours by this much. */
const CLOCK_SKEW_MS = 3_600_000

/** A customer that the processor knows. */
export interface EnsuredCustomer extends CustomerRow {
  processorId: string
}

export async function ensureCustomer(
  sql: Sql,
  processor: Processor,
  { owner, newId, now }: { owner: Owner; newId: (prefix: string) => string; now: EpochMs },
): Promise<Result<EnsuredCustomer, ProcessorFailure>> {
  const known = await findCustomer(sql, owner)
  if (known !== null && isEnsured(known)) return { ok: true, value: known }
  const row = known ?? (await insertCustomer(sql, owner, { id: newId('bcus'), now }))
  if (row === null) return { ok: false, error: { kind: 'unknown', problem: 'no_row' } }
  if (isEnsured(row)) return { ok: true, value: row }
  const sinceS = Math.floor((row.createdAt - CLOCK_SKEW_MS) / 1000)
  const found = known === null ? null : await processor.findCustomer(row.id, sinceS)
  if (found?.ok === false) return found
  const made = found?.value ?? null
  const given =
    made === null
      ? await processor.createCustomer(owner, row.id)
      : ({ ok: true, value: made } as const)
  if (!given.ok) return given
  await saveProcessorId(sql, row, given.value.id)
  return { ok: true, value: { ...row, processorId: given.value.id } }
}

/** True where the processor knows the customer. */
export function isEnsured(row: CustomerRow): row is EnsuredCustomer {
  return row.processorId !== null
}
