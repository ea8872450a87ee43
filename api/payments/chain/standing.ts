// Answers of Settlement about accounts. Token units are texts: the answers of several RPCs are
// compared as JSON.
import type { Hex } from 'viem'
import { decodeFunctionResult } from 'viem/utils'
import { SETTLEMENT_ABI } from './terms.ts'

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
