// Begins a payment: a row is committed, the engine is asked under the row's id, and one transaction
// concludes. After a crash the repeat of the call, the drain or the job finishes it, because the
// engine recalls its answer. The other order would leave holds that nothing knows. Spec 6.2.
import { hash } from 'node:crypto'
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { randomSecret } from '../../../shared/id.ts'
import type { Payment } from '../../../shared/schemas/payment.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { PaymentMessage } from '../../../shared/wire/control.ts'
import type { Context } from '../../context.ts'
import type { Sql } from '../../database/pool.ts'
import { sentTogether } from '../../database/sent-together.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireFreeExternalId } from '../../write/tenant-fields.ts'
import { isAnswered, write } from '../../write/write.ts'
import type { ChainConfig, ChainPort } from '../chain/chain-config.ts'
import { newApproval } from '../passkeys/approval.ts'
import { type Payer, requirePayer } from '../payment-accounts/index.ts'
import { type Cover, findCover } from '../payment-mandates/index.ts'
import { requireChain, requirePayments } from '../require-payments.ts'
import { findPayee, type Payee, requirePayee } from '../settlement-accounts/index.ts'
import { type CallMark, findEarlier, markOf } from './begun-call.ts'
import { concludeAuthorization } from './conclude.ts'
import { authorizationOf, drainApplies, engineAway, type PaymentEnginePort } from './engine.ts'
import { requireConfirmable, requirePayment } from './require.ts'
import {
  findAnyPayment,
  insertPayment,
  lockAnyPayment,
  lockDeciding,
  saveConfirmationLink,
} from './store.ts'
import { type MovingPayment, type PaymentRow, paymentView } from './view.ts'

/** The parts of the process that payments use. */
export interface PaymentPorts extends ChainPort, PaymentEnginePort {
  /** Base URL of the hosted pages, without a slash at its end. */
  publicUrl: string
  /** Told of each link that waits for a holder, as a shop would tell them; answers to nothing. */
  tellHolder(environment: Environment, url: string): void
}

const HANDLE_BYTES = 32

export interface PaymentInput {
  paymentAccountId: string
  settlementAccountId: string
  amountCents: number
  description: string | null
  /** Seconds until the rest is released. */
  expiresIn: number
  /** Seconds that the holder has to approve. */
  confirmationExpiresIn: number
  externalId: string | null
  metadata: Metadata
}

/**
 * The payment is declined, or waits for the holder's approval: look at its status. Refuses with 409
 * an account that is not active or not usable, with 503 while the engine is away.
 */
export async function createPayment(
  context: Context,
  input: PaymentInput,
  ports: PaymentPorts,
): Promise<Payment> {
  const { principal } = context
  const chain = requireChain(ports.chains, principal.environment)
  const started = await begin(context, input, chain)
  const decision = started === null ? null : await ask(context, started, ports)
  const payment = await write(context, async (inner) => {
    if (started === null) throw new Refusal('resource_missing')
    const { id, fresh } = started
    const isFresh = fresh !== null && (await lockDeciding(inner, id))
    const begun = isFresh ? fresh.payment : await lockAnyPayment(inner, id)
    if (begun === null) throw new Refusal('resource_missing')
    if (begun.status !== 'deciding') return linked(inner, begun, ports)
    if (decision?.state !== 'decided') throw engineAway(begun.id)
    const { now } = context
    const { handle, link } = newLink()
    const concluded = await concludeAuthorization(inner, begun, decision.entry, { now, link })
    const waits = concluded.status === 'needs_confirmation'
    return paymentView(concluded, waits ? pageOf(handle, ports) : null)
  })
  if (payment.confirmation?.url) ports.tellHolder(principal.environment, payment.confirmation.url)
  return payment
}

interface Started {
  id: string
  /** The payment of this call, which is not read again; null where an earlier call began it. */
  fresh: { payment: FreshPayment; message: PaymentMessage } | null
}

type FreshPayment = MovingPayment & { status: 'deciding' }

const NO_SUMS = {
  ...{ capturedCents: 0, capturePendingCents: 0, captureFailedCents: 0 },
  ...{ refundedCents: 0, refundPendingCents: 0, voidedCents: 0 },
}

/**
 * Commits the payment, or finds the one that an earlier call with this key began; null where that
 * call was answered.
 */
async function begin(
  context: Context,
  input: PaymentInput,
  chain: ChainConfig,
): Promise<Started | null> {
  const { principal, now, wait } = context
  const mark = markOf(context)
  return tx(
    context.sql,
    async (sql) => {
      const id = context.newId('pay')
      const [answered, parties] = await Promise.allSettled([
        isAnswered(sql, context),
        requireParties(sql, context, { id, input }),
      ])
      if (answered.status === 'rejected') throw answered.reason
      if (answered.value) return null
      if (parties.status === 'rejected' && !(parties.reason instanceof Refusal))
        throw parties.reason
      const fresh =
        parties.status === 'rejected'
          ? null
          : newPayment(context, { id, input, chain, call: mark }, parties.value)
      const isMade = async () => fresh !== null && insertPayment(sql, principal, fresh.payment)
      if (await isMade()) return { id, fresh }
      const earlier = await findEarlier(sql, 'payments', { mark, now })
      if (earlier !== null) return { id: earlier, fresh: null }
      if (parties.status === 'rejected') throw parties.reason
      assert(await isMade(), 'a call of more than a day ago has lost its mark')
      return { id, fresh }
    },
    { safeToRepeat: mark !== null, wait },
  )
}

/** The row of a payment that nothing has happened to, and the message for the engine. */
function newPayment(
  { principal: { tenantId, environment }, now }: Context,
  of: { id: string; input: PaymentInput; chain: ChainConfig; call: CallMark | null },
  parties: Parties,
) {
  const { id, input, chain, call } = of
  const { account, payee } = parties
  const payment = {
    ...input,
    ...NO_SUMS,
    ...approvalOf({ ...parties, id, chain, input, now }),
    ...{ id, tenantId, environment, call, createdAt: now },
    ...{ chainId: account.chainId, cardholderId: account.cardholderId },
    ...{ status: 'deciding' as const, confirmedAt: null },
  }
  return { payment, message: authorizationOf(payment, payee) }
}

interface Parties {
  account: Payer
  payee: Payee
  cover: Cover | null
}

/** Payer, payee and mandate of a payment; refuses in this order. */
async function requireParties(
  sql: TxSql,
  { principal, now }: Context,
  { id, input }: { id: string; input: PaymentInput },
): Promise<Parties> {
  const { externalId } = input
  const [, account, payee, , cover] = await sentTogether([
    requirePayments(sql, principal),
    requirePayer(sql, principal, input.paymentAccountId),
    requirePayee(sql, principal, { id: input.settlementAccountId, now }),
    requireFreeExternalId(sql, principal, { table: 'payments', externalId, id }),
    findCover(sql, principal, { ...input, now }),
  ])
  return { account, payee, cover }
}

/** The approval of a payment: that of the mandate that covers it, or one of its own. */
function approvalOf({
  id,
  account,
  payee,
  cover,
  chain,
  input,
  now,
}: Parties & {
  id: string
  chain: ChainConfig
  input: PaymentInput
  now: EpochMs
}) {
  const asked = now + input.expiresIn * 1000
  if (cover !== null) {
    const expiresAt = Math.min(asked, cover.expiresAt)
    return { approval: cover, mandateId: cover.id, expiresAt, confirmationExpiresAt: null }
  }
  const { amountCents: limitCents } = input
  const approved = {
    id,
    key: account,
    payeeAddress: payee.address,
    chain,
    endsAt: asked,
    limitCents,
  }
  const confirmationExpiresAt = Math.min(asked, now + input.confirmationExpiresIn * 1000)
  const approval = newApproval(approved)
  return { approval, mandateId: null, expiresAt: asked, confirmationExpiresAt }
}

/** Null where the payment has its decision already. */
async function ask({ sql }: Context, { id, fresh }: Started, ports: PaymentPorts) {
  const message = fresh?.message ?? (await messageOf(sql, id))
  if (message === null) return null
  const decision = await ports.decidePayment(message)
  if (decision.state === 'recalled')
    await drainApplies(sql, async (tag) => (await findAnyPayment(tag, id))?.status !== 'deciding')
  return decision
}

async function messageOf(sql: Sql, id: string): Promise<PaymentMessage | null> {
  const payment = await findAnyPayment(sql, id)
  if (payment === null || payment.status !== 'deciding') return null
  const payee = await findPayee(sql, payment, payment.settlementAccountId)
  if (payee === null) throw new Error('a payment names a settlement account')
  return authorizationOf(payment, payee)
}

/** Shows the payment with a fresh link to the hosted page where the holder has to approve. */
async function linked(
  sql: TxSql,
  payment: PaymentRow,
  { publicUrl }: Pick<PaymentPorts, 'publicUrl'>,
): Promise<Payment> {
  if (payment.status !== 'needs_confirmation') return paymentView(payment)
  const { handle, link } = newLink()
  await saveConfirmationLink(sql, payment.id, link)
  return paymentView(payment, pageOf(handle, { publicUrl }))
}

/** The secret of a hosted page, and its hash, which is all that is stored of it. */
function newLink(): { handle: string; link: Buffer } {
  const handle = randomSecret(HANDLE_BYTES)
  return { handle, link: hash('sha256', handle, 'buffer') }
}

function pageOf(handle: string, { publicUrl }: Pick<PaymentPorts, 'publicUrl'>): string {
  return publicUrl + '/pay/' + handle
}

/** Makes a fresh link to the hosted page; an earlier one leads nowhere any more. */
export async function linkConfirmation(
  context: Context,
  id: string,
  ports: Pick<PaymentPorts, 'publicUrl'>,
): Promise<Payment> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const payment = await requirePayment(sql, principal, id)
    requireConfirmable(payment, now)
    return linked(sql, payment, ports)
  })
}
