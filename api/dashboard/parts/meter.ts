// A bar of used and left: lengths are attributes of SVG, because the policy allows no inline style.
import { type Html, html } from '../../../shared/html.ts'

const WIDTH = 200

/** A share is bad where it is small, and not where it is large. */
const GOOD_SHARE = 0.95

/**
 * `used` of `all`, with its words; a bar that is full reads so without colour. `isGood`: a share of
 * what went well, which worries where it is small. `isPlain`: a size without a judgement.
 */
export function meter(of: {
  used: number
  all: number
  label: string
  isGood?: true
  isPlain?: true
}): Html {
  const { used, all, label } = of
  const share = all <= 0 ? 1 : Math.min(1, Math.max(0, used / all))
  const spent = share >= 1 ? 'full' : share >= 0.8 ? 'near' : 'free'
  const well = of.isGood !== true ? spent : share >= GOOD_SHARE ? 'free' : 'near'
  const mood = of.isPlain === true ? 'free' : well
  return html`<svg class="meter ${mood}" viewBox="0 0 ${WIDTH} 8" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="rail" width="${WIDTH}" height="8"/><rect class="fill" width="${Math.round(share * WIDTH)}" height="8"/></svg>`
}

/**
 * `asked` after what was `taken` of a limit, with its words. Where both go beyond the limit, the
 * bar is as long as they are, and the rail ends at the limit.
 */
export function askedMeter(of: {
  taken: number
  asked: number
  limit: number
  isOver: boolean
  label: string
}): Html {
  const { taken, asked, limit, isOver, label } = of
  const most = Math.max(limit, taken + asked, 1)
  const at = (amount: number): number => Math.round((amount / most) * WIDTH)
  const begin = at(taken)
  return html`<svg class="meter ${isOver ? 'over' : 'free'}" viewBox="0 0 ${WIDTH} 8" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="rail" width="${at(limit)}" height="8"/><rect class="fill" width="${begin}" height="8"/><rect class="asked" x="${begin}" width="${Math.max(asked > 0 ? 1 : 0, at(taken + asked) - begin)}" height="8"/><rect class="edge" x="${Math.min(WIDTH - 1, at(limit))}" width="1" height="8"/></svg>`
}
