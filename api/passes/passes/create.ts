// Issues passes from their templates, one or up to a hundred in the same few statements. Spec 6.2,
// pass.created.
import { assert } from '../../../shared/assert.ts'
import type { Lane } from '../../../shared/event-catalog.ts'
import type { Pass, PassInput } from '../../../shared/schemas/pass.ts'
import { parseFilterInstant } from '../../database/created-filter.ts'
import { openPassKeys, type PassKeys } from '../../database/derivation.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { takeFromCap } from '../../platform/tenants/index.ts'
import { write } from '../../write/write.ts'
import { type IssuableTemplate, lockIssuable } from '../templates/index.ts'
import { momentsOf } from './change.ts'
import { attempt, type Outcome, soleOutcome } from './outcome.ts'
import { payloadOf } from './payload.ts'
import { type Cards, requireCard, requireFit } from './require.ts'
import { ALONE, recordPassEvents } from './states.ts'
import { type PassContext, type PassRow, passView } from './view.ts'
import { insertPasses, lockCards, lockExternalIds } from './write-store.ts'

/** An archived template issues no passes (409). Spec 2.4. */
export async function createPass(context: PassContext, input: PassInput): Promise<Pass> {
  return write(context, async (sql) => soleOutcome(await issuePasses(sql, context, [input], ALONE)))
}

/** Issues passes in the caller's transaction. A refused pass does not affect the others. */
export async function issuePasses(
  sql: TxSql,
  context: PassContext,
  inputs: readonly PassInput[],
  lane: Lane,
): Promise<Outcome[]> {
  const { principal } = context
  const externalIds = inputs.flatMap(({ external_id: id }) => (id === undefined ? [] : [id]))
  const named = inputs.flatMap(({ card_id: id }) => (id === undefined ? [] : [id]))
  const issuing = {
    taken: await lockExternalIds(sql, principal, externalIds),
    templates: await lockIssuable(
      sql,
      principal,
      inputs.map(({ template_id }) => template_id),
    ),
    cards: await lockCards(sql, principal, named),
    keys: await openPassKeys(sql, context),
  }
  const planned = inputs.map((input) => attempt(() => newPass(context, issuing, input)))
  const rows = planned.flatMap((plan) => ('value' in plan ? [plan.value] : []))
  await takeFromCap(sql, principal, { cap: 'passes_issued', units: rows.length })
  await insertPasses(sql, principal, rows)
  const passes = rows.map((row) => passView(row, context.publicUrl))
  await recordPassEvents(sql, context, { type: 'pass.created', lane, passes })
  const made = passes.values()
  return planned.map((plan) => {
    if ('refusal' in plan) return plan
    const { value: pass } = made.next()
    assert(pass !== undefined, 'every row is a pass')
    return { pass }
  })
}

interface Issuing {
  /** External ids in use, with their passes, including passes of this call. */
  taken: Map<string, string>
  templates: ReadonlyMap<string, IssuableTemplate>
  cards: Cards
  keys: PassKeys
}

function newPass(context: PassContext, issuing: Issuing, input: PassInput): PassRow {
  const { now, principal } = context
  const template = issuing.templates.get(input.template_id)
  if (template === undefined) throw new Refusal('resource_missing', { param: 'template_id' })
  if (template.status === 'archived')
    throw new Refusal('template_archived', { param: 'template_id' })
  const cardId = input.card_id ?? null
  if (cardId !== null) requireCard(issuing.cards, cardId)
  const id = context.newId('pass')
  const row: PassRow = {
    id,
    environment: principal.environment,
    status: 'active',
    templateId: template.id,
    templateVersion: template.version,
    version: 1,
    platform: null,
    holderName: input.holder_name ?? null,
    values: input.values ?? {},
    cardId,
    expiresAt: input.expires_at === undefined ? null : parseFilterInstant(input.expires_at),
    redeemedAt: null,
    payload: payloadOf(issuing.keys, id),
    revokeReason: null,
    createdAt: now,
    updatedAt: now,
    changedAt: momentsOf(context).installationNow,
    externalId: input.external_id ?? null,
    metadata: input.metadata ?? {},
  }
  requireFit(template.content, row)
  takeExternalId(issuing.taken, row)
  return row
}

/** Refuses (409) an external id of another pass, including one of the same call. */
export function takeExternalId(taken: Map<string, string>, { id, externalId }: PassRow): void {
  if (externalId === null) return
  const holder = taken.get(externalId)
  if (holder !== undefined && holder !== id)
    throw new Refusal('already_exists', { param: 'external_id', extra: { resource_id: holder } })
  taken.set(externalId, id)
}
