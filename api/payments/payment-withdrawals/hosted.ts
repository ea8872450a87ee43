// A withdrawal on its hosted page: the holder sees amount and address, and approves or denies it.
import { hash } from 'node:crypto'
import { assert } from '../../../shared/assert.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import type { SentAssertion } from '../passkeys/assertion.ts'
import { auditHolder, findAccount, type HolderCall } from '../payment-accounts/index.ts'
import {
  beginLeaving,
  type ConfirmWithdrawalPorts,
  checkWithdrawal,
  finishCheck,
} from './confirm.ts'
import { findByConfirmation, lockAnyWithdrawal, saveWithdrawal } from './store.ts'
import { statusAt, type WithdrawalRow } from './view.ts'

/** The parts of the process that the page of a withdrawal uses. */
export interface HostedWithdrawalPorts extends ConfirmWithdrawalPorts {
  sql: Sql
}

/** The withdrawal as the page shows it. */
export interface HostedWithdrawal {
  withdrawal: WithdrawalRow
  tenantName: string
  credentialId: Buffer
  /** True while the holder may still decide. */
  open: boolean
}

/** Null where the link is unknown or was replaced. */
export async function openWithdrawal(
  sql: SqlTag,
  { handle, now }: Pick<HolderCall, 'handle' | 'now'>,
): Promise<HostedWithdrawal | null> {
  const found = await findByConfirmation(sql, hash('sha256', handle, 'buffer'))
  if (found === null) return null
  const { withdrawal, tenantName } = found
  const account = await findAccount(sql, withdrawal, withdrawal.paymentAccountId)
  assert(account?.credentialId != null, 'a withdrawal has an enrolled account')
  const open = statusAt(withdrawal, now + withdrawal.clockOffsetMs) === 'needs_confirmation'
  return { withdrawal, tenantName, credentialId: account.credentialId, open }
}

/** Refuses like the same call of the API; the withdrawal stays as it is where a check fails. */
export async function approveWithdrawal(
  ports: HostedWithdrawalPorts,
  call: HolderCall,
  assertion: SentAssertion,
): Promise<void> {
  const { sql } = ports
  const { withdrawal } = await requireHosted(sql, call)
  const { id } = withdrawal
  const source = { address: call.clientAddress, userAgent: call.userAgent }
  const now = call.now + withdrawal.clockOffsetMs
  const checked = await checkWithdrawal(sql, withdrawal, { assertion, source, now, ports })
  await tx(
    sql,
    async (inner) => {
      const saved = await beginLeaving(inner, id, { checked, now })
      await auditHolder(inner, saved, call, { action: 'holder approves a withdrawal', id })
    },
    call,
  )
  await finishCheck(sql, id, { ports, now: call.now })
}

/** Chosen: anyone with the page's address may deny without a passkey, as with a payment. */
export async function denyWithdrawal(
  { sql }: Pick<HostedWithdrawalPorts, 'sql'>,
  call: HolderCall,
): Promise<void> {
  const { withdrawal } = await requireHosted(sql, call)
  const { id, clockOffsetMs } = withdrawal
  await tx(
    sql,
    async (inner) => {
      const held = await lockAnyWithdrawal(inner, id)
      assert(held !== null, 'a withdrawal does not vanish')
      requireState(statusAt(held, call.now + clockOffsetMs), ['needs_confirmation'])
      await saveWithdrawal(inner, id, { status: 'canceled' })
      await auditHolder(inner, held, call, { action: 'holder denies a withdrawal', id })
    },
    call,
  )
}

async function requireHosted(sql: SqlTag, call: HolderCall): Promise<HostedWithdrawal> {
  const hosted = await openWithdrawal(sql, call)
  if (hosted === null) throw new Refusal('resource_missing')
  return hosted
}
