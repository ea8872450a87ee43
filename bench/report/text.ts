// Text and numbers of the report, as they stand in HTML.

const ESCAPES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text that is nothing but text, in an element and in an attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}

/** A number with three or four significant digits: 12,300; 1.23; 0.0123. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  if (size >= 1000) return Math.round(value).toLocaleString('en-US')
  if (size === 0) return '0'
  return String(Number(value.toPrecision(3)))
}

/** On an axis, where there is little room: 50k, 1.5M. */
export function short(value: number): string {
  if (value >= 1e6) return shown(value / 1e6) + 'M'
  if (value >= 1e4) return shown(value / 1e3) + 'k'
  return shown(value)
}

export interface Figure {
  name: string
  text: string
}

/** Every number and word in a nested object, with the way to it as its name. */
export function flattened(value: unknown, name = ''): Figure[] {
  if (typeof value === 'number') return [{ name, text: shown(value) }]
  if (typeof value === 'string' || typeof value === 'boolean')
    return [{ name, text: String(value) }]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value) && value.every((item) => typeof item === 'number'))
    return value.length === 0 ? [] : [{ name, text: value.map(shown).join(', ') }]
  return Object.entries(value).flatMap(([key, inner]) =>
    flattened(inner, name === '' ? key : name + ' · ' + key),
  )
}
