// Adds rows to the audit log, in the transaction of the change they record: neither is ever there
// without the other. A row hangs on the one before it: its hash is SHA-256 over the previous row's
// hash and its own fields, written in one way only. A change of any row breaks every later hash.
import { hash } from 'node:crypto'
import { assert } from '../../shared/assert.ts'
import type { EpochMs } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import type { ActorType } from '../../shared/schemas/audit-log-entry.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import { authorOf, type Call, type Context, type OperatorContext, type Owner } from '../context.ts'
import { sendLate } from '../database/late-statements.ts'
import type { TxSql } from '../database/transaction.ts'
import type { ApprovedCall } from './approval.ts'
import { type Evidence, evidenceHash, insertEvidence } from './evidence.ts'
import type { SecondOperator } from './second-operator.ts'

/** Part of the hashed text: another encoding gets another number. */
const ENCODING = 1
/** The encoding of a row with evidence: the hash of the evidence ends the text. */
const EVIDENCE_ENCODING = 2

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
  /** SHA-256 of the evidence of a passkey's approval; null without a passkey. */
  evidenceHash: Buffer | null
}

/**
 * SHA-256 over the previous hash and a JSON array of the fields in this order, without spaces:
 * strings, whole numbers and null have one spelling in it.
 */
export function chainedHash(previousHash: Uint8Array, row: AuditFields): Buffer {
  const [before, after] = chainedText(row)
  const text = Buffer.from(before + row.seq + after)
  return hash('sha256', Buffer.concat([previousHash, text]), 'buffer')
}

/** The JSON before and after the row's number. */
function chainedText(row: Omit<AuditFields, 'seq'>): [before: string, after: string] {
  const encoding = row.evidenceHash === null ? ENCODING : EVIDENCE_ENCODING
  const before = JSON.stringify([encoding, row.tenantId, row.environment])
  const after = JSON.stringify([
    row.id,
    row.createdAt,
    row.actorType,
    row.actorId,
    row.action,
    row.resourceId,
    row.requestId,
    row.address,
    row.approvedBy,
    ...(row.evidenceHash === null ? [] : [row.evidenceHash.toString('hex')]),
  ])
  return [before.slice(0, -1) + ',', ',' + after.slice(1)]
}

export interface AuditRow extends AuditFields {
  previousHash: Buffer
  hash: Buffer
}

export interface AuditHead {
  seq: number
  hash: Buffer
}

/**
 * Adds the row behind the head of its log, and makes it the head. Locks the head until the
 * transaction ends. False where the log has no head yet.
 */
async function insertAuditRow(sql: TxSql, row: Omit<AuditFields, 'seq'>): Promise<boolean> {
  const { tenantId, environment } = row
  const [before, after] = chainedText(row)
  const moved = await sql`
    with head as materialized (
      select seq + 1 as seq, hash from audit_heads
      where tenant_id = ${tenantId} and environment = ${environment} for update
    ),
    added as (
      insert into audit_log (
        id, tenant_id, environment, seq, created_at, actor_type, actor_id, action, resource_id,
        request_id, address, approved_by, evidence_hash, previous_hash, hash
      )
      select ${row.id}, ${tenantId}, ${environment}, seq, ${row.createdAt},
        ${row.actorType}, ${row.actorId}, ${row.action}, ${row.resourceId},
        ${row.requestId}, ${row.address}, ${row.approvedBy}, ${row.evidenceHash}, hash,
        sha256(hash || convert_to(${before}::text || seq || ${after}::text, 'UTF8'))
      from head
      returning seq, hash
    )
    update audit_heads h set seq = added.seq, hash = added.hash
    from added where h.tenant_id = ${tenantId} and h.environment = ${environment}`
  return moved.count > 0
}

/**
 * Log of an operator's change that concerns no tenant. Marked as live, because live is never wiped.
 */
export const INSTALLATION_LOG: Owner = { tenantId: 'installation', environment: 'live' }

export interface AuditEntry extends Omit<AuditFields, 'seq' | 'approvedBy' | 'evidenceHash'> {
  /** Absent if the call needed no approval. */
  approvedBy?: string | null
  /** Evidence of the approval, if it was given by a passkey. */
  evidence?: Evidence | null
}

/**
 * The log's head stays locked until the transaction ends, therefore its rows are numbered in the
 * order of their commits, without gaps. Call it last: the tenant's sequence of events is locked
 * before it, never after it. Late statements of the transaction are sent before it.
 */
export async function appendAudit(sql: TxSql, entry: AuditEntry): Promise<void> {
  const { evidence = null, approvedBy = null, ...fields } = entry
  const row = { ...fields, approvedBy, evidenceHash: evidence && evidenceHash(evidence) }
  await Promise.all([
    sendLate(sql),
    appendRow(sql, row),
    ...(evidence === null ? [] : [insertEvidence(sql, { auditId: entry.id, evidence })]),
  ])
}

async function appendRow(sql: TxSql, row: Omit<AuditFields, 'seq'>): Promise<void> {
  if (await insertAuditRow(sql, row)) return
  const { tenantId, environment } = row
  await sql`
    insert into audit_heads (tenant_id, environment, seq, hash)
    values (${tenantId}, ${environment}, 0, ${CHAIN_START}) on conflict do nothing`
  assert(await insertAuditRow(sql, row), 'a log with a head takes a row')
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
export type AuditedCall = Pick<Context, 'requestId' | 'now' | 'newId'> & {
  call: Pick<Call, 'operation' | 'clientAddress'> & {
    factor: Pick<ApprovedCall, 'approvedBy' | 'evidence'> | null
    secondOperator?: Pick<SecondOperator, 'approvedBy'> | undefined
  }
} & (Pick<Context, 'principal'> | Pick<OperatorContext, 'operatorId'>)

/**
 * Appends the row of a call that changed something. The result names the resource if it has an id.
 * The second operator stands as the approver; the first one, who proved the call, as its actor.
 */
export async function auditCall(sql: TxSql, context: AuditedCall, result: unknown): Promise<void> {
  const { tenantId, environment } = 'principal' in context ? context.principal : INSTALLATION_LOG
  await appendAudit(sql, {
    id: context.newId('aud'),
    tenantId,
    environment,
    createdAt: context.now,
    ...actorOf(context),
    action: context.call.operation,
    resourceId: idOf(result),
    requestId: context.requestId,
    address: context.call.clientAddress,
    approvedBy: context.call.secondOperator?.approvedBy ?? context.call.factor?.approvedBy ?? null,
    evidence: context.call.factor?.evidence ?? null,
  })
}

function actorOf(context: AuditedCall): { actorType: ActorType; actorId: string } {
  return 'principal' in context
    ? { actorType: context.principal.credential.kind, actorId: authorOf(context.principal) }
    : { actorType: 'operator', actorId: context.operatorId }
}

function idOf(result: unknown): string | null {
  const named = typeof result === 'object' && result !== null && 'id' in result ? result.id : null
  return typeof named === 'string' ? named : null
}

/**
 * An operator's action on a tenant is in the tenant's audit log too, and the tenant sees its
 * author. The operators' own log covers all their actions and is written with every call. Call this
 * function last in the transaction of the action: the tenant's sequence of events is locked before
 * its log.
 */
export async function auditOperator(
  sql: TxSql,
  context: OperatorContext,
  { tenantId, environment }: Owner,
  resourceId: string,
): Promise<void> {
  await appendAudit(sql, {
    id: context.newId('aud'),
    tenantId,
    environment,
    createdAt: context.now,
    actorType: 'operator',
    actorId: context.operatorId,
    action: context.call.operation,
    resourceId,
    requestId: context.requestId,
    // A tenant does not see an operator's address.
    address: null,
  })
}

/** Chosen: actions on the tenant as a whole are in its live log, which is never wiped. */
export function wholeTenant(tenantId: string): Owner {
  return { tenantId, environment: 'live' }
}
