// A picture for passes as the outside sees it: the result of an upload.
import { type Static, Type } from 'typebox'
import { OWN_DATA } from './own-data.ts'
import { PASS_IMAGE_ROLES } from './pass-content.ts'

export const PassImage = Type.Object({
  id: Type.String(),
  object: Type.Literal('pass_image'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** Where on a pass it stands; it was cut to the size of that place. */
  role: Type.Enum([...PASS_IMAGE_ROLES]),
  /** Pixels, at three of them per point. */
  width: Type.Integer(),
  /** Pixels, at three of them per point. */
  height: Type.Integer(),
  /**
   * The SHA-256 digest of the picture as wallets get it, 64 hex digits. Equal pictures have equal
   * digests.
   */
  sha256: Type.String(),
  ...OWN_DATA,
})
export type PassImage = Static<typeof PassImage>

/** The remains of a deleted image. */
export const DeletedPassImage = Type.Object({
  id: Type.String(),
  object: Type.Literal('pass_image'),
  deleted: Type.Literal(true),
})
export type DeletedPassImage = Static<typeof DeletedPassImage>
