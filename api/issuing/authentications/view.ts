// Only this module makes a 3DS authentication's row public.
import { unixSeconds } from '../../../shared/clock.ts'
import type { Authentication } from '../../../shared/schemas/authentication.ts'
import type { AuthenticationConfig, Environment } from '../../../shared/wire/config-records.ts'

export interface AuthenticationRow {
  id: string
  environment: Environment
  cardId: string
  result: AuthenticationConfig['result']
  createdAt: number
  expiresAt: number
}

export function authenticationView(row: AuthenticationRow): Authentication {
  return {
    id: row.id,
    object: 'authentication',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    card_id: row.cardId,
    result: row.result,
    expires_at: unixSeconds(row.expiresAt),
  }
}
