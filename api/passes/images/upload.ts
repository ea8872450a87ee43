// Takes a picture for passes. The server decodes the upload and encodes it again before it stores
// anything; it never fetches a picture.
import { assert } from '../../../shared/assert.ts'
import type { PassImageRole } from '../../../shared/schemas/pass-content.ts'
import type { PassImage } from '../../../shared/schemas/pass-image.ts'
import type { Context, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireFreeExternalId, type TenantFields } from '../../write/tenant-fields.ts'
import { isAnswered, write } from '../../write/write.ts'
import { turnOf } from '../wallets/fair-queue.ts'
import type { PassImage as Picture } from '../wallets/images/recode.ts'
import type { ThreadsPort } from '../wallets/services.ts'
import { insertPassImage, lockImageQuota } from './store.ts'
import { passImageView } from './view.ts'

/**
 * Chosen: limit per tenant and environment. A brand has dozens of pictures, and each is 30 KB to
 * 300 KB in its three scales.
 */
export const IMAGES_MAX = 1000
export const IMAGE_BYTES_MAX = 100 * 1024 * 1024

export interface UploadInput extends TenantFields {
  role: PassImageRole
  /** Base64. */
  data: string
}

/**
 * Refuses (400) an unsupported, damaged or too large image, and (409) an image beyond the tenant's
 * limits.
 */
export async function uploadPassImage(
  context: Context,
  input: UploadInput,
  port: ThreadsPort,
): Promise<PassImage> {
  const { sql, principal, now } = context
  const id = context.newId('pimg')
  // A repeat needs no picture: write() finds the answer of the first call.
  const picture = (await isAnswered(sql, context)) ? null : await pictureIn(context, input, port)
  return write(context, async (inner) => {
    assert(picture !== null, 'what is written was read')
    const { role, externalId, metadata } = input
    await requireFreeExternalId(inner, principal, { table: 'pass_images', externalId, id })
    await requireRoom(inner, principal, picture)
    const made = { id, role, picture, now, externalId, metadata }
    return passImageView(await insertPassImage(inner, principal, made))
  })
}

async function requireRoom(sql: TxSql, owner: Owner, { scales }: Picture): Promise<void> {
  const { images, bytes } = await lockImageQuota(sql, owner)
  const wanted = Object.values(scales).reduce((sum, { png }) => sum + png.length, 0)
  if (images < IMAGES_MAX && bytes + wanted <= IMAGE_BYTES_MAX) return
  throw new Refusal('too_many_images', {
    extra: { images, images_max: IMAGES_MAX, bytes, bytes_max: IMAGE_BYTES_MAX },
  })
}

async function pictureIn(
  { principal }: Context,
  { role, data }: UploadInput,
  { walletThreads }: ThreadsPort,
): Promise<Picture> {
  const bytes = Buffer.from(data, 'base64')
  const read = await walletThreads.run(turnOf(principal), { kind: 'image', role, bytes })
  if (read.ok) return read.value
  throw new Refusal('parameter_invalid', {
    param: 'data',
    message: 'The image ' + read.error + '.',
  })
}
