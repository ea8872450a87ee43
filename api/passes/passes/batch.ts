// Calls about many passes: each pass succeeds or fails alone, and each has its result. Spec 4.2 and
// 8.
import type { TSchema } from 'typebox'
import { type PassBatch, PassInput, PassUpdate } from '../../../shared/schemas/pass.ts'
import type { TxSql } from '../../database/transaction.ts'
import { createValidators, schemaRefusal } from '../../http/gates/validate.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { issuePasses } from './create.ts'
import { batchView, type Outcome } from './outcome.ts'
import { revokePasses } from './revoke.ts'
import { IN_BULK } from './states.ts'
import { changePasses } from './update.ts'
import type { PassContext } from './view.ts'

const VALIDATORS = createValidators()

/** Chosen: a malformed part is refused alone, like an impossible one. */
function checkedBy<Item>(
  schema: TSchema,
): (item: unknown) => { item: Item } | { refusal: Refusal } {
  const validate = VALIDATORS.compile({ schema })
  return (item) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      return { refusal: NO_OBJECT }
    // The validator checked the item against the schema.
    if (validate(item)) return { item: item as Item }
    return { refusal: schemaRefusal(validate.errors ?? [], 'body') }
  }
}

const NO_OBJECT = new Refusal('parameter_invalid', { message: 'Each of them is a JSON object.' })

const inputOf = checkedBy<PassInput>(PassInput)
const updateOf = checkedBy<PassUpdate>(PassUpdate)

type Checked<Item> = ReturnType<ReturnType<typeof checkedBy<Item>>>
type Work<Item> = (sql: TxSql, items: readonly Item[]) => Promise<Outcome[]>

export async function createBatch(
  context: PassContext,
  items: readonly unknown[],
): Promise<PassBatch> {
  return inBatch(context, items.map(inputOf), (sql, inputs) =>
    issuePasses(sql, context, inputs, IN_BULK),
  )
}

export async function updateBatch(
  context: PassContext,
  items: readonly unknown[],
): Promise<PassBatch> {
  return inBatch(context, items.map(updateOf), (sql, updates) =>
    changePasses(sql, context, updates, IN_BULK),
  )
}

export async function revokeBatch(
  context: PassContext,
  { ids, reason }: { ids: readonly string[]; reason: string },
): Promise<PassBatch> {
  const items = ids.map((item) => ({ item }))
  return inBatch(context, items, (sql, named) =>
    revokePasses(sql, context, { ids: named, reason, lane: IN_BULK }),
  )
}

async function inBatch<Item>(
  context: PassContext,
  checked: readonly Checked<Item>[],
  work: Work<Item>,
): Promise<PassBatch> {
  return write(context, async (sql) => {
    const items = checked.flatMap((one) => ('item' in one ? [one.item] : []))
    const outcomes = (await work(sql, items)).values()
    const all = checked.map((one): Outcome => {
      if ('refusal' in one) return one
      const outcome = outcomes.next()
      if (outcome.done) throw new Error('a part of a batch has no outcome')
      return outcome.value
    })
    return batchView(context.principal, all)
  })
}
