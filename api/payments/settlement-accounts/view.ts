// Only this module makes rows of settlement accounts public.
import { type EpochMs, isoInstant, unixSeconds } from '../../../shared/clock.ts'
import type {
  SettlementAccount,
  SettlementAccountStatus,
} from '../../../shared/schemas/settlement-account.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface SettlementAccountRow {
  id: string
  environment: Environment
  status: SettlementAccountStatus
  usableAt: EpochMs
  address: string
  chainId: number
  name: string
  mcc: string
  country: string
  schedule: SettlementAccount['schedule']
  feeBps: number
  externalId: string | null
  metadata: Metadata
  createdAt: EpochMs
}

/** An account becomes usable by the passage of time: no timer moves it. */
export function statusAt(
  { status, usableAt }: Pick<SettlementAccountRow, 'status' | 'usableAt'>,
  now: EpochMs,
): SettlementAccountStatus {
  return status === 'waiting' && usableAt <= now ? 'usable' : status
}

/** `now` by the tenant's clock. */
export function settlementAccountView(row: SettlementAccountRow, now: EpochMs): SettlementAccount {
  return {
    id: row.id,
    object: 'settlement_account',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    status: statusAt(row, now),
    usable_at: isoInstant(row.usableAt),
    address: row.address,
    chain_id: row.chainId,
    name: row.name,
    mcc: row.mcc,
    country: row.country,
    schedule: row.schedule,
    fee_bps: row.feeBps,
    external_id: row.externalId,
    metadata: row.metadata,
  }
}
