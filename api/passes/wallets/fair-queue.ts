// Turns of tenants in threads that they share. A tenant with fewer tasks under way goes first, and
// among equals the one that was served longest ago: however much one tenant brings at once, another
// one waits only for tasks that run already, and finds room.

import type { Owner } from '../../context.ts'

interface FairQueueBounds {
  /** Tasks of one tenant that may wait. */
  perTenant: number
  /** Tasks of all tenants together. */
  total: number
}

/** The name under which a tenant takes turns: its sandbox and its live data apart. */
export function turnOf({ tenantId, environment }: Owner): string {
  return tenantId + ' ' + environment
}

export class FairQueue<Item> {
  readonly #bounds: FairQueueBounds
  /** Maps keep insertion order: a tenant that was served goes to the back. */
  readonly #waiting = new Map<string, Item[]>()
  readonly #running = new Map<string, number>()
  #count = 0

  constructor(bounds: FairQueueBounds) {
    this.#bounds = bounds
  }

  /**
   * Returns the task that is refused for want of room, null where there was room for all: the
   * newest task of the tenant with the most waiting, which may be the given one.
   */
  add(tenantId: string, item: Item): Item | null {
    const own = this.#waiting.get(tenantId) ?? []
    if (own.length >= this.#bounds.perTenant) return item
    let refused: Item | null = null
    if (this.#count >= this.#bounds.total) {
      const most = this.#longest()
      // A change of places between equals would help nobody.
      if (own.length + 1 >= most.length) return item
      refused = most.pop() ?? null
      this.#count -= 1
    }
    own.push(item)
    this.#count += 1
    if (own.length === 1) this.#waiting.set(tenantId, own)
    return refused
  }

  /** The next task to run, null where none waits. The caller says `ended` when it is over. */
  next(): { tenantId: string; item: Item } | null {
    const tenantId = this.#nextTenant()
    const own = tenantId === null ? undefined : this.#waiting.get(tenantId)
    const item = own?.shift()
    if (tenantId === null || own === undefined || item === undefined) return null
    this.#count -= 1
    this.#running.set(tenantId, (this.#running.get(tenantId) ?? 0) + 1)
    this.#waiting.delete(tenantId)
    if (own.length > 0) this.#waiting.set(tenantId, own)
    return { tenantId, item }
  }

  ended(tenantId: string): void {
    const left = (this.#running.get(tenantId) ?? 0) - 1
    if (left > 0) this.#running.set(tenantId, left)
    else this.#running.delete(tenantId)
  }

  #longest(): Item[] {
    let longest: Item[] = []
    for (const items of this.#waiting.values()) if (items.length > longest.length) longest = items
    return longest
  }

  #nextTenant(): string | null {
    let next: string | null = null
    let fewest = Number.POSITIVE_INFINITY
    for (const tenantId of this.#waiting.keys()) {
      const running = this.#running.get(tenantId) ?? 0
      if (running >= fewest) continue
      next = tenantId
      fewest = running
    }
    return next
  }
}
