// Deletes a picture that no pass shows.
import type { DeletedPassImage } from '../../../shared/schemas/pass-image.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { isPictured, lockPassImage, removePassImage } from './store.ts'

/**
 * Chosen: the call is refused (409) while a version of a template names the picture, including
 * earlier versions: passes may show those, and wallets may fetch the picture again.
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
