// Takes a picture away that stands on no pass.
import type { DeletedPassImage } from '../../../shared/schemas/pass-image.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refuse.ts'
import { write } from '../../write.ts'
import { isPictured, lockPassImage, removePassImage } from './store.ts'

/**
 * Chosen: refused (409) while a version of a template names it, an earlier one too: passes may show that, and wallets ask for it
 * again.
 */
export async function deletePassImage(context: Context, id: string): Promise<DeletedPassImage> {
  const { principal } = context
  return write(context, async (sql) => {
    if (!(await lockPassImage(sql, principal, id))) throw new Refusal('resource_missing')
    if (await isPictured(sql, principal, id)) throw new Refusal('image_in_use')
    await removePassImage(sql, principal, id)
    return { id, object: 'pass_image' as const, deleted: true as const }
  })
}
