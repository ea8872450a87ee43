// HTML as a tagged template: every inserted value is text, unless this template itself made it.

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

type Piece = Html | string | number | null | readonly Piece[]

/**
 * Safe between tags and in quoted attributes. Null renders as empty text, a list as its pieces one
 * after the other.
 */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(String.raw({ raw: strings }, ...pieces.map(escaped)))
}

function escaped(piece: Piece): string {
  if (piece instanceof Html) return piece.text
  if (piece === null) return ''
  if (typeof piece === 'object') return piece.map(escaped).join('')
  return String(piece).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
