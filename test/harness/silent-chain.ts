// A chain that nothing answers for, and an address on it that is paid.
import type { Sql } from '../../api/database/pool.ts'
import type { ChainConfig } from '../../api/payments/chain/chain-config.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import type { TestTenant } from './tenant.ts'

type Hex = `0x${string}`

export const SHOP: Hex = '0x1111111111111111111111111111111111111111'

/** A chain that nothing asks. */
export const PLACE: ChainConfig = {
  environment: 'sandbox',
  chainId: 31_337,
  genesisHash: `0x${'11'.repeat(32)}`,
  settlement: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  token: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
  finality: 'finalized',
  least: 1,
  rpcUrls: [],
  maxFeeWei: 0n,
  signer: { kind: 'local' },
}

/** The file of a chain of which no RPC answers. */
export function silentChain(): object {
  const { chainId, genesisHash, settlement, token, finality } = PLACE
  return {
    ...{ chain_id: chainId, genesis_hash: genesisHash, settlement, token, finality },
    ...{ rpc_urls: ['http://127.0.0.1:9'], max_fee_gwei: 100, signer: { kind: 'local' } },
  }
}

export async function seedPayee(
  sql: Sql,
  { tenantId, environment }: Pick<TestTenant, 'tenantId' | 'environment'>,
): Promise<string> {
  const id = newId('sacc', systemClock.nowMs())
  await sql`
    insert into settlement_accounts (id, tenant_id, environment, status, usable_at, address,
      chain_id, name, mcc, country, schedule, fee_bps, created_at)
    values (${id}, ${tenantId}, ${environment}, 'usable', 0, ${SHOP}, ${PLACE.chainId},
      'Northwind Books', '5942', 'US', '{"interval":"continuous"}'::text::jsonb, 0, 0)`
  return id
}
