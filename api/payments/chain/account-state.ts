// Answers of Settlement about accounts. Token units are texts: the answers of several RPCs are
// compared as JSON.
import type { Hex } from 'viem'
import { SETTLEMENT_ABI } from './terms.ts'
import { viem } from './viem.ts'

/** A holder's account at a block; token units as texts. */
export interface AccountState {
  balance: string
  /** Asked for on the chain, without the service; at most the balance leaves. */
  leaving: string
  /** Units that ever left by withdrawals. */
  withdrawn: string
}

/** Accounts in their order; null for an answer of another form. */
export function readAccountStates(bytes: Hex, count: number): readonly AccountState[] | null {
  const states = readList<{ balance: bigint; leaving: bigint; withdrawn: bigint }>(
    'standingsOf',
    bytes,
    count,
  )
  if (states === null) return null
  return states.map(({ balance, leaving, withdrawn }) => ({
    balance: String(balance),
    leaving: String(leaving),
    withdrawn: String(withdrawn),
  }))
}

/** Token units that payees got, in their order; null for an answer of another form. */
export function readPaid(bytes: Hex, count: number): readonly string[] | null {
  return readList<bigint>('paidTo', bytes, count)?.map(String) ?? null
}

/** Token units of accounts, in their order; null for an answer of another form. */
export function readBalances(bytes: Hex, count: number): readonly string[] | null {
  return readList<bigint>('balancesOf', bytes, count)?.map(String) ?? null
}

/** A node that lacks the contract at a block answers without bytes, on which the library throws. */
function readList<Each>(functionName: string, data: Hex, count: number): readonly Each[] | null {
  try {
    const list = viem().decodeFunctionResult({ abi: SETTLEMENT_ABI, functionName, data }) as Each[]
    return list.length === count ? list : null
  } catch {
    return null
  }
}
