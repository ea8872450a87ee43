// The parts of a node's JSON answers that settling uses; null for everything else.
import type { Hex } from 'viem'
import { isRecord } from './json-rpc.ts'
import type { ChainLog } from './terms.ts'

export interface Block {
  number: number
  hash: Hex
}

/** A transaction in a block. `reverted`: it took gas and moved nothing. */
export interface Receipt {
  status: 'success' | 'reverted'
  block: Block
  gasUsed: number
  logs: readonly ChainLog[]
}

export function hexOf(value: unknown): Hex | null {
  return typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value) ? (value as Hex) : null
}

export function numberOf(value: unknown): number | null {
  const hex = hexOf(value)
  const number = hex === null || hex === '0x' ? Number.NaN : Number(hex)
  return Number.isSafeInteger(number) ? number : null
}

/** A quantity of any size, for example of wei. */
export function quantityOf(value: unknown): bigint | null {
  const hex = hexOf(value)
  return hex === null || hex === '0x' ? null : BigInt(hex)
}

export function hexNumber(number: number): string {
  return '0x' + number.toString(16)
}

/** A block; null: none, or not the one that was asked for by its number. */
export function blockOf(value: unknown, asked?: number): Block | null {
  if (!isRecord(value)) return null
  const [number, hash] = [numberOf(value['number']), hexOf(value['hash'])]
  if (number === null || hash === null) return null
  return asked === undefined || number === asked ? { number, hash } : null
}

/** A transaction as a node has it; addresses and hash in lower case. */
export interface Transaction {
  hash: Hex
  from: Hex
  nonce: number
  /** Null where it makes a contract. */
  to: Hex | null
  input: Hex
}

/** A transaction; null: none, or not the one that was asked for by its hash. */
export function transactionOf(value: unknown, asked?: Hex): Transaction | null {
  if (!isRecord(value) || (asked !== undefined && !isSame(value['hash'], asked))) return null
  const [hash, from, input] = [hexOf(value['hash']), hexOf(value['from']), hexOf(value['input'])]
  const [nonce, to] = [numberOf(value['nonce']), hexOf(value['to'])]
  if (hash === null || from === null || input === null || nonce === null) return null
  const [lowHash, lowFrom, lowTo] = [lowerOf(hash), lowerOf(from), to === null ? null : lowerOf(to)]
  return { hash: lowHash, from: lowFrom, nonce, to: lowTo, input }
}

/** The transaction of a whole block that used a nonce; null: not such a block. */
export function transactionIn(
  value: unknown,
  { block, from, nonce }: { block: number } & Pick<Transaction, 'from' | 'nonce'>,
): Transaction | 'none' | null {
  const mined = isRecord(value) ? value['transactions'] : null
  if (blockOf(value, block) === null || !Array.isArray(mined) || !mined.every(isRecord)) return null
  const read = mined.map((each) => transactionOf(each))
  return read.find((each) => each?.nonce === nonce && isSame(each.from, from)) ?? 'none'
}

/** The receipt of the transaction that was asked for; null: another one, or none. */
export function receiptOf(value: unknown, asked: Hex): Receipt | null {
  if (!isRecord(value) || !isSame(value['transactionHash'], asked)) return null
  const [number, hash] = [numberOf(value['blockNumber']), hexOf(value['blockHash'])]
  const [status, gasUsed] = [numberOf(value['status']), numberOf(value['gasUsed'])]
  const logs = Array.isArray(value['logs']) ? value['logs'].map(logOf) : [null]
  if (number === null || hash === null || gasUsed === null) return null
  if ((status !== 0 && status !== 1) || logs.some((log) => log === null)) return null
  return {
    status: status === 1 ? 'success' : 'reverted',
    block: { number, hash },
    gasUsed,
    logs: logs as ChainLog[],
  }
}

/** True for the same bytes, whatever the case of their digits. */
function isSame(value: unknown, hex: Hex): boolean {
  return hexOf(value)?.toLowerCase() === hex.toLowerCase()
}

function lowerOf(hex: Hex): Hex {
  return hex.toLowerCase() as Hex
}

function logOf(value: unknown): ChainLog | null {
  if (!isRecord(value)) return null
  const [address, data, topics] = [hexOf(value['address']), hexOf(value['data']), value['topics']]
  if (address === null || data === null || !Array.isArray(topics)) return null
  const read = topics.map(hexOf)
  return read.includes(null) ? null : { address, data, topics: read as Hex[] }
}

/** Hashes of the transactions to which logs belong, without repetition; null: no such answer. */
export function transactionsOf(value: unknown): readonly Hex[] | null {
  if (!Array.isArray(value)) return null
  const hashes = value.map((log) => (isRecord(log) ? hexOf(log['transactionHash']) : null))
  return hashes.includes(null) ? null : [...new Set(hashes as Hex[])]
}
