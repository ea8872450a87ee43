// Default colours of a pass.
import type { PassColors } from '../../../shared/schemas/pass-content.ts'

/** Colours of text and labels on light and on dark backgrounds. */
const ON_LIGHT = { foreground: '#000000', label: '#666666' }
const ON_DARK = { foreground: '#ffffff', label: '#cccccc' }
/** WCAG 2.2, 1.4.3: minimum contrast for small text. */
const CONTRAST_MIN = 4.5

/** Chosen: colours readable on the background, `#rrggbb`. */
export function colorsOn(background: string): PassColors {
  const [dark, light] = [ON_LIGHT, ON_DARK].map(({ foreground }) =>
    contrast(background, foreground),
  )
  const { foreground, label } = (dark ?? 0) >= (light ?? 0) ? ON_LIGHT : ON_DARK
  const readable = contrast(background, label) >= CONTRAST_MIN
  return { background, foreground, label: readable ? label : foreground }
}

/** WCAG 2.2, “contrast ratio”: from 1 to 21. */
function contrast(one: string, other: string): number {
  const [less = 0, more = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (more + 0.05) / (less + 0.05)
}

/** WCAG 2.2, “relative luminance”: from 0 to 1. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
