// Only this module makes a scanner's row public.
import { unixSeconds } from '../../../shared/clock.ts'
import type { Scanner } from '../../../shared/schemas/pass-scan.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'

export interface ScannerRow extends TenantFields {
  id: string
  environment: Environment
  name: string
  createdAt: number
}

export function scannerView(row: ScannerRow): Scanner {
  return {
    id: row.id,
    object: 'scanner',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    name: row.name,
    external_id: row.externalId,
    metadata: row.metadata,
  }
}
