// The transfers of each cause: deposit, hold, release, capture, landing, refund, abandonment. One
// debit, one credit; the same cause moves money once, however often it is recorded.
import type { EpochMs } from '../../../shared/clock.ts'
import { type TokenUnits, unitsOfCents } from '../../../shared/token-units.ts'
import { sentTogether } from '../../database/sent-together.ts'
import type { TxSql } from '../../database/transaction.ts'
import {
  appendTransfers,
  ensureAccounts,
  type LedgerAccount,
  type LedgerKind,
  type LedgerPlace,
  saveAddress,
  type Transfer,
} from './store.ts'

/** The chain and the moment of an entry; `now` by the tenant's clock. */
export interface LedgerEntry extends LedgerPlace {
  tenantId: string
  now: EpochMs
}

const WORLD: LedgerAccount = { kind: 'world', ownerId: null, tenantId: null }

/** Money that stands on an account at a finalized block, and came from outside. */
export async function recordDeposit(
  sql: TxSql,
  at: LedgerEntry,
  deposit: { paymentAccountId: string; units: bigint; block: number },
): Promise<void> {
  const { paymentAccountId, units, block } = deposit
  const credit = holder(at, 'available', paymentAccountId)
  const causeId = paymentAccountId + '/' + block
  await record(sql, at, [{ debit: WORLD, credit, units, cause: 'deposit', causeId }])
}

/** A move of cents between the accounts of one holder, by the payment that causes it. */
export interface HolderMove {
  paymentAccountId: string
  cents: number
  /** Id of the payment, capture or release: the move happens once. */
  causeId: string
}

/** The engine approved a payment. */
export async function recordHold(sql: TxSql, at: LedgerEntry, move: HolderMove): Promise<void> {
  await moveWithin(sql, at, { from: 'available', to: 'held', cause: 'hold', moves: [move] })
}

/** A hold, or the rest of one, was voided or expired. */
export async function recordRelease(sql: TxSql, at: LedgerEntry, move: HolderMove): Promise<void> {
  await moveWithin(sql, at, { from: 'held', to: 'available', cause: 'release', moves: [move] })
}

/** A capture was asked for. */
export async function recordCapture(sql: TxSql, at: LedgerEntry, move: HolderMove): Promise<void> {
  await moveWithin(sql, at, { from: 'held', to: 'in_settlement', cause: 'capture', moves: [move] })
}

/** A withdrawal was approved: its money is on its way. */
export async function recordLeaving(sql: TxSql, at: LedgerEntry, move: HolderMove): Promise<void> {
  await moveWithin(sql, at, { from: 'available', to: 'leaving', cause: 'leaving', moves: [move] })
}

/** A withdrawal failed: its money stays. */
export async function recordStay(sql: TxSql, at: LedgerEntry, move: HolderMove): Promise<void> {
  await moveWithin(sql, at, { from: 'leaving', to: 'available', cause: 'stay', moves: [move] })
}

/** A withdrawal landed. */
export async function recordWithdrawal(
  sql: TxSql,
  at: LedgerEntry,
  { paymentAccountId, cents, causeId }: HolderMove,
): Promise<void> {
  const debit = holder(at, 'leaving', paymentAccountId)
  const units = unitsOfCents(cents)
  await record(sql, at, [{ debit, credit: WORLD, units, cause: 'withdrawal', causeId }])
}

/** Money that the holder took out without the service, as the account's own count tells. */
export async function recordOwnWithdrawal(
  sql: TxSql,
  at: LedgerEntry,
  withdrawal: { paymentAccountId: string; units: bigint; block: number },
): Promise<void> {
  const { paymentAccountId, units, block } = withdrawal
  const causeId = paymentAccountId + '/' + block
  const leaving = holder(at, 'leaving', paymentAccountId)
  const available = holder(at, 'available', paymentAccountId)
  await record(sql, at, [
    { debit: available, credit: leaving, units, cause: 'own_leaving', causeId },
    { debit: leaving, credit: WORLD, units, cause: 'own_withdrawal', causeId },
  ])
}

/** A capture that failed was given up. */
export async function recordAbandonment(
  sql: TxSql,
  at: LedgerEntry,
  move: HolderMove,
): Promise<void> {
  const ends = { from: 'in_settlement', to: 'available' } as const
  await moveWithin(sql, at, { ...ends, cause: 'abandonment', moves: [move] })
}

export interface Landing {
  settlementAccountId: string
  batchId: string
  captures: readonly HolderMove[]
  refunds: readonly HolderMove[]
  feeUnits: bigint
}

/** A batch landed: captures go to the payee, refunds come back, the fee goes to the treasury. */
export async function recordLanding(sql: TxSql, at: LedgerEntry, landing: Landing): Promise<void> {
  const { tenantId } = at
  const payee: LedgerAccount = { kind: 'paid', ownerId: landing.settlementAccountId, tenantId }
  const fees: LedgerAccount = { kind: 'fees', ownerId: null, tenantId: null }
  const fee = { debit: payee, credit: fees, units: landing.feeUnits }
  await record(sql, at, [
    ...landing.captures.map(({ paymentAccountId, cents, causeId }) => ({
      debit: holder(at, 'in_settlement', paymentAccountId),
      credit: payee,
      units: unitsOfCents(cents),
      cause: 'landing',
      causeId,
    })),
    ...landing.refunds.map(({ paymentAccountId, cents, causeId }) => ({
      debit: payee,
      credit: holder(at, 'available', paymentAccountId),
      units: unitsOfCents(cents),
      cause: 'refund',
      causeId,
    })),
    ...(landing.feeUnits > 0n ? [{ ...fee, cause: 'fee', causeId: landing.batchId }] : []),
  ])
  await saveAddress(sql, at, landing.settlementAccountId)
}

async function moveWithin(
  sql: TxSql,
  at: LedgerEntry,
  move: { from: LedgerKind; to: LedgerKind; cause: string; moves: readonly HolderMove[] },
): Promise<void> {
  const { from, to, cause, moves } = move
  const transfers = moves.map(({ paymentAccountId, cents, causeId }) => ({
    debit: holder(at, from, paymentAccountId),
    credit: holder(at, to, paymentAccountId),
    units: unitsOfCents(cents) satisfies TokenUnits,
    cause,
    causeId,
  }))
  await record(sql, at, transfers)
}

function holder({ tenantId }: LedgerEntry, kind: LedgerKind, ownerId: string): LedgerAccount {
  return { kind, ownerId, tenantId }
}

async function record(sql: TxSql, at: LedgerEntry, transfers: readonly Transfer[]): Promise<void> {
  if (transfers.length === 0) return
  const accounts = transfers.flatMap(({ debit, credit }) => [debit, credit])
  await sentTogether([
    ensureAccounts(sql, at, accounts),
    appendTransfers(sql, at, { transfers, now: at.now }),
  ])
}
