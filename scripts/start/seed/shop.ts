// The shop of the sandbox, which payments are paid to. It stands in the database like keys and
// owner: a call would need the owner's factor.
import type { Sql } from '../../../api/database/pool.ts'
import { tx } from '../../../api/database/transaction.ts'
import { insertSettlementAccount } from '../../../api/payments/settlement-accounts/index.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { freshAddress, type Hex } from '../../chain-peer/deploy.ts'

/** The external id of the shop's settlement account. */
export const SHOP = 'sandbox-shop'

export interface Shop {
  id: string
  address: Hex
}

/** The shop's settlement account, made where there is none. */
export async function ensureShop(
  sql: Sql,
  { tenantId, chainId, now }: { tenantId: string; chainId: number; now: EpochMs },
): Promise<Shop> {
  return tx(sql, async (inner) => {
    const [known] = await inner<Shop[]>`
      select id, address from settlement_accounts
      where tenant_id = ${tenantId} and environment = 'sandbox' and external_id = ${SHOP}`
    if (known !== undefined) return known
    const address = freshAddress()
    const owner = { tenantId, environment: 'sandbox' as const }
    const { id } = await insertSettlementAccount(inner, owner, {
      ...{ id: newId('sacc', now), status: 'usable', usableAt: now, address, chainId },
      ...{ name: 'Corner Books', mcc: '5942', country: 'US', feeBps: 0, createdAt: now },
      ...{ schedule: { interval: 'continuous' }, externalId: SHOP, metadata: {} },
    })
    return { id, address }
  })
}
