// Links a row of the audit log to the one before it: its hash is SHA-256 over the previous row's
// hash and its own fields, in a single encoding. Changing, removing or moving any row breaks every
// later hash.
import { hash } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import type { ActorType } from '../../../shared/schemas/audit-log-entry.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

/** Part of the hashed text: another encoding gets another number. */
const ENCODING = 1

/** The hash before the first row of a log. */
export const CHAIN_START = Buffer.alloc(32)

export interface AuditFields {
  id: string
  tenantId: string
  environment: Environment
  seq: number
  createdAt: EpochMs
  actorType: ActorType
  actorId: string | null
  action: string
  resourceId: string | null
  requestId: string | null
  address: string | null
  approvedBy: string | null
}

/**
 * A JSON array of the fields in this order, without spaces: strings, whole numbers and null have
 * one spelling in it.
 */
export function chainedHash(previousHash: Uint8Array, row: AuditFields): Buffer {
  const text = JSON.stringify([
    ENCODING,
    row.tenantId,
    row.environment,
    row.seq,
    row.id,
    row.createdAt,
    row.actorType,
    row.actorId,
    row.action,
    row.resourceId,
    row.requestId,
    row.address,
    row.approvedBy,
  ])
  return hash('sha256', Buffer.concat([previousHash, Buffer.from(text)]), 'buffer')
}
