// Records the result of the access control server, so that the engine need not trust the network's
// claim.
import type { Authentication } from '../../../shared/schemas/authentication.ts'
import type { AuthenticationConfig } from '../../../shared/wire/config-records.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { findAuthentication, insertAuthentication } from './store.ts'
import { authenticationView } from './view.ts'

/**
 * Chosen: a result is recorded once and never changed. Recording the same result again returns it;
 * another one for the same 3DS transaction is 409.
 */
export async function recordAuthentication(
  context: Context,
  input: {
    id: string
    cardId: string
    result: AuthenticationConfig['result']
    validSeconds: number
  },
): Promise<Authentication> {
  const { principal, now } = context
  return writeConfirmed(
    context,
    async (sql) => {
      const { id, cardId, result, validSeconds } = input
      const expiresAt = now + validSeconds * 1000
      const row = await insertAuthentication(sql, principal, {
        id,
        cardId,
        result,
        createdAt: now,
        expiresAt,
      })
      if (row === null) throw new Refusal('resource_missing', { param: 'card_id' })
      if (row !== 'taken') return authenticationView(row)
      const earlier = await findAuthentication(sql, principal, id)
      if (earlier?.cardId === cardId && earlier.result === result)
        return authenticationView(earlier)
      throw new Refusal('invalid_state', {
        message: 'Another result was recorded for this 3DS transaction.',
      })
    },
    { safeToRepeat: true },
  )
}
