// Begins a withdrawal: an amount that a holder takes out of a payment account. Nothing moves before
// the holder approves it with the passkey.
import { hash } from 'node:crypto'
import { randomSecret } from '../../../shared/id.ts'
import type { PaymentWithdrawal } from '../../../shared/schemas/payment-withdrawal.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Context, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireUnerasedPerson } from '../../write/erased.ts'
import { requireState } from '../../write/move.ts'
import { requireFreeExternalId } from '../../write/tenant-fields.ts'
import { isAnswered, write } from '../../write/write.ts'
import type { ChainPort } from '../chain/chain-config.ts'
import { bytesOfHex, type Hex } from '../chain/hex.ts'
import { withdrawalHash } from '../chain/withdrawal-terms.ts'
import {
  findAccount,
  lockAccount,
  type PaymentAccountRow,
  requireTogether,
} from '../payment-accounts/index.ts'
import { requireChain, requirePayments } from '../require-payments.ts'
import { payeeProblem } from '../settlement-accounts/index.ts'
import { insertWithdrawal, lockWithdrawal, readFreeCents, saveWithdrawal } from './store.ts'
import { statusAt, withdrawalView } from './view.ts'

/** The parts of the process that withdrawals use. */
export interface WithdrawalPorts extends ChainPort {
  /** Base URL of the hosted pages, without a slash at its end. */
  publicUrl: string
  /** The nonce of an account's next withdrawal; null where no RPC answers. */
  withdrawalNonce(environment: Environment, account: Hex): Promise<number | null>
  /** Told of each link that waits for a holder; answers to nothing. */
  tellHolder(environment: Environment, url: string): void
}

const HANDLE_BYTES = 32

export interface WithdrawalInput {
  paymentAccountId: string
  amountCents: number
  /** The address that is paid. */
  recipient: string
  /** Seconds that the holder has to approve. */
  confirmationExpiresIn: number
  externalId: string | null
  metadata: Metadata
}

/**
 * Refuses with 400 address_refused an address at which the money would be lost, with 409 more than
 * is available, and with 503 while no RPC tells the account's nonce.
 */
export async function createWithdrawal(
  context: Context,
  input: WithdrawalInput,
  ports: WithdrawalPorts,
): Promise<PaymentWithdrawal> {
  const { sql, principal, now } = context
  const { paymentAccountId, amountCents, recipient, externalId, metadata } = input
  const isRepeat = await isAnswered(sql, context)
  const before = isRepeat ? null : await findAccount(sql, principal, paymentAccountId)
  // A foreign account reads the same with and without a chain.
  if (before === null && !isRepeat) throw new Refusal('resource_missing')
  const chain = requireChain(ports.chains, principal.environment)
  const account = before?.address as Hex | null | undefined
  const nonce = account ? await ports.withdrawalNonce(principal.environment, account) : 0
  const withdrawal = await write(context, async (inner) => {
    await requirePayments(inner, principal)
    const held = await requireAccount(inner, principal, paymentAccountId)
    if (nonce === null)
      throw new Refusal('dependency_unavailable', {
        message: 'No RPC of the chain answers. Repeat the call.',
      })
    const problem = await payeeProblem(inner, recipient, chain)
    if (problem !== null)
      throw new Refusal('address_refused', { param: 'to_address', extra: { reason: problem } })
    await requireAvailable(inner, held, amountCents)
    const id = context.newId('wdr')
    await requireFreeExternalId(inner, principal, { table: 'payment_withdrawals', externalId, id })
    const terms = { account: held.address as Hex, to: recipient as Hex, nonce }
    const amount = unitsOfCents(amountCents)
    const { link, url } = newLink(ports.publicUrl)
    const { chainId } = chain
    const row = await insertWithdrawal(inner, principal, {
      ...{ id, paymentAccountId, chainId, amountCents, recipient, nonce, externalId, metadata },
      hash: bytesOfHex(withdrawalHash({ ...terms, chainId, amount })),
      confirmationHash: link,
      confirmationExpiresAt: now + input.confirmationExpiresIn * 1000,
      createdAt: now,
    })
    return withdrawalView(row, now, url)
  })
  const { url } = withdrawal.confirmation
  if (url !== null) ports.tellHolder(principal.environment, url)
  return withdrawal
}

/**
 * Chosen: a tenant's suspension stops payments and never the holder's own money; an account whose
 * ledger differs from the chain waits for an operator.
 */
export function requireWithdrawable(account: PaymentAccountRow): void {
  requireTogether(account)
  requireState(account.status, [
    ...(['active', 'suspended'] as const),
    // Money that arrived behind the close.
    ...(account.address === null ? [] : (['closed'] as const)),
  ])
}

/** The account, locked. */
async function requireAccount(sql: TxSql, owner: Owner, id: string): Promise<PaymentAccountRow> {
  const account = await lockAccount(sql, owner, id)
  if (account === null) throw new Refusal('resource_missing')
  requireWithdrawable(account)
  if (account.status === 'closed') await requireUnerasedPerson(sql, owner, id)
  return account
}

/** The account is locked. */
export async function requireAvailable(
  sql: TxSql,
  account: PaymentAccountRow,
  amountCents: number,
): Promise<void> {
  const available = Math.max(0, await readFreeCents(sql, account))
  if (amountCents <= available) return
  throw new Refusal('amount_not_available', { extra: { available_cents: available } })
}

/** Makes a fresh link to the hosted page; an earlier one leads nowhere any more. */
export async function linkWithdrawal(
  context: Context,
  id: string,
  { publicUrl }: Pick<WithdrawalPorts, 'publicUrl'>,
): Promise<PaymentWithdrawal> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const withdrawal = await lockWithdrawal(sql, principal, id)
    if (withdrawal === null) throw new Refusal('resource_missing')
    requireState(statusAt(withdrawal, now), ['needs_confirmation'])
    const { link, url } = newLink(publicUrl)
    return withdrawalView(await saveWithdrawal(sql, id, { confirmationHash: link }), now, url)
  })
}

/** Nothing leaves any more; a withdrawal that the holder has approved goes on. */
export async function cancelWithdrawal(context: Context, id: string): Promise<PaymentWithdrawal> {
  const { principal, now } = context
  return write(
    context,
    async (sql) => {
      const withdrawal = await lockWithdrawal(sql, principal, id)
      if (withdrawal === null) throw new Refusal('resource_missing')
      if (withdrawal.status === 'canceled') return withdrawalView(withdrawal, now)
      requireState(statusAt(withdrawal, now), ['needs_confirmation', 'expired'])
      return withdrawalView(await saveWithdrawal(sql, id, { status: 'canceled' }), now)
    },
    { safeToRepeat: true },
  )
}

function newLink(publicUrl: string): { link: Buffer; url: string } {
  const handle = randomSecret(HANDLE_BYTES)
  return { link: hash('sha256', handle, 'buffer'), url: publicUrl + '/pay/' + handle }
}
