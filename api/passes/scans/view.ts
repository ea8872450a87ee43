// Only this module makes a scan's row public.
import { unixSeconds } from '../../../shared/clock.ts'
import type { PassScan, ScanMedium, ScanResult } from '../../../shared/schemas/pass-scan.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface ScanRow {
  id: string
  environment: Environment
  scannerId: string
  passId: string | null
  medium: ScanMedium
  result: ScanResult
  latitude: number | null
  longitude: number | null
  createdAt: number
}

export function scanView(row: ScanRow): PassScan {
  return {
    id: row.id,
    object: 'pass_scan',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    scanner_id: row.scannerId,
    pass_id: row.passId,
    medium: row.medium,
    verification_result: row.result,
    latitude: row.latitude,
    longitude: row.longitude,
  }
}
