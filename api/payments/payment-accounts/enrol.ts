// Enrols the passkey of a payment account: it commands the account on the chain from then on.
import { createHash, hash } from 'node:crypto'
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { Wait } from '../../database/database-watchdog.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { partyOf } from '../../http/relying-party.ts'
import { appendAudit } from '../../write/audit.ts'
import type { ChainPort } from '../chain/chain-config.ts'
import { holderAddress, NO_ADDRESS } from '../chain/holder-account.ts'
import { type Registration, readRegistration } from '../passkeys/registration.ts'
import { requireChain } from '../require-payments.ts'
import { type Enrolling, findEnrolling, isPasskeyUsed, saveEnrolled } from './store.ts'

/** The parts of the process that the enrolment page uses. */
export interface EnrolmentPorts extends ChainPort {
  sql: Sql
  publicUrl: string
  waitUntilEngineCovers: (xid: bigint) => Promise<boolean>
}

/** A holder's call through the hosted page. */
export interface HolderCall {
  /** Secret part of the page's address. */
  handle: string
  /** Installation time. */
  now: EpochMs
  clientAddress: string | null
  userAgent: string | null
  requestId: string
  /** The page's wait for the database: nothing commits once it is over. */
  wait: Wait | null
}

/** The account that the page is for; null where the link is unknown, used or too old. */
export async function openEnrolment(
  sql: SqlTag,
  { handle, now }: Pick<HolderCall, 'handle' | 'now'>,
): Promise<(Enrolling & { challenge: Buffer }) | null> {
  const account = await findEnrolling(sql, hash('sha256', handle, 'buffer'))
  if (account === null || account.expiresAt <= now + account.clockOffsetMs) return null
  return { ...account, challenge: challengeOf(handle) }
}

/** A link is used once, so its own challenge cannot be replayed. */
function challengeOf(handle: string): Buffer {
  return createHash('sha256').update('svc enrolment ').update(handle).digest()
}

/**
 * Refuses with 404 a link that leads nowhere, with 400 assertion_invalid a registration that fails
 * a check, with 409 passkey_in_use a passkey of another account. Returns when the engine knows the
 * account, or after a second.
 */
export async function enrolPasskey(
  { sql, chains, publicUrl, waitUntilEngineCovers }: EnrolmentPorts,
  call: HolderCall,
  registration: Registration,
): Promise<void> {
  const xid = await tx(
    sql,
    async (inner) => {
      const account = await openEnrolment(inner, call)
      if (account === null) throw new Refusal('resource_missing')
      const { challenge } = account
      const read = await readRegistration(registration, { challenge, party: partyOf(publicUrl) })
      if (!read.ok) throw new Refusal('assertion_invalid', { extra: { reason: read.error } })
      const chain = requireChain(chains, account.environment)
      assert(
        chain.chainId === account.chainId,
        'an account belongs to the chain of its environment',
      )
      const { x, y } = read.value
      if (await isPasskeyUsed(inner, account.environment, { x, y }))
        throw new Refusal('passkey_in_use')
      const address = holderAddress(chain.settlement, {
        x: `0x${x.toString('hex')}`,
        y: `0x${y.toString('hex')}`,
        recovery: (account.recoveryAddress ?? NO_ADDRESS) as `0x${string}`,
      })
      const now = call.now + account.clockOffsetMs
      const saved = await saveEnrolled(inner, { id: account.id, address, ...read.value, now })
      if (!saved) throw new Refusal('resource_missing')
      await auditHolder(inner, account, call, { action: 'holder enrols a passkey', id: account.id })
      return tellEngine(inner)
    },
    call,
  )
  await waitUntilEngineCovers(xid)
}

/** Wakes the link to the engine; the transaction's id is the one to wait for. */
async function tellEngine(sql: TxSql): Promise<bigint> {
  const [row] = await sql<{ xid: string }[]>`
    select pg_current_xact_id()::text as xid, pg_notify('svc_config', '')`
  return BigInt(row?.xid ?? 0)
}

/** The audit row of a holder's own action. */
export async function auditHolder(
  sql: TxSql,
  account: Pick<Enrolling, 'tenantId' | 'environment' | 'cardholderId' | 'clockOffsetMs'>,
  call: HolderCall,
  { action, id }: { action: string; id: string },
): Promise<void> {
  const { tenantId, environment, cardholderId, clockOffsetMs } = account
  await appendAudit(sql, {
    id: newId('aud', call.now),
    tenantId,
    environment,
    createdAt: call.now + clockOffsetMs,
    actorType: 'holder',
    actorId: cardholderId,
    action,
    resourceId: id,
    requestId: call.requestId,
    address: call.clientAddress,
  })
}
