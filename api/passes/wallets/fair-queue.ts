// Turns of tenants in threads that they share. A tenant with fewer tasks under way goes first, and
// among equals the one that was served longest ago: however much one tenant brings at once, another
// one waits only for tasks that run already.

interface FairQueueBounds {
  /** Tasks of one tenant that may wait. */
  perTenant: number
  /** Tasks of all tenants together. */
  total: number
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

  /** False where the tenant, or all of them together, have too much waiting already. */
  add(tenantId: string, item: Item): boolean {
    const own = this.#waiting.get(tenantId) ?? []
    if (own.length >= this.#bounds.perTenant || this.#count >= this.#bounds.total) return false
    own.push(item)
    this.#count += 1
    if (own.length === 1) this.#waiting.set(tenantId, own)
    return true
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
