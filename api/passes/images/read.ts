// All reads of pass images.
import type { Page } from '../../../shared/schemas/list.ts'
import type { PassImage } from '../../../shared/schemas/pass-image.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import type { FileAnswer } from '../../http/route.ts'
import type { Scale } from '../wallets/model/image-roles.ts'
import { findPassImage, findPicture, listPassImages, type PassImageFilters } from './store.ts'
import { passImageView } from './view.ts'

export async function readPassImage({ sql, principal }: Context, id: string): Promise<PassImage> {
  const image = await findPassImage(sql, principal, id)
  if (image === null) throw new Refusal('resource_missing')
  return passImageView(image)
}

/** Returns the picture, a PNG; the picture of an id never changes. */
export async function readPicture(
  { sql, principal }: Context,
  input: { id: string; scale: Scale },
): Promise<FileAnswer> {
  const png = await findPicture(sql, principal, input)
  if (png === null) throw new Refusal('resource_missing')
  return { body: png, headers: { 'Cache-Control': 'private, max-age=31536000, immutable' } }
}

export async function readPassImages(
  { sql, principal }: Context,
  query: PageQuery & PassImageFilters,
): Promise<Page<PassImage>> {
  return mapPage(await listPassImages(sql, principal, query), passImageView)
}
