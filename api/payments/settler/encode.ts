// Step 2: writes the exact call of a batch from the terms that the holders approved, and stores it.
import type { SettlementFailureCode } from '../../../shared/payment-reference.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import type { ChainPlace } from '../chain/chain.ts'
import { readDer } from '../chain/der.ts'
import { bytesOfHex, chainIdOf, type Hex, hexOfBytes, refundIdOf } from '../chain/hex.ts'
import { isRecord } from '../chain/json-rpc.ts'
import {
  type Approval,
  type Assertion,
  approvalHash,
  assertionFor,
  encodeSettle,
} from '../chain/terms.ts'
import { dropRefunds, failBatch } from '../settlement-batches/index.ts'
import { inLead, type Line } from './line.ts'
import { assignRefundBits } from './refund-bits.ts'
import { type ChainItem, listChainItems, type OpenBatch, saveCall } from './store.ts'

export const NO_ADDRESS: Hex = `0x${'0'.repeat(40)}`
const NO_NUMBER: Hex = `0x${'0'.repeat(64)}`

/** For a further capture: the contract verified the approval's assertion with the first one. */
const NO_ASSERTION: Assertion = {
  ...{ r: NO_NUMBER, s: NO_NUMBER, challengeIndex: 0n, typeIndex: 0n },
  ...{ authenticatorData: '0x', clientDataJSON: '' },
}

/** The call of the batch; null where it cannot be written, and the batch has failed. */
export async function encodeBatch(line: Line, batch: OpenBatch): Promise<Hex | null> {
  if (batch.call !== null) return hexOfBytes(batch.call)
  const items = await listNamedItems(line, batch.id)
  const call = callOf(line.config, batch.id, items)
  if (!isHex(call)) {
    const failure = { stage: 'encoding', code: call, detail: null } as const
    const failed = { batchId: batch.id, failure, now: line.clock.nowMs() }
    if (await inLead(line, (sql) => failBatch(sql, failed))) line.counts.failed += 1
    return null
  }
  const { feeBps = 0 } = items[0] ?? {}
  const stored = { call: bytesOfHex(call), feeBps }
  await inLead(line, (sql) => saveCall(sql, batch.id, stored))
  return call
}

const NO_BIT_LEFT = {
  stage: 'encoding',
  code: 'refunds_exhausted' satisfies SettlementFailureCode,
  detail: 'The approval has no bit left for another refund.',
} as const

/**
 * The items of the batch, each with its bit. A refund of an earlier release whose approval has no
 * bit left fails alone: the batch goes on without it.
 */
async function listNamedItems(line: Line, batchId: string): Promise<readonly ChainItem[]> {
  const items = await listChainItems(line.sql, batchId)
  if (items.every(({ bit }) => bit !== null)) return items
  await inLead(line, (sql) => assignRefundBits(sql, batchId))
  const named = await listChainItems(line.sql, batchId)
  const left = named.filter(({ bit }) => bit === null)
  if (left.length === 0) return named
  const refundIds = left.map(({ id }) => id)
  const dropped = { batchId, refundIds, failure: NO_BIT_LEFT, now: line.clock.nowMs() }
  await inLead(line, (sql) => dropRefunds(sql, dropped))
  line.log.warn({ batch: batchId, refunds: refundIds }, 'refunds failed: no bit left for them')
  return named.filter(({ bit }) => bit !== null)
}

/** The call in hex, or the word for the record that makes none. */
export function callOf(
  place: ChainPlace,
  batchId: string,
  items: readonly ChainItem[],
): Hex | SettlementFailureCode {
  const [first] = items
  if (first === undefined) return 'batch_empty'
  const captures = []
  const refunds = []
  for (const item of items) {
    const approval = approvalOf(item)
    if (!bytesOfHex(approvalHash(place, approval)).equals(item.approvalHash))
      return 'approval_mismatch'
    if (item.bit === null) return 'bit_missing'
    const amount = unitsOfCents(item.cents)
    if (item.kind === 'refund') {
      refunds.push({ id: refundIdOf(item.id, item.bit), approval, amount })
      continue
    }
    const assertion = item.isVerified ? NO_ASSERTION : readAssertion(item.assertion)
    if (assertion === null) return 'assertion_missing'
    captures.push({ approval, index: item.bit, amount, assertion })
  }
  const { payee, feeBps } = first
  return encodeSettle({ id: chainIdOf(batchId), payee: payee as Hex, captures, refunds, feeBps })
}

function isHex(call: Hex | SettlementFailureCode): call is Hex {
  return call.startsWith('0x')
}

function approvalOf(item: ChainItem): Approval {
  return {
    x: hexOfBytes(item.publicX),
    y: hexOfBytes(item.publicY),
    recovery: (item.recoveryAddress ?? NO_ADDRESS) as Hex,
    payee: item.payee as Hex,
    limit: unitsOfCents(item.limitCents),
    validUntil: BigInt(item.validUntil),
    salt: hexOfBytes(item.approvalSalt),
  }
}

/** The stored assertion: three base64url texts, the signature in DER as browsers give it. */
export function readAssertion(stored: unknown): Assertion | null {
  if (!isRecord(stored)) return null
  const bytes = (name: string): Buffer => Buffer.from(String(stored[name] ?? ''), 'base64url')
  const signature = readDer(bytes('signature'))
  if (signature === null) return null
  return assertionFor({
    authenticatorData: bytes('authenticator_data'),
    clientDataJson: bytes('client_data').toString('utf8'),
    signature,
  })
}
