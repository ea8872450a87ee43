// All reads of 3DS authentications.
import type { Authentication } from '../../../shared/schemas/authentication.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { findAuthentication } from './store.ts'
import { authenticationView } from './view.ts'

export async function readAuthentication(
  { sql, principal }: Context,
  id: string,
): Promise<Authentication> {
  const authentication = await findAuthentication(sql, principal, id)
  if (authentication === null) throw new Refusal('resource_missing')
  return authenticationView(authentication)
}
