// Sizes of pass images: in points of Apple's wallet, where a screen has one, two or three pixels
// per point.
import type { PassImageRole } from '../../../../shared/schemas/pass-content.ts'

export const SCALES = [1, 2, 3] as const
export type Scale = (typeof SCALES)[number]

interface RoleSize {
  width: number
  height: number
  /**
   * `whole`: the full image, as large as fits. `filled`: the image fills the area, and the excess
   * is cut off.
   */
  fit: 'whole' | 'filled'
}

/** Apple, Human Interface Guidelines and Wallet Developer Guide. */
export const ROLE_SIZES: { readonly [Role in PassImageRole]: RoleSize } = {
  icon: { width: 29, height: 29, fit: 'filled' },
  logo: { width: 160, height: 50, fit: 'whole' },
  strip: { width: 375, height: 144, fit: 'filled' },
  thumbnail: { width: 90, height: 90, fit: 'whole' },
  background: { width: 180, height: 220, fit: 'filled' },
  footer: { width: 286, height: 15, fit: 'whole' },
}
