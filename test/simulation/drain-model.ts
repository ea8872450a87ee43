// The drain as a model: a journal that grows; a database whose commits take time, get lost in
// either direction and outlive the process that sent them; and processes that lead one after
// another or, for a while, at once. It shows that rows and cursor in one transaction behind a
// compare-and-set are enough, and that nothing less is.
import type { Random } from './random.ts'

/** Mistakes that a drain could make. */
export const DRAIN_PLANTED = [
  'no_compare_and_set',
  'cursor_after_the_rows',
  'cursor_before_the_rows',
  'unknown_commit_taken_for_done',
  'cursor_never_read_again',
] as const
export type DrainPlanted = (typeof DRAIN_PLANTED)[number]

interface Commit {
  from: number
  to: number
  /** The sender; a dead one never learns the result. */
  drainer: Drainer | null
}

interface Drainer {
  /** Number of entries that it believes are in the database; null: it has to ask. */
  cursor: number | null
  waiting: boolean
}

const PAGE_MAX = 5

export class DrainModel {
  readonly #random: Random
  readonly #planted: DrainPlanted | null
  #journal = 0
  #cursor = 0
  /** Number of copies of each entry in the database, from 1 on. */
  readonly #rows: number[] = [0]
  #flying: Commit[] = []
  #drainers: Drainer[] = [{ cursor: null, waiting: false }]
  #faults = true
  crashes = 0

  constructor(random: Random, planted: DrainPlanted | null) {
    this.#random = random
    this.#planted = planted
  }

  /**
   * Plays `steps` random actions, then lets the leader finish within a bound; returns problems as
   * sentences.
   */
  run(steps: number): string[] {
    for (let step = 0; step < steps; step++) this.#step()
    this.#faults = false
    while (this.#flying.length > 0) this.#land()
    for (let round = 0; round < 2 * this.#journal + 10; round++) {
      for (const drainer of this.#drainers) this.#send(drainer)
      this.#land()
    }
    const wrong: string[] = []
    for (let seq = 1; seq <= this.#journal; seq++)
      if (this.#rows[seq] !== 1)
        wrong.push('entry ' + seq + ' is there ' + (this.#rows[seq] ?? 0) + ' times')
    if (this.#cursor !== this.#journal) wrong.push('the cursor stays at ' + this.#cursor)
    return wrong
  }

  #step(): void {
    const dice = this.#random.below(100)
    if (dice < 35) this.#journal += 1
    else if (dice < 65) this.#send(this.#random.pick(this.#drainers))
    else if (dice < 92) this.#land()
    else if (dice < 97) this.#crash()
    // The session lock of a leader whose connection hangs passes to another while its commit is
    // still under way.
    else if (this.#drainers.length < 2) this.#drainers.push({ cursor: null, waiting: false })
  }

  #send(drainer: Drainer): void {
    if (drainer.waiting) return
    drainer.cursor ??= this.#cursor
    const to = Math.min(this.#journal, drainer.cursor + 1 + this.#random.below(PAGE_MAX))
    if (to === drainer.cursor) return
    drainer.waiting = true
    this.#flying.push({ from: drainer.cursor, to, drainer })
  }

  /** One commit arrives, possibly before an earlier one. */
  #land(): void {
    const at = this.#random.below(this.#flying.length)
    const [commit] = this.#flying.splice(at, 1)
    if (commit === undefined) return
    const lostOut = this.#faults && this.#random.chance(0.1)
    const lostBack = this.#faults && this.#random.chance(0.1)
    const done = !lostOut && this.#apply(commit)
    const { drainer } = commit
    if (drainer === null) return
    drainer.waiting = false
    if (done && !lostBack) drainer.cursor = commit.to
    else if (this.#planted === 'unknown_commit_taken_for_done') drainer.cursor = commit.to
    else if (this.#planted === 'cursor_never_read_again') drainer.cursor = commit.from
    else drainer.cursor = null
  }

  /** Applies a commit as the database would; false if it refuses. */
  #apply({ from, to }: Commit): boolean {
    if (this.#planted !== 'no_compare_and_set' && this.#cursor !== from) return false
    // Between two transactions a process may die.
    const halfway = this.#faults && this.#random.chance(0.05)
    if (this.#planted === 'cursor_before_the_rows') {
      this.#cursor = to
      if (halfway) return true
    }
    for (let seq = from + 1; seq <= to; seq++) this.#rows[seq] = (this.#rows[seq] ?? 0) + 1
    if (this.#planted === 'cursor_after_the_rows' && halfway) return true
    this.#cursor = to
    return true
  }

  /** A process dies; its commit may still arrive, and a successor begins at once. */
  #crash(): void {
    this.crashes += 1
    const gone = this.#random.pick(this.#drainers)
    for (const commit of this.#flying) if (commit.drainer === gone) commit.drainer = null
    this.#drainers = this.#drainers.filter((drainer) => drainer !== gone)
    if (this.#drainers.length === 0) this.#drainers.push({ cursor: null, waiting: false })
  }
}
