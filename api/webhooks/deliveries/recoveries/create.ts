// Starts to send a range of events to an endpoint again, or returns their number.
import type { EpochMs } from '../../../../shared/clock.ts'
import type { Metadata } from '../../../../shared/schemas/tenant-fields.ts'
import type {
  Recovered,
  WebhookRecovery,
  WebhookRecoveryCount,
} from '../../../../shared/schemas/webhook-recovery.ts'
import type { Context } from '../../../context.ts'
import { parseFilterInstant } from '../../../database/created-filter.ts'
import type { TxSql } from '../../../database/transaction.ts'
import { Refusal } from '../../../http/refusal.ts'
import { requireState } from '../../../write/move.ts'
import { requireFreeExternalId } from '../../../write/tenant-fields.ts'
import { write } from '../../../write/write.ts'
import { findEndpoint, lockEndpoint } from '../../endpoints/index.ts'
import { SENT_TO } from '../states.ts'
import type { Wanted } from './matching.ts'
import { countWanted, findRunning, insertRecovery } from './store.ts'
import { recoveryView } from './view.ts'

export interface CreateRecovery {
  since: string
  until?: string
  which: Recovered
  event_types?: readonly string[]
  dry_run?: boolean
  external_id?: string
  metadata?: Metadata
}

/**
 * Chosen: one recovery at a time per endpoint, and a disabled endpoint must be enabled first; a dry
 * run is always allowed.
 */
export async function createRecovery(
  context: Context,
  asked: CreateRecovery & { endpointId: string },
): Promise<WebhookRecovery | WebhookRecoveryCount> {
  const id = context.newId('rcv')
  return write<WebhookRecovery | WebhookRecoveryCount>(context, (sql) =>
    asked.dry_run === true ? count(sql, context, asked) : begin(sql, context, { ...asked, id }),
  )
}

type Asked = CreateRecovery & { endpointId: string }

/** The range includes both ends. */
function rangeOf({ now }: Context, asked: Asked): { since: EpochMs; until: EpochMs } {
  const since = parseFilterInstant(asked.since) ?? 0
  const until = asked.until === undefined ? now : (parseFilterInstant(asked.until) ?? 0)
  if (until >= since) return { since, until }
  const param = asked.until === undefined ? 'since' : 'until'
  const message = 'since is later than ' + (asked.until === undefined ? 'now.' : 'until.')
  throw new Refusal('parameter_invalid', { param, message })
}

async function count(sql: TxSql, context: Context, asked: Asked): Promise<WebhookRecoveryCount> {
  const { principal } = context
  const endpoint = await findEndpoint(sql, principal, asked.endpointId)
  if (endpoint === null) throw new Refusal('resource_missing')
  const { matched, atLeast } = await countWanted(sql, wantedOf(context, asked, endpoint))
  return {
    object: 'webhook_recovery_count',
    livemode: principal.environment === 'live',
    endpoint_id: endpoint.id,
    matched,
    at_least: atLeast,
  }
}

async function begin(
  sql: TxSql,
  context: Context,
  asked: Asked & { id: string },
): Promise<WebhookRecovery> {
  const { principal, now } = context
  const { id, external_id: externalId = null, metadata = {} } = asked
  await requireFreeExternalId(sql, principal, { table: 'recoveries', externalId, id })
  const endpoint = await lockEndpoint(sql, principal, asked.endpointId)
  if (endpoint === null) throw new Refusal('resource_missing')
  requireState(endpoint.status, SENT_TO)
  const running = await findRunning(sql, principal, endpoint.id)
  if (running !== null)
    throw new Refusal('invalid_state', {
      message: 'A recovery of this endpoint is running. Wait until it is over, or cancel it.',
      extra: { resource_id: running },
    })
  const wanted = wantedOf(context, asked, endpoint)
  return recoveryView(
    await insertRecovery(sql, { id, wanted, tenantFields: { externalId, metadata }, now }),
  )
}

function wantedOf(context: Context, asked: Asked, endpoint: Wanted['endpoint']): Wanted {
  const { which, event_types: eventTypes = null } = asked
  const owner = context.principal
  const { clockOffsetMs } = owner
  return { owner, endpoint, which, eventTypes, clockOffsetMs, ...rangeOf(context, asked) }
}
