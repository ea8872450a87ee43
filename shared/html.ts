// HTML as a tagged template: every inserted value is text, unless this template itself made it.
import { assert } from './assert.ts'

const ESCAPES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An address that may stand in `href`, `src` or `action`. Only `url` makes one. */
class Url {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * Paths of ours, also relative ones, parts of the page, https, plain http of this machine, and
 * pictures as data.
 */
const SAFE_ADDRESS =
  /^(?:\/(?![/\\])|\.\.?\/(?![/\\])|#|https:\/\/|http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?=[:/]|$)|data:image\/(?:png|jpeg);base64,)/

/** Throws for an address that could run a script or lead to another site than it seems. */
export function url(text: string): Url {
  // Browsers skip tabs and line breaks in an address.
  assert(SAFE_ADDRESS.test(text) && !/[\s\p{Cc}]/u.test(text), 'an address of a page is safe')
  return new Url(text)
}

type Piece = Html | Url | string | number | null | readonly Piece[]

/**
 * Safe between tags and in quoted attributes. Null renders as empty text, a list as its pieces one
 * after the other.
 */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(String.raw({ raw: strings }, ...pieces.map(escaped)))
}

function escaped(piece: Piece): string {
  if (piece instanceof Html) return piece.text
  if (piece instanceof Url) return escaped(piece.text)
  if (piece === null) return ''
  if (typeof piece === 'object') return piece.map(escaped).join('')
  return String(piece).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
