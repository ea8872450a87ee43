// Withdrawals through the service: encode, rehearse and sign, like a batch. Each is one transaction
// that pays all of it or nothing.
import { unitsOfCents } from '../../../shared/token-units.ts'
import type { Receipt } from '../chain/answers.ts'
import { bytesOfHex, chainIdOf, type Hex, hexOfBytes } from '../chain/hex.ts'
import { encodeRelease, readReleased } from '../chain/withdrawal-terms.ts'
import { failWithdrawal, landWithdrawal } from '../payment-withdrawals/index.ts'
import { type Attempt, saveFinalNonce } from './attempt-store.ts'
import { failCancelledWithdrawal, WITHDRAWAL_CANCELLED } from './cancel.ts'
import { NO_ADDRESS, readAssertion } from './encode.ts'
import { inLead, type Line, mayBePaid, stopLine } from './line.ts'
import { failureOf } from './rehearse.ts'
import { IN_FLIGHT_MAX, signFirst } from './sign.ts'
import {
  findReleased,
  listPendingWithdrawals,
  lockPending,
  type PendingWithdrawal,
  saveWithdrawalInclusion,
  saveWithdrawalRefusal,
} from './withdrawal-store.ts'

const REVERTED = { stage: 'transaction', code: 'reverted' } as const

/** Brings approved withdrawals to their transaction; true where one was signed. */
export async function signWithdrawals(line: Line): Promise<boolean> {
  let signed = false
  const pending = await listPendingWithdrawals(line.sql, line.config.chainId, IN_FLIGHT_MAX)
  for (const withdrawal of pending) {
    if (withdrawal.cancelled) {
      await failCancelledWithdrawal(line, withdrawal.id)
      continue
    }
    const call = callOf(withdrawal)
    if (call === null) {
      const failure = { stage: 'rehearsal', code: 'assertion_missing' } as const
      const ended = { failure, now: line.clock.nowMs() }
      await inLead(line, (sql) => failWithdrawal(sql, withdrawal.id, ended))
      continue
    }
    const gas = await rehearseRelease(line, withdrawal, call)
    if (gas === null) continue
    const { id } = withdrawal
    const first = { batchId: null, withdrawalId: id, call, gas }
    const stored = await signFirst(line, first, {
      lock: (sql) => lockPending(sql, id),
      show: (sql, hash) => saveWithdrawalInclusion(sql, id, { hash, block: null }),
    })
    if (stored) signed = true
  }
  return signed
}

/** The exact call; null where the stored assertion is none. */
function callOf(withdrawal: PendingWithdrawal): Hex | null {
  const assertion = readAssertion(withdrawal.assertion)
  if (assertion === null) return null
  return encodeRelease(
    {
      id: chainIdOf(withdrawal.id),
      x: hexOfBytes(withdrawal.publicX),
      y: hexOfBytes(withdrawal.publicY),
      recovery: (withdrawal.recoveryAddress ?? NO_ADDRESS) as Hex,
      amount: unitsOfCents(withdrawal.amountCents),
      to: withdrawal.recipient as Hex,
    },
    assertion,
  )
}

/** The gas limit; null where it is not to be sent now. Refused for too long, it has failed. */
async function rehearseRelease(
  line: Line,
  { id, refusedSince }: PendingWithdrawal,
  call: Hex,
): Promise<bigint | null> {
  const rehearsal = await line.chain.rehearse(line.signer.address, call)
  if (rehearsal.kind === 'passed') {
    if (refusedSince !== null) await inLead(line, (sql) => saveWithdrawalRefusal(sql, id, null))
    return rehearsal.gas
  }
  if (rehearsal.kind === 'silent') return null
  // A withdrawal that another copy of the database has sent is adopted, never failed.
  const done = await line.chain.done(chainIdOf(id))
  if (done.kind !== 'agreed' || done.value) return null
  const now = line.clock.nowMs()
  if (refusedSince === null) {
    await inLead(line, (sql) => saveWithdrawalRefusal(sql, id, now))
    return null
  }
  if (now - refusedSince < line.pace.refusedMsMax) return null
  const failure = failureOf(rehearsal.reason)
  await inLead(line, (sql) => failWithdrawal(sql, id, { failure, now }))
  line.log.warn({ withdrawal: id, reason: rehearsal.reason }, 'withdrawal failed: refused')
  return null
}

/** The receipt of a withdrawal is final: it lands by its log, or has failed. */
export async function landRelease(
  line: Line,
  { nonce, hash, withdrawalId: id, empty }: Attempt & { withdrawalId: string; empty: boolean },
  receipt: Receipt,
): Promise<void> {
  const { chainId, settlement } = line.config
  const { number, hash: blockHash } = receipt.block
  const now = line.clock.nowMs()
  const final = { nonce, block: number }
  if (empty || receipt.status === 'reverted') {
    const failure = empty ? WITHDRAWAL_CANCELLED : REVERTED
    const failed = await inLead(line, async (sql, wallet) => {
      if (mayBePaid(wallet)) return false
      await saveFinalNonce(sql, chainId, final)
      return failWithdrawal(sql, id, { failure, now })
    })
    if (!failed) return
    line.log.warn({ withdrawal: id, nonce, code: failure.code }, 'withdrawal failed on the chain')
    return
  }
  const released = readReleased(receipt.logs, chainIdOf(id), settlement)
  const asked = await findReleased(line.sql, id)
  const same =
    released !== null &&
    asked !== null &&
    released.units === unitsOfCents(asked.amountCents) &&
    released.to.toLowerCase() === asked.recipient.toLowerCase()
  if (!same) {
    const detail = 'the logs of ' + hexOfBytes(hash) + ' are not those of ' + id
    return stopLine(line, { reason: 'outcome_apart', detail })
  }
  const block = { transactionHash: hash, blockNumber: number, blockHash: bytesOfHex(blockHash) }
  await inLead(line, async (sql) => {
    await saveFinalNonce(sql, chainId, final)
    await landWithdrawal(sql, id, { block, now })
  })
}
