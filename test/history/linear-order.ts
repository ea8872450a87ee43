// Searches a linear order of the authorizations of one card in which every answer fits the limit
// (Wing and Gong): each takes effect once between its sending and its answer. One without an answer
// may have happened at any time after it was sent, or never.

export interface Operation {
  id: string
  amountCents: number
  /** Monotonic milliseconds at the sender. */
  sentMs: number
  /** Null where no answer came. */
  answer: { approved: boolean; atMs: number } | null
}

/** The ids in an order that explains every answer; null where there is none. */
export function linearOrder(
  operations: readonly Operation[],
  limitCents: number,
): readonly string[] | null {
  const sorted = [...operations].sort((one, other) => one.sentMs - other.sentMs)
  return new Search(sorted, limitCents).run()
}

class Search {
  readonly #operations: readonly Operation[]
  readonly #limitCents: number
  readonly #done: boolean[]
  readonly #order: string[] = []
  /** States from which no order was found: the operations done, as text. */
  readonly #hopeless = new Set<string>()

  constructor(operations: readonly Operation[], limitCents: number) {
    this.#operations = operations
    this.#limitCents = limitCents
    this.#done = operations.map(() => false)
  }

  run(): readonly string[] | null {
    return this.#from(0, 0) ? this.#order : null
  }

  /** `first`: everything before it is done. */
  #from(first: number, usedCents: number): boolean {
    const operations = this.#operations
    let begin = first
    while (begin < operations.length && this.#done[begin]) begin += 1
    if (!this.#answeredLeft(begin)) return true
    const state = begin + ' ' + usedCents + ' ' + this.#doneFrom(begin)
    if (this.#hopeless.has(state)) return false
    // No operation may take effect after the answer of one that is left.
    let latestMs = Number.POSITIVE_INFINITY
    for (let at = begin; at < operations.length; at++)
      if (!this.#done[at]) latestMs = Math.min(latestMs, operations[at]?.answer?.atMs ?? latestMs)
    for (let at = begin; at < operations.length; at++) {
      const operation = operations[at] as Operation
      if (operation.sentMs > latestMs) break
      if (!this.#done[at] && this.#tried(at, begin, usedCents)) return true
    }
    this.#hopeless.add(state)
    return false
  }

  #tried(at: number, begin: number, usedCents: number): boolean {
    const { amountCents, answer, id } = this.#operations[at] as Operation
    const approves = usedCents + amountCents <= this.#limitCents
    if (answer !== null && answer.approved !== approves) return false
    // Left out, an operation without an answer changes nothing, as a decline.
    if (answer === null && !approves) return false
    this.#done[at] = true
    this.#order.push(id)
    if (this.#from(begin, approves ? usedCents + amountCents : usedCents)) return true
    this.#done[at] = false
    this.#order.pop()
    return false
  }

  #answeredLeft(begin: number): boolean {
    for (let at = begin; at < this.#operations.length; at++)
      if (!this.#done[at] && this.#operations[at]?.answer !== null) return true
    return false
  }

  #doneFrom(begin: number): string {
    let text = ''
    for (let at = begin; at < this.#done.length; at++) text += this.#done[at] ? '1' : '0'
    return text.replace(/0+$/, '')
  }
}
