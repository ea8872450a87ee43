// Addresses at which money would be lost.
import type { SqlTag } from '../../database/pool.ts'
import { Refusal } from '../../http/refusal.ts'
import type { ChainConfig } from '../chain/chain-config.ts'
import { addressProblem } from '../chain/holder-account.ts'
import { isHolderAddress } from './store.ts'

/** The reason not to send money to an address, for programs; null where there is none. */
export async function payeeProblem(
  sql: SqlTag,
  address: string,
  chain: ChainConfig,
): Promise<string | null> {
  const { chainId } = chain
  const problem = addressProblem(address, chain)
  if (problem !== null) return problem
  return (await isHolderAddress(sql, { chainId, address })) ? 'holder' : null
}

/** Refuses with 400 address_refused and the reason. */
export async function requirePayeeAddress(
  sql: SqlTag,
  address: string,
  chain: ChainConfig,
): Promise<void> {
  const reason = await payeeProblem(sql, address, chain)
  if (reason !== null) throw new Refusal('address_refused', { param: 'address', extra: { reason } })
}
