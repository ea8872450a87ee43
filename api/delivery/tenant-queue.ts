// What waits in a sender thread: tenants in a circle, of each the first that came. However much one of them handed over at once,
// the next tenant's delivery is behind one of its own.

export class TenantQueue<Item extends { tenantId: string }> {
  /** Maps keep insertion order: the front is next, whoever was served goes to the back. */
  readonly #waiting = new Map<string, Item[]>()

  get empty(): boolean {
    return this.#waiting.size === 0
  }

  add(item: Item): void {
    const own = this.#waiting.get(item.tenantId)
    if (own === undefined) this.#waiting.set(item.tenantId, [item])
    else own.push(item)
  }

  /** The next ones, `most` of them at most. */
  take(most: number): Item[] {
    const taken: Item[] = []
    // Whoever is served and has more comes again at the end of this same walk.
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
