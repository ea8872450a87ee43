// Only this module makes an image's row public.
import { unixSeconds } from '../../../shared/clock.ts'
import type { PassImageRole } from '../../../shared/schemas/pass-content.ts'
import type { PassImage } from '../../../shared/schemas/pass-image.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'

export interface PassImageRow extends TenantFields {
  id: string
  environment: Environment
  role: PassImageRole
  width: number
  height: number
  sha256: string
  createdAt: number
}

export function passImageView(row: PassImageRow): PassImage {
  return {
    id: row.id,
    object: 'pass_image',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    role: row.role,
    width: row.width,
    height: row.height,
    sha256: row.sha256,
    external_id: row.externalId,
    metadata: row.metadata,
  }
}
