// The pictures a template names.
import type { PassImages } from '../../../shared/schemas/pass-content.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { lockImages } from './store.ts'

/**
 * Refuses (400) an id that is no image of the owner for that place; the valid images stay until the
 * transaction ends.
 */
export async function requireImages(sql: TxSql, owner: Owner, images: PassImages): Promise<void> {
  const wanted = Object.entries(images).flatMap(([role, id]) => (id === null ? [] : [{ role, id }]))
  if (wanted.length === 0) return
  const found = await lockImages(sql, owner, wanted)
  const missing = wanted.find(
    ({ role, id }) => !found.some((image) => image.role === role && image.id === id),
  )
  if (missing === undefined) return
  throw imageMissing(missing.role)
}

export function imageMissing(role: string): Refusal {
  return new Refusal('parameter_invalid', {
    param: '/images/' + role,
    message: 'There is no image of yours with this id for this place.',
  })
}
