// Timers of a simulated world in the order of their moments; those of one moment in the order in
// which they were set.
import type { Timer } from '../../shared/clock.ts'

interface Entry {
  atMs: number
  order: number
  task: () => void
  cancelled: boolean
}

export class TimerHeap {
  readonly #heap: Entry[] = []
  #order = 0

  add(atMs: number, task: () => void): Timer {
    const entry: Entry = { atMs, order: this.#order++, task, cancelled: false }
    this.#heap.push(entry)
    this.#rise(this.#heap.length - 1)
    return {
      cancel: () => {
        entry.cancelled = true
      },
    }
  }

  /** The next timer that is due by then, or null. */
  takeBefore(untilMs: number): { atMs: number; task: () => void } | null {
    for (;;) {
      const first = this.#heap[0]
      if (first === undefined || first.atMs > untilMs) return null
      const last = this.#heap.pop()
      if (last !== undefined && last !== first) {
        this.#heap[0] = last
        this.#sink()
      }
      if (!first.cancelled) return first
    }
  }

  #rise(from: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #sink(): void {
    let at = 0
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let least = at
      if (left < this.#heap.length && this.#isBefore(left, least)) least = left
      if (right < this.#heap.length && this.#isBefore(right, least)) least = right
      if (least === at) return
      this.#swap(at, least)
      at = least
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [first, second] = [this.#heap[one] as Entry, this.#heap[other] as Entry]
    return first.atMs < second.atMs || (first.atMs === second.atMs && first.order < second.order)
  }

  #swap(one: number, other: number): void {
    const kept = this.#heap[one] as Entry
    this.#heap[one] = this.#heap[other] as Entry
    this.#heap[other] = kept
  }
}
