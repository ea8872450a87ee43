// Which names came lately, roughly, in a small fixed piece of memory. Of a million cards most come once in a long while: what was
// found out about one is worth keeping only where it comes again before it would be forgotten anyway. What is kept once lasts
// longer than the young of the heap, and costs the collector more than finding it out.

/** Ids and tokens begin with their kind and the time; what tells them apart stands at the end. */
const CHARS = 10
/** FNV-1a. */
const OFFSET = 0x811c9dc5 | 0
const PRIME = 0x01000193
/** Names that share a place and stay beside each other: two that come in turns do not put each other out. */
const SHARE = 4

export class SeenLately {
  readonly #marks: Int32Array
  readonly #placeMask: number

  /** Remembers about so many names, a power of two, until later ones take their place. */
  constructor(names: number) {
    this.#marks = new Int32Array(names)
    this.#placeMask = names / SHARE - 1
  }

  /** True where the name came lately, now and then also where it did not; from now on it has. */
  again(name: string): boolean {
    const marks = this.#marks
    const mark = markOf(name)
    const first = (mark & this.#placeMask) * SHARE
    for (let at = first; at < first + SHARE; at++) if (marks[at] === mark) return true
    for (let at = first + SHARE - 1; at > first; at--) marks[at] = marks[at - 1] as number
    marks[first] = mark
    return false
  }
}

function markOf(name: string): number {
  let mark = OFFSET
  for (let at = Math.max(0, name.length - CHARS); at < name.length; at++)
    mark = Math.imul(mark ^ name.charCodeAt(at), PRIME)
  return mark
}
