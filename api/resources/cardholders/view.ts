// The only way a cardholder's row becomes public.
import { unixSeconds } from '../../../shared/clock.ts'
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import type { CardholderStatus, Environment } from '../../../shared/wire/facts.ts'

export interface CardholderRow {
  id: string
  environment: Environment
  programId: string
  name: string
  status: CardholderStatus
  frozen: boolean
  frozenReason: string | null
  createdAt: number
}

export function cardholderView(row: CardholderRow): Cardholder {
  return {
    id: row.id,
    object: 'cardholder',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    program_id: row.programId,
    name: row.name,
    status: row.status,
    frozen: row.frozen,
    frozen_reason: row.frozenReason,
  }
}
