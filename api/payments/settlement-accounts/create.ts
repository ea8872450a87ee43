// Makes a settlement account: the address to which a tenant's captures are paid.
import type { SettlementAccount } from '../../../shared/schemas/settlement-account.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Context } from '../../context.ts'
import { requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import type { ChainPort } from '../chain/chain-config.ts'
import { requireChain, requirePayments } from '../require-payments.ts'
import { requirePayeeAddress } from './address.ts'
import { insertSettlementAccount } from './store.ts'
import { settlementAccountView } from './view.ts'

/** Chosen: in live a new address waits a day, so that a thief of a key can be stopped. */
const WAIT_MS = { sandbox: 0, live: 86_400_000 } as const
/** Chosen: the service takes no share until an operator agrees on one. */
const FEE_BPS = 0

interface AccountInput {
  address: string
  name: string
  mcc: string
  country: string
  schedule: SettlementAccount['schedule']
  externalId: string | null
  metadata: Metadata
}

export async function createSettlementAccount(
  context: Context,
  input: AccountInput,
  { chains }: ChainPort,
): Promise<SettlementAccount> {
  const { principal, now } = context
  const chain = requireChain(chains, principal.environment)
  const { address, name, mcc, country, schedule, externalId, metadata } = input
  const { chainId } = chain
  const waitMs = WAIT_MS[principal.environment]
  return write(context, async (sql) => {
    await requirePayments(sql, principal)
    await requirePayeeAddress(sql, address, chain)
    const id = context.newId('sacc')
    await requireFreeExternalId(sql, principal, { table: 'settlement_accounts', externalId, id })
    const account = await insertSettlementAccount(sql, principal, {
      ...{ id, address, chainId, name, mcc, country, schedule, externalId, metadata },
      status: waitMs > 0 ? 'waiting' : 'usable',
      usableAt: now + waitMs,
      feeBps: FEE_BPS,
      createdAt: now,
    })
    return settlementAccountView(account, now)
  })
}
