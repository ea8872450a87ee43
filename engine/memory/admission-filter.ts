// Remembers approximately which names came recently, in a small fixed piece of memory. Most of a
// million cards come rarely: a card's data is worth caching only if the card returns before its
// eviction. A value cached once outlives the young generation of the heap, and costs the garbage
// collector more than a new lookup.

/** Ids and tokens begin with their kind and the time; the distinguishing part is at the end. */
const CHARS = 10
/** FNV-1a. */
const OFFSET = 0x811c9dc5 | 0
const PRIME = 0x01000193
/** Names per place: two names that alternate do not evict each other. */
const SHARE = 4

export class AdmissionFilter {
  readonly #marks: Int32Array
  readonly #placeMask: number

  /** Remembers about this many names, a power of two, until later ones replace them. */
  constructor(names: number) {
    this.#marks = new Int32Array(names)
    this.#placeMask = names / SHARE - 1
  }

  /**
   * True if the name came recently, with rare false positives; the name is remembered from now on.
   */
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
