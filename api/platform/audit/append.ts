// Adds rows to the audit log, in the transaction of the change they describe: neither is ever
// stored without the other.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { ActorType } from '../../../shared/schemas/audit-log-entry.ts'
import type { Context, OperatorContext, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { type AuditFields, chainedHash } from './chain.ts'
import { advanceHead, insertAuditRow } from './store.ts'

/**
 * Log of an operator's change that concerns no tenant. Marked as live, because live is never wiped.
 */
export const INSTALLATION_LOG: Owner = { tenantId: 'installation', environment: 'live' }

export interface AuditEntry extends Omit<AuditFields, 'seq' | 'approvedBy'> {
  /** Absent if the call needed no approval. */
  approvedBy?: string | null
}

/**
 * The log's head stays locked until the transaction ends, therefore its rows are numbered in the
 * order of their commits, without gaps. Call it last: the tenant's sequence of events is locked
 * before it, never after it.
 */
export async function appendAudit(sql: TxSql, entry: AuditEntry): Promise<void> {
  const head = await advanceHead(sql, entry)
  const row = { ...entry, approvedBy: entry.approvedBy ?? null, seq: head.seq }
  await insertAuditRow(sql, {
    ...row,
    previousHash: head.hash,
    hash: chainedHash(head.hash, row),
  })
}

/** The row of a timer's change to a tenant's resource; `now` is the installation's. */
export async function auditTimer(
  sql: TxSql,
  { tenantId, environment, clockOffsetMs }: Owner & { clockOffsetMs: number },
  { timer, resourceId, now }: { timer: string; resourceId: string; now: EpochMs },
): Promise<void> {
  await appendAudit(sql, {
    id: newId('aud', now),
    tenantId,
    environment,
    createdAt: now + clockOffsetMs,
    actorType: 'system',
    actorId: null,
    action: 'timer ' + timer,
    resourceId,
    requestId: null,
    address: null,
  })
}

/** The part of a context that the log needs, for any caller. */
export type AuditedCall = Pick<
  Context,
  'requestId' | 'operation' | 'clientAddress' | 'factor' | 'now' | 'newId'
> &
  (Pick<Context, 'principal'> | Pick<OperatorContext, 'operatorId'>)

/**
 * Appends the row of a call that changed something. The result names the resource if it has an id.
 */
export async function auditCall(sql: TxSql, context: AuditedCall, result: unknown): Promise<void> {
  const { tenantId, environment } = 'principal' in context ? context.principal : INSTALLATION_LOG
  await appendAudit(sql, {
    id: context.newId('aud'),
    tenantId,
    environment,
    createdAt: context.now,
    ...actorOf(context),
    action: context.operation,
    resourceId: idOf(result),
    requestId: context.requestId,
    address: context.clientAddress,
    approvedBy: context.factor?.approvedBy ?? null,
  })
}

function actorOf(context: AuditedCall): { actorType: ActorType; actorId: string } {
  return 'principal' in context
    ? { actorType: 'api_key', actorId: context.principal.keyId }
    : { actorType: 'operator', actorId: context.operatorId }
}

function idOf(result: unknown): string | null {
  const named = typeof result === 'object' && result !== null && 'id' in result ? result.id : null
  return typeof named === 'string' ? named : null
}
