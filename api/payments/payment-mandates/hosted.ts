// A mandate on its hosted page: the holder sees its terms, and approves or denies it. The address
// is the secret.
import { hash } from 'node:crypto'
import { assert } from '../../../shared/assert.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import type { ConfirmPorts } from '../passkeys/approval.ts'
import type { SentAssertion } from '../passkeys/assertion.ts'
import { auditHolder, findAccount, type HolderCall } from '../payment-accounts/index.ts'
import { findPayee, type Payee } from '../settlement-accounts/index.ts'
import { checkMandate, saveApproved } from './confirm.ts'
import { findByConfirmation, findMandate, lockMandate, saveMandate } from './store.ts'
import type { MandateRow } from './view.ts'

/** The parts of the process that the page of a mandate uses. */
export interface HostedMandatePorts extends ConfirmPorts {
  sql: Sql
}

/** The mandate as the page shows it. */
export interface HostedMandate {
  mandate: MandateRow
  payee: Pick<Payee, 'name' | 'address'>
  tenantName: string
  credentialId: Buffer
  /** True while the holder may still decide. */
  open: boolean
}

/** Null where the link is unknown or was replaced. */
export async function openMandate(
  sql: SqlTag,
  { handle, now }: Pick<HolderCall, 'handle' | 'now'>,
): Promise<HostedMandate | null> {
  const found = await findByConfirmation(sql, hash('sha256', handle, 'buffer'))
  if (found === null) return null
  const { id, clockOffsetMs, tenantName } = found
  const mandate = await findMandate(sql, found, { id, now: now + clockOffsetMs })
  assert(mandate !== null, 'a mandate does not vanish')
  const payee = await findPayee(sql, mandate, mandate.settlementAccountId)
  const account = await findAccount(sql, mandate, mandate.paymentAccountId)
  assert(payee !== null && account?.credentialId != null, 'a whole mandate')
  const open = mandate.status === 'pending'
  return { mandate, payee, tenantName, credentialId: account.credentialId, open }
}

/** Refuses like the same call of the API; the mandate stays as it is where a check fails. */
export async function approveMandate(
  ports: HostedMandatePorts,
  call: HolderCall,
  assertion: SentAssertion,
): Promise<void> {
  const { sql } = ports
  const { mandate } = await requireMandate(sql, call)
  const { id } = mandate
  const source = { address: call.clientAddress, userAgent: call.userAgent }
  const checked = await checkMandate(sql, mandate, { assertion, source, ports })
  const now = call.now + mandate.clockOffsetMs
  await tx(
    sql,
    async (inner) => {
      const saved = await saveApproved(inner, { mandate, checked, now })
      await auditHolder(inner, saved, call, { action: 'holder approves a mandate', id })
    },
    call,
  )
}

/** Chosen: anyone with the page's address may deny without a passkey, as with a payment. */
export async function denyMandate({ sql }: HostedMandatePorts, call: HolderCall): Promise<void> {
  const { mandate } = await requireMandate(sql, call)
  const { id, clockOffsetMs } = mandate
  const now = call.now + clockOffsetMs
  await tx(
    sql,
    async (inner) => {
      const held = await lockMandate(inner, mandate, { id, now })
      assert(held !== null, 'a mandate does not vanish')
      requireState(held.status, ['pending'])
      const saved = await saveMandate(inner, mandate, { id, now, status: 'revoked' })
      await auditHolder(inner, saved, call, { action: 'holder denies a mandate', id })
    },
    call,
  )
}

async function requireMandate(sql: SqlTag, call: HolderCall): Promise<HostedMandate> {
  const hosted = await openMandate(sql, call)
  if (hosted === null) throw new Refusal('resource_missing')
  return hosted
}
