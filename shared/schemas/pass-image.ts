// A picture for passes as the outside sees it: the result of an upload.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { PASS_IMAGE_ROLES } from './pass-content.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

export const PassImage = Type.Object({
  id: Type.String(),
  object: Type.Literal('pass_image'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  role: described(
    Type.Enum([...PASS_IMAGE_ROLES]),
    'Where on a pass it stands; it was cut to the size of that place.',
  ),
  width: described(Type.Integer(), 'Pixels, at three of them per point.'),
  height: described(Type.Integer(), 'Pixels, at three of them per point.'),
  sha256: described(
    Type.String(),
    'The SHA-256 digest of the picture as wallets get it, 64 hex digits. Equal pictures have equal digests.',
  ),
  ...TENANT_FIELDS,
})
export type PassImage = Static<typeof PassImage>

/** The remains of a deleted image. */
export const DeletedPassImage = Type.Object({
  id: Type.String(),
  object: Type.Literal('pass_image'),
  deleted: Type.Literal(true),
})
export type DeletedPassImage = Static<typeof DeletedPassImage>
