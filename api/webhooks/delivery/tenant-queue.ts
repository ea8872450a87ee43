// The queue of a sender thread: tenants in a circle, each tenant's deliveries in order of arrival.
// However many deliveries one tenant hands over at once, the next tenant waits for only one of
// them.

export class TenantQueue<Item extends { tenantId: string }> {
  /** Maps keep insertion order: the front is next, and a served tenant goes to the back. */
  readonly #waiting = new Map<string, Item[]>()

  get empty(): boolean {
    return this.#waiting.size === 0
  }

  add(item: Item): void {
    const own = this.#waiting.get(item.tenantId)
    if (own === undefined) this.#waiting.set(item.tenantId, [item])
    else own.push(item)
  }

  /** Returns the next items, at most `most`. */
  take(most: number): Item[] {
    const taken: Item[] = []
    // A served tenant with more items comes again at the end of this same walk.
    for (const [tenantId, items] of this.#waiting) {
      if (taken.length === most) break
      this.#waiting.delete(tenantId)
      const next = items.shift()
      if (next !== undefined) taken.push(next)
      if (items.length > 0) this.#waiting.set(tenantId, items)
    }
    return taken
  }
}
