// States of a template, and the event of each change.
import { assert } from '../../../shared/assert.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import type { PassTemplate } from '../../../shared/schemas/pass-template.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import type { Move } from '../../write/move.ts'
import { findTemplate } from './store.ts'
import { templateView } from './view.ts'

export const TEMPLATE_MOVES = {
  archive: { from: ['active'], to: 'archived', event: 'pass_template.archived' },
} as const satisfies Record<string, Move<PassTemplate['status']>>

/**
 * Records the event in the transaction of the change, which locks the template. Returns the
 * template as the event shows it.
 */
export async function recordTemplateEvent(
  sql: TxSql,
  { principal, now }: Pick<Context, 'principal' | 'now'>,
  { id, type }: { id: string; type: EventType },
): Promise<PassTemplate> {
  const { tenantId, environment } = principal
  const row = await findTemplate(sql, principal, id)
  assert(row !== null, 'a template that is held does not vanish')
  const shown = templateView(row)
  const data = { pass_template: shown }
  await recordEvent(sql, { tenantId, environment, type, resourceId: id, data, now })
  return shown
}
