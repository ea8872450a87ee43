// A bar of used and left: lengths are attributes of SVG, because the policy allows no inline style.
import { type Html, html } from '../../../shared/html.ts'

const WIDTH = 200

/** `used` of `all`, with its words; a bar that is full reads so without colour. */
export function meter({ used, all, label }: { used: number; all: number; label: string }): Html {
  const share = all <= 0 ? 1 : Math.min(1, Math.max(0, used / all))
  const mood = share >= 1 ? 'full' : share >= 0.8 ? 'near' : 'free'
  return html`<svg class="meter ${mood}" viewBox="0 0 ${WIDTH} 8" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="rail" width="${WIDTH}" height="8"/><rect class="fill" width="${Math.round(share * WIDTH)}" height="8"/></svg>`
}
