// Answers of Settlement about accounts. Token units are texts: the answers of several RPCs are
// compared as JSON.
import type { Hex } from 'viem'
import { decodeFunctionResult } from 'viem/utils'
import { SETTLEMENT_ABI } from './terms.ts'

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
  const abi = SETTLEMENT_ABI
  const states = decodeFunctionResult({
    abi,
    functionName: 'standingsOf',
    data: bytes,
  }) as { balance: bigint; leaving: bigint; withdrawn: bigint }[]
  if (states.length !== count) return null
  return states.map(({ balance, leaving, withdrawn }) => ({
    balance: String(balance),
    leaving: String(leaving),
    withdrawn: String(withdrawn),
  }))
}

/** Token units that payees got, in their order; null for an answer of another form. */
export function readPaid(bytes: Hex, count: number): readonly string[] | null {
  const abi = SETTLEMENT_ABI
  const paid = decodeFunctionResult({ abi, functionName: 'paidTo', data: bytes }) as bigint[]
  return paid.length === count ? paid.map(String) : null
}

/** Token units of accounts, in their order; null for an answer of another form. */
export function readBalances(bytes: Hex, count: number): readonly string[] | null {
  const abi = SETTLEMENT_ABI
  const balances = decodeFunctionResult({
    abi,
    functionName: 'balancesOf',
    data: bytes,
  }) as bigint[]
  return balances.length === count ? balances.map(String) : null
}
