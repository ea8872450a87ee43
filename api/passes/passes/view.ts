// Only this module makes a pass's row public.
import { isoInstant, unixSeconds } from '../../../shared/clock.ts'
import type { Pass, PassPlatform, PassStatus } from '../../../shared/schemas/pass.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Context } from '../../context.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'

export interface PassRow extends TenantFields {
  id: string
  environment: Environment
  status: PassStatus
  templateId: string
  templateVersion: number
  version: number
  platform: PassPlatform | null
  holderName: string | null
  values: { [name: string]: string }
  cardId: string | null
  expiresAt: number | null
  redeemedAt: number | null
  payload: string
  revokeReason: string | null
  createdAt: number
  updatedAt: number
  /** Installation time of the last change that a wallet shows. */
  changedAt: number
}

/**
 * Path of a pass's page below the public address. The path has only the id: anyone with the id sees
 * the pass.
 */
export const PASS_PAGE_PATH = '/p/'

export interface PassPorts {
  /** Base URL for pass holders and their devices, without a slash at its end. */
  publicUrl: string
}

/** Context of a call that shows passes. */
export type PassContext = Context & PassPorts

/** Adds the port by which passes are shown to the context of a call. */
export function inPasses(context: Context, { publicUrl }: PassPorts): PassContext {
  return { ...context, publicUrl }
}

/** `publicUrl` is the public address for holders, without a slash at its end. */
export function passView(row: PassRow, publicUrl: string): Pass {
  return {
    id: row.id,
    object: 'pass',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    status: row.status,
    template_id: row.templateId,
    template_version: row.templateVersion,
    version: row.version,
    updated: unixSeconds(row.updatedAt),
    platform: row.platform,
    holder_name: row.holderName,
    values: row.values,
    card_id: row.cardId,
    expires_at: row.expiresAt === null ? null : isoInstant(row.expiresAt),
    redeemed_at: row.redeemedAt === null ? null : unixSeconds(row.redeemedAt),
    payload: row.payload,
    url: publicUrl + PASS_PAGE_PATH + row.id,
    revoke_reason: row.revokeReason,
    external_id: row.externalId,
    metadata: row.metadata,
  }
}
