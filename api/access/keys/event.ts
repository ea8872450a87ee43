// Records an event of an API key, as GET shows the key at this moment. The event never contains the
// secret.
import type { EpochMs } from '../../../shared/clock.ts'
import type { ApiKey } from '../../../shared/schemas/api-key.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { recordEvent } from '../../webhooks/events/index.ts'

export interface KeyEvent {
  type: 'api_key.created' | 'api_key.revoked'
  apiKey: ApiKey
  /** By the tenant's clock. */
  now: EpochMs
}

export async function recordKeyEvent(
  sql: TxSql,
  { tenantId, environment }: Owner,
  { type, apiKey, now }: KeyEvent,
): Promise<void> {
  const resourceId = apiKey.id
  const data = { api_key: apiKey }
  await recordEvent(sql, { tenantId, environment, type, resourceId, data, now })
}
