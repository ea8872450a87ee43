// Makes a mandate: an approval that the holder signs once, for many payments to one payee. The
// chain holds its limit; each payment under it is decided by the engine like every other one.
import { hash } from 'node:crypto'
import { randomSecret } from '../../../shared/id.ts'
import type { PaymentMandate } from '../../../shared/schemas/payment-mandate.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import type { ChainPort } from '../chain/chain-config.ts'
import { newApproval } from '../passkeys/approval.ts'
import { requirePayer } from '../payment-accounts/index.ts'
import { requireChain, requirePayments } from '../require-payments.ts'
import { requirePayee } from '../settlement-accounts/index.ts'
import { findMandate, insertMandate, lockMandate, saveMandate } from './store.ts'
import { mandateView } from './view.ts'

/** The parts of the process that mandates use. */
export interface MandatePorts extends ChainPort {
  /** Base URL of the hosted pages, without a slash at its end. */
  publicUrl: string
  /** Told of each link that waits for a holder; answers to nothing. */
  tellHolder(environment: Environment, url: string): void
}

const HANDLE_BYTES = 32

export interface MandateInput {
  paymentAccountId: string
  settlementAccountId: string
  description: string | null
  limitCents: number
  /** Null for the limit. */
  perPaymentCents: number | null
  /** Seconds until no payment is covered any more. */
  expiresIn: number
  /** Seconds that the holder has to approve. */
  confirmationExpiresIn: number
  externalId: string | null
  metadata: Metadata
}

/**
 * The mandate is pending until the holder approves it on the page. Refuses with 409 an account that
 * is not active or not usable.
 */
export async function createMandate(
  context: Context,
  input: MandateInput,
  { chains, publicUrl, tellHolder }: MandatePorts,
): Promise<PaymentMandate> {
  const { principal, now } = context
  const chain = requireChain(chains, principal.environment)
  const { limitCents, externalId } = input
  const perPaymentCents = input.perPaymentCents ?? limitCents
  if (perPaymentCents > limitCents)
    throw new Refusal('parameter_invalid', {
      param: 'per_payment_cents',
      message: 'per_payment_cents must be at most limit_cents.',
    })
  const mandate = await write(context, async (sql) => {
    const id = context.newId('man')
    await requirePayments(sql, principal)
    const key = await requirePayer(sql, principal, input.paymentAccountId)
    const payee = await requirePayee(sql, principal, { id: input.settlementAccountId, now })
    await requireFreeExternalId(sql, principal, { table: 'payment_mandates', externalId, id })
    const expiresAt = now + input.expiresIn * 1000
    const { link, url } = newLink(publicUrl)
    const approved = { id, key, payeeAddress: payee.address, chain, endsAt: expiresAt, limitCents }
    await insertMandate(sql, principal, {
      ...input,
      id,
      perPaymentCents,
      expiresAt,
      approval: newApproval(approved),
      confirmationHash: link,
      confirmationExpiresAt: Math.min(expiresAt, now + input.confirmationExpiresIn * 1000),
      createdAt: now,
    })
    const made = await findMandate(sql, principal, { id, now })
    if (made === null) throw new Error('an inserted mandate is there')
    return mandateView(made, url)
  })
  const { url } = mandate.confirmation
  if (url !== null) tellHolder(principal.environment, url)
  return mandate
}

/** Makes a fresh link to the hosted page; an earlier one leads nowhere any more. */
export async function linkMandate(
  context: Context,
  id: string,
  { publicUrl }: Pick<MandatePorts, 'publicUrl'>,
): Promise<PaymentMandate> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const mandate = await lockMandate(sql, principal, { id, now })
    if (mandate === null) throw new Refusal('resource_missing')
    requireState(mandate.status, ['pending'])
    const { link, url } = newLink(publicUrl)
    return mandateView(await saveMandate(sql, principal, { id, now, confirmationHash: link }), url)
  })
}

/** No payment is covered any more; those that were authorized stay capturable. */
export async function revokeMandate(context: Context, id: string): Promise<PaymentMandate> {
  const { principal, now } = context
  return write(
    context,
    async (sql) => {
      const mandate = await lockMandate(sql, principal, { id, now })
      if (mandate === null) throw new Refusal('resource_missing')
      if (mandate.status === 'revoked') return mandateView(mandate)
      requireState(mandate.status, ['pending', 'active'])
      return mandateView(await saveMandate(sql, principal, { id, now, status: 'revoked' }))
    },
    { safeToRepeat: true },
  )
}

function newLink(publicUrl: string): { link: Buffer; url: string } {
  const handle = randomSecret(HANDLE_BYTES)
  return { link: hash('sha256', handle, 'buffer'), url: publicUrl + '/pay/' + handle }
}
