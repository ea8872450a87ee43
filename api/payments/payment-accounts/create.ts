// Opens a payment account for a cardholder, and makes links to the page on which the holder enrols
// a passkey.
import { hash } from 'node:crypto'
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { randomSecret } from '../../../shared/id.ts'
import type { PaymentAccount } from '../../../shared/schemas/payment-account.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Context, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireIssuable } from '../../issuing/cardholders/index.ts'
import { requireActiveProgram } from '../../issuing/programs/index.ts'
import { requireState } from '../../write/move.ts'
import { requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import type { ChainConfig, ChainPort } from '../chain/chain-config.ts'
import { requireChain, requirePayments } from '../require-payments.ts'
import { payeeProblem } from '../settlement-accounts/index.ts'
import {
  type EnrolmentLink,
  findOpenAccount,
  insertAccount,
  lockAccount,
  saveLink,
} from './store.ts'
import { paymentAccountView } from './view.ts'

/** The parts of the process that payment accounts use. */
export interface PaymentAccountPorts extends ChainPort {
  /** Base URL of the hosted pages, without a slash at its end. */
  publicUrl: string
}

/** Chosen: milliseconds that a link to the enrolment page is valid. */
const LINK_MS = 24 * 3_600_000
const HANDLE_BYTES = 32
/** Repeating the call without a key would be refused: a cardholder has one open account. */
const ADVICE = 'GET resource_id shows it; POST enrolment_links makes another link.'

export interface PaymentAccountInput {
  cardholderId: string
  recoveryAddress: string | null
  externalId: string | null
  metadata: Metadata
}

/**
 * Refuses with 400 address_refused a recovery address at which money would be lost, with 409 a
 * cardholder who may have no card or has an open account.
 */
export async function createPaymentAccount(
  context: Context,
  input: PaymentAccountInput,
  { chains, publicUrl }: PaymentAccountPorts,
): Promise<PaymentAccount> {
  const { principal, now } = context
  const { cardholderId, recoveryAddress, externalId, metadata } = input
  const chain = requireChain(chains, principal.environment)
  const id = context.newId('pacc')
  const { link, url } = newLink(publicUrl, now)
  const change = async (sql: TxSql) => {
    await requirePayments(sql, principal)
    await requireRecoveryAddress(sql, recoveryAddress, chain)
    const { programId } = await requireIssuable(sql, principal, cardholderId)
    await requireActiveProgram(sql, principal, programId)
    await requireFreeExternalId(sql, principal, { table: 'payment_accounts', externalId, id })
    await requireNoAccount(sql, context, cardholderId)
    const { chainId } = chain
    const account = { id, programId, cardholderId, chainId, recoveryAddress, link }
    const own = { externalId, metadata, createdAt: now }
    return paymentAccountView(await insertAccount(sql, principal, { ...account, ...own }), url)
  }
  return writeConfirmed(context, change, { advice: ADVICE })
}

/** Money that the recovery address withdraws must not be lost there. */
async function requireRecoveryAddress(
  sql: TxSql,
  address: string | null,
  chain: ChainConfig,
): Promise<void> {
  if (address === null) return
  const problem = await payeeProblem(sql, address, chain)
  if (problem !== null)
    throw new Refusal('address_refused', { param: 'recovery_address', extra: { reason: problem } })
}

/** The cardholder is locked: of two calls the second sees the account of the first. */
async function requireNoAccount(
  sql: TxSql,
  { principal }: Context,
  cardholderId: string,
): Promise<void> {
  const held = await findOpenAccount(sql, principal, cardholderId)
  if (held === null) return
  throw new Refusal('already_exists', {
    param: 'cardholder_id',
    message: 'The cardholder has an open payment account.',
    extra: { resource_id: held },
  })
}

/** Makes a fresh link; an earlier one leads nowhere any more. */
export async function linkEnrolment(
  context: Context,
  id: string,
  { publicUrl }: PaymentAccountPorts,
): Promise<PaymentAccount> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const url = await renewEnrolmentLink(sql, principal, { id, publicUrl, now })
    const account = await lockAccount(sql, principal, id)
    assert(account !== null, 'a locked payment account does not vanish')
    return paymentAccountView(account, url)
  })
}

/** The fresh link; refuses with 404 an unknown account, with 409 one that has a passkey. */
export async function renewEnrolmentLink(
  sql: TxSql,
  owner: Owner,
  { id, publicUrl, now }: { id: string; publicUrl: string; now: EpochMs },
): Promise<string> {
  const account = await lockAccount(sql, owner, id)
  if (account === null) throw new Refusal('resource_missing')
  requireState(account.status, ['pending'])
  const { link, url } = newLink(publicUrl, now)
  await saveLink(sql, id, link)
  return url
}

function newLink(publicUrl: string, now: number): { link: EnrolmentLink; url: string } {
  const handle = randomSecret(HANDLE_BYTES)
  return {
    link: { hash: hash('sha256', handle, 'buffer'), expiresAt: now + LINK_MS },
    url: publicUrl + '/pay/enrol/' + handle,
  }
}
