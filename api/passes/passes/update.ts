// Changes passes, one or up to a hundred in the same few statements. Spec 6.2, pass.updated.
import { isDeepStrictEqual } from 'node:util'
import { assert } from '../../../shared/assert.ts'
import type { Lane } from '../../../shared/event-catalog.ts'
import {
  mergedValues,
  type Pass,
  type PassChange,
  type PassUpdate,
} from '../../../shared/schemas/pass.ts'
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import type { Context } from '../../context.ts'
import { parseFilterInstant } from '../../database/created-filter.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { erasedAmong, erasedRefusal } from '../../write/erased.ts'
import { requireState } from '../../write/move.ts'
import { changedTenantFields } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { findContents } from '../templates/index.ts'
import { momentsOf, nextVersion } from './change.ts'
import { takeExternalId } from './create.ts'
import { attempt, type Outcome, soleOutcome } from './outcome.ts'
import { type Cards, requireCard, requireFit } from './require.ts'
import { ALONE, CHANGEABLE_IN, recordPassChanges } from './states.ts'
import { lockPasses } from './store.ts'
import { type PassContext, type PassRow, passView } from './view.ts'
import { lockCards, lockExternalIds, pushToWallets, savePasses } from './write-store.ts'

export async function updatePass(
  context: PassContext,
  id: string,
  change: PassChange,
): Promise<Pass> {
  return write(context, async (sql) =>
    soleOutcome(await changePasses(sql, context, [{ ...change, id }], ALONE)),
  )
}

/** Changes passes in the caller's transaction. A refused pass does not affect the others. */
export async function changePasses(
  sql: TxSql,
  context: PassContext,
  updates: readonly PassUpdate[],
  lane: Lane,
): Promise<Outcome[]> {
  const { principal, publicUrl } = context
  const changing = await heldFor(sql, context, updates)
  const planned = updates.map((update) => attempt(() => changed(context, changing, update)))
  const changes = planned.flatMap((plan) =>
    'value' in plan && plan.value.before !== plan.value.after ? [plan.value] : [],
  )
  await savePasses(
    sql,
    principal,
    changes.map(({ after }) => after),
  )
  const seen = changes.filter(({ before, after }) => before.changedAt !== after.changedAt)
  const { installationNow } = momentsOf(context)
  await pushToWallets(
    sql,
    seen.map(({ after }) => after),
    installationNow,
  )
  const told = changes.map(({ before, after }) => ({
    before: passView(before, publicUrl),
    after: passView(after, publicUrl),
  }))
  await recordPassChanges(sql, context, { lane, changes: told })
  return planned.map((plan) =>
    'refusal' in plan ? plan : { pass: passView(plan.value.after, publicUrl) },
  )
}

interface Changing {
  taken: Map<string, string>
  cards: Cards
  passes: ReadonlyMap<string, PassRow>
  /** Contents by `template version`. */
  contents: ReadonlyMap<string, PassContent>
  /** Cards of the passes whose person is erased. */
  erased: ReadonlySet<string>
  /** Passes of this call that were already checked. */
  seen: Set<string>
}

/** Locks cards before passes, in the order that the end of a card uses. */
async function heldFor(
  sql: TxSql,
  { principal }: Context,
  updates: readonly PassUpdate[],
): Promise<Changing> {
  const externalIds = updates.flatMap(({ external_id: externalId }) =>
    externalId ? [externalId] : [],
  )
  const named = updates.flatMap(({ card_id: card }) => (card ? [card] : []))
  const taken = await lockExternalIds(sql, principal, externalIds)
  const cards = await lockCards(sql, principal, named)
  const ids = updates.map(({ id }) => id)
  const passes = await lockPasses(sql, principal, ids)
  const versions = [...passes.values()].map((pass) => ({
    templateId: pass.templateId,
    version: pass.templateVersion,
  }))
  const contents = await findContents(sql, versions)
  const held = [...passes.values()].flatMap(({ cardId }) => (cardId === null ? [] : [cardId]))
  const erased = await erasedAmong(sql, principal, held)
  return { taken, cards, passes, contents, erased, seen: new Set() }
}

/**
 * `after` is `before` itself if the change has no effect: then the pass gets no version and no
 * event.
 */
function changed(
  context: PassContext,
  { taken, cards, passes, contents, erased, seen }: Changing,
  { id, ...change }: PassUpdate,
): { before: PassRow; after: PassRow } {
  const before = passes.get(id)
  if (before === undefined) throw new Refusal('resource_missing')
  if (seen.has(id))
    throw new Refusal('parameter_invalid', { param: 'id', message: 'This pass stands here twice.' })
  seen.add(id)
  if (before.cardId !== null && erased.has(before.cardId)) throw erasedRefusal()
  const shown = shownChange(before, change)
  const own = changedTenantFields(before, change)
  const shows = !isDeepStrictEqual({ ...before, ...shown }, before)
  if (!shows && isDeepStrictEqual({ ...before, ...own }, before)) return { before, after: before }

  if (shows) requireState(before.status, CHANGEABLE_IN)
  if (shown.cardId && shown.cardId !== before.cardId) requireCard(cards, shown.cardId)
  const moments = { ...momentsOf(context), seen: shows }
  const after = nextVersion(before, { ...shown, ...own }, moments)
  const content = contents.get(before.templateId + ' ' + before.templateVersion)
  assert(content !== undefined, 'a version of a template never goes')
  if (shows) requireFit(content, after)
  takeExternalId(taken, after)
  return { before, after }
}

/**
 * Returns the pass as a wallet would show it. Chosen: only the tenant fields of a revoked pass
 * may change.
 */
function shownChange(
  before: PassRow,
  change: PassChange,
): Pick<PassRow, 'holderName' | 'values' | 'cardId' | 'expiresAt'> {
  const { holder_name, values, card_id, expires_at } = change
  const merged = mergedValues(before.values, values)
  if (merged === null)
    throw new Refusal('parameter_invalid', {
      param: 'values',
      message: 'There would be more values than fit. Remove some with null.',
    })
  const expiresAt = expires_at === undefined ? before.expiresAt : (expires_at ?? null)
  return {
    holderName: holder_name === undefined ? before.holderName : holder_name,
    values: merged,
    cardId: card_id === undefined ? before.cardId : card_id,
    expiresAt: typeof expiresAt === 'string' ? parseFilterInstant(expiresAt) : expiresAt,
  }
}
