// The endpoint of second factors: the maker of a call polls it. People see pages instead.
import { unixSeconds } from '../../../shared/clock.ts'
import { FactorChallenge } from '../../../shared/schemas/factor-challenge.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { IdParams, type Route, route } from '../../http/route.ts'
import { usableUntil } from './approval.ts'
import { openChallenge } from './challenge.ts'
import { findChallenge } from './store.ts'

/**
 * Refuses a denied challenge (403), and a challenge that expired or whose approval was used (410).
 */
async function readChallenge(context: Context, id: string): Promise<FactorChallenge> {
  const { sql, unseal, principal } = context
  const row = await findChallenge(sql, principal, id)
  if (row === null) throw new Refusal('resource_missing')
  if (row.state === 'denied') throw new Refusal('factor_denied')
  // Challenges use installation time.
  const now = context.now - principal.clockOffsetMs
  if (row.usedAt !== null || now >= usableUntil(row)) throw new Refusal('factor_expired')
  const approved = row.state === 'approved'
  return {
    id: row.id,
    object: 'factor_challenge',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    status: approved ? 'completed' : 'pending',
    token: approved ? openChallenge(unseal, row.sealed).token : null,
    expires_at: unixSeconds(usableUntil(row)),
  }
}

export const factorRoutes: readonly Route[] = [
  route({
    summary: 'Says whether a person has approved a call; 202 while nobody has decided.',
    method: 'GET',
    paths: ['/v1/factor_challenges/:id'],
    scope: 'read',
    params: IdParams,
    answer: FactorChallenge,
    pending: (answer) => (answer as FactorChallenge).status === 'pending',
    run: (context, { params }) => readChallenge(context, params.id),
  }),
]
