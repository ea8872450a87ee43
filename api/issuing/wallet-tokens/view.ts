// Only this module makes a wallet token's row public.
import { unixSeconds } from '../../../shared/clock.ts'
import type { WalletToken } from '../../../shared/schemas/wallet-token.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'
import type { WalletTokenStatus } from './states.ts'

export interface WalletTokenRow extends TenantFields {
  id: string
  environment: Environment
  cardId: string
  provider: string
  status: WalletTokenStatus
  createdAt: number
}

export function walletTokenView(row: WalletTokenRow): WalletToken {
  return {
    id: row.id,
    object: 'wallet_token',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    card_id: row.cardId,
    provider: row.provider,
    status: row.status,
    external_id: row.externalId,
    metadata: row.metadata,
  }
}
