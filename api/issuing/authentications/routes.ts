// The endpoints of 3DS authentications. The access control server calls them with a key of the
// tenant it works for.
import { Type } from '../../../shared/schema-builders.ts'
import { AUTHENTICATION_RESULTS, Authentication } from '../../../shared/schemas/authentication.ts'
import { described } from '../../../shared/schemas/described.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import { recordAuthentication } from './record.ts'
import { findAuthentication } from './store.ts'
import { authenticationView } from './view.ts'

/**
 * Chosen: a result counts for a quarter of an hour, at most for the 90 days that networks let one
 * stand.
 */
const VALID_SECONDS_DEFAULT = 900
const VALID_SECONDS_MAX = 90 * 86_400

const Id = Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })

export const authenticationRoutes: readonly Route[] = [
  route({
    method: 'POST',
    paths: ['/v1/authentications'],
    scope: 'write',
    entitled: 'always',
    summary: 'Records what the access control server found out in a 3DS transaction.',
    family: 'card',
    body: closed({
      three_ds_transaction_id: described(
        Id,
        'The id of the 3DS transaction, as the directory server gave it.',
      ),
      card_id: Id,
      result: Type.Enum([...AUTHENTICATION_RESULTS]),
      valid_seconds: described(
        Type.Optional(Type.Integer({ minimum: 1, maximum: VALID_SECONDS_MAX })),
        'How long the result counts, in seconds; 900 when left out.',
      ),
    }),
    answer: Authentication,
    status: 201,
    run: (context, { body }) =>
      recordAuthentication(context, {
        id: body.three_ds_transaction_id,
        cardId: body.card_id,
        result: body.result,
        validSeconds: body.valid_seconds ?? VALID_SECONDS_DEFAULT,
      }),
  }),
  route({
    method: 'GET',
    paths: ['/v1/authentications/:id'],
    scope: 'read',
    summary: 'Returns what was found out in one 3DS transaction.',
    family: 'card',
    params: IdParams,
    answer: Authentication,
    run: (context, { params }) => readAuthentication(context, params.id),
  }),
]

async function readAuthentication(
  { sql, principal }: Context,
  id: string,
): Promise<Authentication> {
  const authentication = await findAuthentication(sql, principal, id)
  if (authentication === null) throw new Refusal('resource_missing')
  return authenticationView(authentication)
}
