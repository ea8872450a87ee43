// Outside events on a tenant's own payment accounts, simulated by the tenant in the sandbox: money
// comes in, the token's issuer blocks an address, the holder answers. Tokens are minted and
// addresses blocked on the real chain.

import type { PaymentAccount } from '../../../shared/schemas/payment-account.ts'
import type { SettlementAccount } from '../../../shared/schemas/settlement-account.ts'
import type { Context } from '../../context.ts'
import { tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { isAnswered, write } from '../../write/write.ts'
import {
  findAccount,
  type PaymentAccountPorts,
  type PaymentAccountRow,
  paymentAccountView,
  renewEnrolmentLink,
} from '../payment-accounts/index.ts'
import { findSettlementAccount, settlementAccountView } from '../settlement-accounts/index.ts'
import type { HolderPort, SimulatedHolder } from './holder.ts'

/** The balance follows once the block of the transaction is final. */
export async function fundAccount(
  context: Context,
  { id, amountCents }: { id: string; amountCents: number },
  { holder }: HolderPort,
): Promise<PaymentAccount> {
  return onAccount(context, id, async ({ address }) => {
    await holder.ask('tokens', { address: requireAddress(address), cents: amountCents })
  })
}

/** The token refuses transfers from and to a blocked address. */
export async function blockAccount(
  context: Context,
  { id, blocked }: { id: string; blocked: boolean },
  { holder }: HolderPort,
): Promise<PaymentAccount> {
  return onAccount(context, id, async ({ address }) => {
    await holder.ask('blocks', { address: requireAddress(address), blocked })
  })
}

/**
 * The telephone of the sandbox answers the next payment or withdrawal of the account. It enrols the
 * passkey of an account that is pending; the passkey of another device is refused with 409.
 */
export async function answerNext(
  context: Context,
  { id, answer }: { id: string; answer: 'approve' | 'deny' },
  ports: HolderPort & PaymentAccountPorts,
): Promise<PaymentAccount> {
  return onAccount(context, id, async (account) => {
    if (account.status === 'pending') await enrol(context, id, ports)
    const { credentialId } = (await findAccount(context.sql, context.principal, id)) ?? account
    if (credentialId === null)
      throw new Refusal('invalid_state', { extra: { current_status: account.status } })
    const credential_id = credentialId.toString('base64url')
    await ports.holder.ask('answers', { credential_id, answer })
  })
}

async function enrol(
  { sql, principal, now }: Context,
  id: string,
  { holder, publicUrl }: { holder: SimulatedHolder; publicUrl: string },
): Promise<void> {
  const url = await tx(sql, (inner) => renewEnrolmentLink(inner, principal, { id, publicUrl, now }))
  await holder.ask('enrolments', { url })
}

/** Blocks the address that a settlement account is paid to, or opens it again. */
export async function blockPayee(
  context: Context,
  { id, blocked }: { id: string; blocked: boolean },
  { holder }: HolderPort,
): Promise<SettlementAccount> {
  const { sql, principal, now } = context
  if (!(await isAnswered(sql, context))) {
    const account = await findSettlementAccount(sql, principal, id)
    if (account === null) throw new Refusal('resource_missing')
    await holder.ask('blocks', { address: account.address, blocked })
  }
  return write(context, async (inner) => {
    const account = await findSettlementAccount(inner, principal, id)
    if (account === null) throw new Refusal('resource_missing')
    return settlementAccountView(account, now)
  })
}

/** The outside effect comes first; the call's row shows the account as it is afterwards. */
async function onAccount(
  context: Context,
  id: string,
  effect: (account: PaymentAccountRow) => Promise<void>,
): Promise<PaymentAccount> {
  const { sql, principal } = context
  if (!(await isAnswered(sql, context))) {
    const account = await findAccount(sql, principal, id)
    if (account === null) throw new Refusal('resource_missing')
    requireState(account.status, ['pending', 'active', 'suspended'])
    await effect(account)
  }
  return write(context, async (inner) => {
    const account = await findAccount(inner, principal, id)
    if (account === null) throw new Refusal('resource_missing')
    return paymentAccountView(account)
  })
}

function requireAddress(address: string | null): string {
  if (address !== null) return address
  throw new Refusal('invalid_state', {
    extra: { current_status: 'pending', allowed_from: ['active', 'suspended'] },
  })
}
