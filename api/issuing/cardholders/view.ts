// Only this module makes a cardholder's row public.
import { unixSeconds } from '../../../shared/clock.ts'
import type { Address, Cardholder, Kyc, Screening } from '../../../shared/schemas/cardholder.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { CardholderStatus, Environment } from '../../../shared/wire/config-records.ts'
import type { Freezer } from './states.ts'

/** Personal data beside the name; absent fields are unknown. */
export interface Details {
  first_name?: string
  last_name?: string
  email?: string
  phone?: string
  date_of_birth?: string
  address?: Address
}

export interface Freeze {
  by: Freezer
  reason: string | null
}

export interface CardholderRow {
  id: string
  environment: Environment
  programId: string
  name: string
  status: CardholderStatus
  details: Details
  kyc: Kyc
  screening: Screening
  frozen: boolean
  /** The strongest first. */
  freezes: readonly Freeze[]
  externalId: string | null
  metadata: Metadata
  createdAt: number
  /** By the tenant's clock; null while the person is not erased. */
  erasedAt: number | null
}

/** The name and the details of a person, null where they are unknown. */
export function identityView({ name, details }: Pick<CardholderRow, 'name' | 'details'>) {
  return {
    name,
    first_name: details.first_name ?? null,
    last_name: details.last_name ?? null,
    email: details.email ?? null,
    phone: details.phone ?? null,
    date_of_birth: details.date_of_birth ?? null,
    address: details.address ?? null,
  }
}

export function cardholderView(row: CardholderRow): Cardholder {
  const { freezes } = row
  const [freeze] = freezes
  return {
    id: row.id,
    object: 'cardholder',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    program_id: row.programId,
    type: 'individual',
    ...identityView(row),
    status: row.status,
    kyc: row.kyc,
    screening: row.screening,
    frozen: row.frozen,
    frozen_reason: freeze?.reason ?? null,
    frozen_by: freeze?.by ?? null,
    erased_at: row.erasedAt === null ? null : unixSeconds(row.erasedAt),
    external_id: row.externalId,
    metadata: row.metadata,
  }
}
