// The holder approves a withdrawal. First the funds that the engine may approve are lowered; when
// the engine knows them, everything that it approved before is counted; then the money leaves.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { PaymentWithdrawal } from '../../../shared/schemas/payment-withdrawal.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Context } from '../../context.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { isAnswered, write } from '../../write/write.ts'
import { chainIdOf, type Hex } from '../chain/hex.ts'
import { NO_ADDRESS } from '../chain/holder-account.ts'
import type { Assertion } from '../chain/terms.ts'
import type { WithdrawalTerms } from '../chain/withdrawal-terms.ts'
import { recordLeaving } from '../ledger/index.ts'
import { type AssertionSource, checkChallenge, type StoredAssertion } from '../passkeys/approval.ts'
import type { SentAssertion } from '../passkeys/assertion.ts'
import { findAccount, lockAccount } from '../payment-accounts/index.ts'
import { requireAvailable, requireWithdrawable } from './create.ts'
import {
  findWithdrawal,
  isUnderWay,
  lockAnyWithdrawal,
  readFreeCents,
  saveFailure,
  saveLeaving,
  saveWithdrawal,
} from './store.ts'
import { statusAt, type WithdrawalRow, withdrawalView } from './view.ts'

/** The parts of the process that confirming a withdrawal uses. */
export interface ConfirmWithdrawalPorts {
  publicUrl: string
  /** The contract's own check; null where no RPC answers. */
  isReleasable(
    environment: Environment,
    withdrawal: WithdrawalTerms,
    assertion: Assertion,
  ): Promise<boolean | null>
  /** True when the engine knows every change up to the transaction. */
  waitUntilEngineCovers(xid: bigint): Promise<boolean>
}

/** The assertion through the API; the hosted page does the same. */
export async function confirmWithdrawal(
  context: Context,
  { id, assertion }: { id: string; assertion: SentAssertion },
  ports: ConfirmWithdrawalPorts,
): Promise<PaymentWithdrawal> {
  const { sql, principal, now, call } = context
  const answered = await isAnswered(sql, context)
  const found = answered ? null : await findWithdrawal(sql, principal, id)
  const source = { address: call.clientAddress, userAgent: null }
  const checked =
    found === null ? null : await checkWithdrawal(sql, found, { assertion, source, now, ports })
  const view = await write(context, async (inner) => {
    if (checked === null) throw new Refusal('resource_missing')
    return withdrawalView(await beginLeaving(inner, id, { checked, now }), now)
  })
  await finishCheck(sql, id, { ports, now: now - (found?.clockOffsetMs ?? 0) })
  return view
}

/** Refuses with 409 invalid_state, or with 400 assertion_invalid and the check that failed. */
export async function checkWithdrawal(
  sql: Sql,
  withdrawal: WithdrawalRow,
  input: {
    assertion: SentAssertion
    source: AssertionSource
    now: EpochMs
    ports: ConfirmWithdrawalPorts
  },
): Promise<StoredAssertion> {
  const { ports, now } = input
  requireState(statusAt(withdrawal, now), ['needs_confirmation'])
  const key = await findAccount(sql, withdrawal, withdrawal.paymentAccountId)
  assert(key?.publicX != null && key.publicY !== null, 'a withdrawal has an enrolled account')
  const terms: WithdrawalTerms = {
    id: chainIdOf(withdrawal.id),
    x: `0x${key.publicX.toString('hex')}`,
    y: `0x${key.publicY.toString('hex')}`,
    recovery: (key.recoveryAddress ?? NO_ADDRESS) as Hex,
    amount: unitsOfCents(withdrawal.amountCents),
    to: withdrawal.recipient as Hex,
  }
  const of = { key, challenge: withdrawal.hash }
  return checkChallenge(of, { ...input, publicUrl: ports.publicUrl }, (encoded) =>
    ports.isReleasable(withdrawal.environment, terms, encoded),
  )
}

/**
 * Lowers what the engine may approve. Refuses with 409 a second withdrawal on its way, and more
 * than is available. `now` by the tenant's clock.
 */
export async function beginLeaving(
  sql: TxSql,
  id: string,
  { checked, now }: { checked: StoredAssertion; now: EpochMs },
): Promise<WithdrawalRow> {
  const held = await lockAnyWithdrawal(sql, id)
  if (held === null) throw new Refusal('resource_missing')
  requireState(statusAt(held, now), ['needs_confirmation'])
  const { paymentAccountId, amountCents } = held
  const account = await lockAccount(sql, held, paymentAccountId)
  assert(account !== null, 'a payment account does not vanish')
  requireWithdrawable(account)
  if (await isUnderWay(sql, paymentAccountId))
    throw new Refusal('invalid_state', {
      message: 'Another withdrawal of this account is on its way.',
      extra: { current_status: held.status },
    })
  await requireAvailable(sql, account, amountCents)
  await saveLeaving(sql, paymentAccountId, amountCents)
  await sql`select pg_notify('svc_config', '')`
  return saveWithdrawal(sql, id, { status: 'checking', assertion: checked, confirmedAt: now })
}

/**
 * Counts what the engine has approved, once it knows the lower funds: the withdrawal goes to the
 * chain, or fails with amount_not_available. Does nothing while the engine is away: the job asks
 * again. `now` by the installation's clock.
 */
export async function finishCheck(
  sql: Sql,
  id: string,
  { ports, now }: { ports: Pick<ConfirmWithdrawalPorts, 'waitUntilEngineCovers'>; now: EpochMs },
): Promise<void> {
  const [row] = await sql<{ xid: string }[]>`
    select pg_current_xact_id()::text as xid, pg_notify('svc_config', '')
    from payment_withdrawals where id = ${id} and status = 'checking'`
  if (row === undefined || !(await ports.waitUntilEngineCovers(BigInt(row.xid)))) return
  await tx(sql, async (inner) => {
    const held = await lockAnyWithdrawal(inner, id)
    if (held?.status !== 'checking') return
    const { paymentAccountId, amountCents, tenantId, environment, chainId } = held
    const account = await lockAccount(inner, held, paymentAccountId)
    assert(account !== null, 'a payment account does not vanish')
    const at = now + held.clockOffsetMs
    if ((await readFreeCents(inner, account)) < 0) {
      await saveLeaving(inner, paymentAccountId, -amountCents)
      const failure = { stage: 'check', code: 'amount_not_available' } as const
      await saveFailure(inner, id, { failure, now: at })
      await inner`select pg_notify('svc_config', '')`
      return
    }
    const entry = { tenantId, environment, chainId, now: at }
    await recordLeaving(inner, entry, { paymentAccountId, cents: amountCents, causeId: id })
    await saveWithdrawal(inner, id, { status: 'pending' })
  })
}
