// All reads of card tokens.
import type { FoundCardToken } from '../../../shared/schemas/card-token.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { findCardToken } from './store.ts'
import { foundCardTokenView } from './view.ts'

/** Chosen: a used or expired token is shown for a day more, so that a tenant sees its end. */
export async function readCardToken(
  { sql, principal }: Context,
  id: string,
): Promise<FoundCardToken> {
  const token = await findCardToken(sql, principal, id)
  if (token === null) throw new Refusal('resource_missing')
  return foundCardTokenView(token)
}
