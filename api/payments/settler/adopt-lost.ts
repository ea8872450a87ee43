// A transaction of ours for a batch of which this database lost even the closing: a failover came
// between the closing and the copy of it. The chain knows the batch by the hash of an id that
// nobody has any more; its logs name the captures and refunds, and these are here.
import type { TxSql } from '../../database/transaction.ts'
import type { Transaction } from '../chain/answers.ts'
import { bytesOfHex, type Hex, wordAt } from '../chain/hex.ts'
import { type Outcome, readOutcome, settleSelector } from '../chain/terms.ts'
import type { LostBatch } from '../settlement-batches/index.ts'
import { listItemsOfPayee, lockAccountsOf } from './adopt-store.ts'
import { matchOutcome, nameOf, toldBy } from './land.ts'
import type { Line } from './line.ts'

const ADDRESS_DIGITS = 40

/** A batch as its transaction tells of it. */
interface Told {
  name: Hex
  payee: Hex
  outcome: Outcome
}

/** The batch of a final transaction by its logs; null: it settled none. */
export async function readSettled(
  { chain, config }: Line,
  { hash, to, input }: Transaction,
): Promise<Told | null | 'silent'> {
  if (to !== config.settlement.toLowerCase() || !input.startsWith(settleSelector())) return null
  const answer = await chain.receipt(hash)
  if (answer.kind !== 'agreed' || answer.value === 'none') return 'silent'
  const [name, payee] = [wordAt(input, 0), wordAt(input, 1)]
  const outcome = readOutcome(answer.value.logs, name, config.settlement)
  return outcome && { name, payee: `0x${payee.slice(-ADDRESS_DIGITS)}`, outcome }
}

/**
 * The batch with those items of this database that it landed: they wait for a batch, or are in
 * another one, which cannot land them any more. Others of its call are tried again. Null where one
 * is not here or has ended: then nobody can tell what the transaction paid. `silent`: the engine
 * has not answered one of them again. The accounts of the payee are locked: no batch of them closes
 * before the end of the transaction.
 */
export async function findLost(
  sql: TxSql,
  { config, clock, counts }: Line,
  { name, payee, outcome }: Told,
): Promise<LostBatch | null | 'silent'> {
  const accounts = await lockAccountsOf(sql, { chainId: config.chainId, payee })
  const accountIds = accounts.map(({ id }) => id)
  const landed = toldBy(outcome).filter(({ reason }) => reason === null)
  const names = new Set(landed.map(({ name }) => name))
  const onTheirWay = await listItemsOfPayee(sql, accountIds)
  const items = onTheirWay.filter((item) => names.has(nameOf(item)))
  const account = accounts.find(({ id }) => id === items[0]?.accountId)
  if (account === undefined || items.some(({ accountId }) => accountId !== account.id)) return null
  if (matchOutcome(items, outcome) === null) return null
  if (items.some(({ status }) => status === 'asking')) {
    counts.problems = ['the engine has not answered a capture that the chain paid']
    return 'silent'
  }
  const idsOf = (kind: 'capture' | 'refund') =>
    items.filter((item) => item.kind === kind).map(({ id }) => id)
  return {
    account,
    name: bytesOfHex(name),
    captureIds: idsOf('capture'),
    refundIds: idsOf('refund'),
    batchIds: [...new Set(items.flatMap(({ batchId }) => batchId ?? []))],
    now: clock.nowMs(),
  }
}
