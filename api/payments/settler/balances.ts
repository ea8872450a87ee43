// Balances of holders at a finalized block: a surplus over the ledger is a deposit, anything else
// stops the line. Money that stands on the chain only provisionally is never counted.
import { centsOfUnits, unitsOfCents } from '../../../shared/token-units.ts'
import type { Block } from '../chain/answers.ts'
import { bytesOfHex, type Hex, hexOfBytes } from '../chain/hex.ts'
import {
  readFreeUnits,
  readHolderUnits,
  recordDeposit,
  recordOwnWithdrawal,
} from '../ledger/index.ts'
import { readLandedBlock, readOldestNonce } from './attempt-store.ts'
import { type HolderAccount, listHolders, saveFunds, suspendHolder } from './balance-store.ts'
import { openException, resolveExceptions } from './exceptions.ts'
import { inLead, type Line, stopLine } from './line.ts'
import { compareTotals } from './totals.ts'
import { readWallet, saveFinalBlock, type Wallet } from './wallet-store.ts'

const CALL_ACCOUNTS = 500
/** Chosen: accounts looked at per finalized block; larger installations go round. */
const BLOCK_ACCOUNTS_MAX = 5000

/** Where the next look begins, among the ids of accounts. */
export interface BalanceCursor {
  after: string
}

/**
 * Compares the ledger with the chain at a finalized block that was not looked at yet. Waits while a
 * transaction of ours up to that block has not landed: the sums would differ by it.
 */
export async function compareBalances(
  line: Line,
  finalized: Block,
  cursor: BalanceCursor,
): Promise<void> {
  const { sql, config } = line
  const wallet = await readWallet(sql, config.chainId)
  if (wallet === null || finalized.number <= (wallet.finalBlock ?? -1)) return
  if (!(await hasLanded(line, finalized, wallet.nextNonce))) return
  if (!(await compareTotals(line, finalized))) return
  const holders = await listHolders(sql, config, { after: cursor.after, most: BLOCK_ACCOUNTS_MAX })
  for (let at = 0; at < holders.length; at += CALL_ACCOUNTS) {
    const part = holders.slice(at, at + CALL_ACCOUNTS)
    if (!(await comparePart(line, part, finalized))) return
  }
  const last = holders.at(-1)
  cursor.after = holders.length < BLOCK_ACCOUNTS_MAX || last === undefined ? '' : last.id
  const block = { number: finalized.number, hash: bytesOfHex(finalized.hash) }
  await inLead(line, (inner) => saveFinalBlock(inner, config.chainId, block))
  line.counts.comparedBlock = finalized.number
}

/**
 * True where the chain still has the last finalized block that was looked at, as every RPC that
 * answers says. Another one in its place stops settling before anything lands on that history.
 */
export async function finalityStands(
  line: Line,
  { finalBlock, finalHash, stopped }: Pick<Wallet, 'finalBlock' | 'finalHash' | 'stopped'>,
): Promise<boolean> {
  if (finalBlock === null || finalHash === null) return true
  const there = await line.chain.block(finalBlock)
  if (there.kind !== 'agreed') return false
  if (bytesOfHex(there.value.hash).equals(finalHash)) return true
  const detail = 'block ' + finalBlock + ' was ' + hexOfBytes(finalHash)
  if (stopped === null) await stopLine(line, { reason: 'finalized_block_replaced', detail })
  return false
}

/**
 * True where every transaction of ours up to the block has landed, and none behind it: another RPC
 * may have told of a later finalized block before.
 */
async function hasLanded(line: Line, { number }: Block, nextNonce: number): Promise<boolean> {
  const { chainId } = line.config
  if (((await readLandedBlock(line.sql, chainId)) ?? 0) > number) return false
  const landedBelow = (await readOldestNonce(line.sql, chainId)) ?? nextNonce
  const used = await line.chain.nonce(line.signer.address, number)
  return used.kind === 'agreed' && used.value <= landedBelow
}

/** False where the chain is silent, or settling stopped. */
async function comparePart(
  line: Line,
  holders: readonly HolderAccount[],
  { number }: Block,
): Promise<boolean> {
  const { chain, config } = line
  const addresses = holders.map(({ address }) => address as Hex)
  const answer = await chain.accountStates(addresses, number)
  if (answer.kind !== 'agreed') return false
  const ids = holders.map(({ id }) => id)
  const known = await readHolderUnits(line.sql, config, ids)
  const still: string[] = []
  for (const [at, holder] of holders.entries()) {
    const state = answer.value[at]
    if (state === undefined) return false
    const there = BigInt(state.balance)
    const withdrawn = BigInt(state.withdrawn) - BigInt(holder.withdrawnUnits)
    const ledgerUnits = known.get(holder.id) ?? 0n
    const surplus = there - (ledgerUnits - withdrawn)
    const seen = { there, surplus, withdrawn, leaving: BigInt(state.leaving), block: number }
    const sums = { ledgerUnits, chainUnits: there }
    const { id: subject, tenantId } = holder
    if (surplus < 0n || withdrawn < 0n) {
      const difference = { kind: 'holder_lacks', subject, tenantId, block: number } as const
      await openException(line, { ...difference, ...sums })
      await stopApart(line, holder, seen)
      return false
    }
    if (withdrawn > 0n && (await readFreeUnits(line.sql, config, subject)) < withdrawn) {
      // Money that payments held has left, as it may after nine days. The holds end by themselves.
      await inLead(line, (sql) => suspendHolder(sql, subject))
      const difference = { kind: 'holder_withdrew_held', subject, tenantId, block: number } as const
      await openException(line, { ...difference, ...sums })
      still.push(subject)
      continue
    }
    await showFunds(line, holder, seen)
  }
  const kinds = ['holder_lacks', 'holder_withdrew_held'] as const
  await resolveExceptions(line, { kinds, among: ids, still })
  return true
}

interface Seen {
  /** Token units on the chain, and how many of them the ledger lacks. */
  there: bigint
  surplus: bigint
  /** Units that the holder took out without the service, since the ledger was told. */
  withdrawn: bigint
  /** Units that the holder asked for on the chain; at most the balance leaves. */
  leaving: bigint
  block: number
}

async function showFunds(line: Line, holder: HolderAccount, seen: Seen): Promise<void> {
  const balanceCents = centsOfUnits(seen.there)
  const chainLeavingCents = centsLeaving(seen)
  const { capturedCents } = holder
  const leavingCents = holder.leavingCents - holder.chainLeavingCents + chainLeavingCents
  const fundedCents = Math.max(0, balanceCents + capturedCents - leavingCents)
  const same =
    holder.balanceCents === balanceCents &&
    holder.fundedCents === fundedCents &&
    holder.chainLeavingCents === chainLeavingCents
  const unmoved = seen.surplus === 0n && seen.withdrawn === 0n
  if (same && unmoved && holder.asOfBlock !== null) return
  const { id, tenantId, clockOffsetMs } = holder
  const { environment, chainId } = line.config
  const entry = { tenantId, environment, chainId, now: line.clock.nowMs() + clockOffsetMs }
  await inLead(line, async (sql) => {
    if (seen.surplus > 0n) {
      const { surplus: units, block } = seen
      await recordDeposit(sql, entry, { paymentAccountId: id, units, block })
    }
    if (seen.withdrawn > 0n) {
      const { withdrawn: units, block } = seen
      await recordOwnWithdrawal(sql, entry, { paymentAccountId: id, units, block })
    }
    const withdrawnUnits = String(BigInt(holder.withdrawnUnits) + seen.withdrawn)
    const funds = { id, balanceCents, capturedCents, chainLeavingCents, withdrawnUnits }
    await saveFunds(sql, { ...funds, block: seen.block })
  })
}

/** Rounded up: the engine approves nothing of a cent that leaves in part. */
function centsLeaving({ leaving, there }: Seen): number {
  const units = leaving < there ? leaving : there
  const cents = centsOfUnits(units)
  return unitsOfCents(cents) === units ? cents : cents + 1
}

async function stopApart(line: Line, { id }: HolderAccount, seen: Seen): Promise<void> {
  await inLead(line, (sql) => suspendHolder(sql, id))
  const detail = id + ' lacks ' + -seen.surplus + ' token units at block ' + seen.block
  await stopLine(line, { reason: 'ledger_apart', detail })
}
