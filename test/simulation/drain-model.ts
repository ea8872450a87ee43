// The drain as a model: the journals of two shards that grow; a database whose commits take time,
// get lost in either direction and outlive the process that sent them; and processes that lead one
// after another or, for a while, at once. It shows that rows and cursor in one transaction behind a
// compare-and-set are enough, one cursor for each shard, and that nothing less is.
import type { Random } from './random.ts'

/** Mistakes that a drain could make. */
export const DRAIN_PLANTED = [
  'no_compare_and_set',
  'cursor_after_the_rows',
  'cursor_before_the_rows',
  'unknown_commit_taken_for_done',
  'cursor_never_read_again',
  'one_cursor_for_two_shards',
] as const
export type DrainPlanted = (typeof DRAIN_PLANTED)[number]

interface Commit {
  shard: number
  from: number
  to: number
  /** The sender; a dead one never learns the result. */
  drainer: Drainer | null
}

interface Drainer {
  shard: number
  /** Number of entries that it believes are in the database; null: it has to ask. */
  cursor: number | null
  waiting: boolean
}

const PAGE_MAX = 5
const SHARDS = 2

export class DrainModel {
  readonly #random: Random
  readonly #planted: DrainPlanted | null
  /** Entries of each journal. */
  readonly #journals = Array.from({ length: SHARDS }, () => 0)
  readonly #cursors = Array.from({ length: SHARDS }, () => 0)
  /** Number of copies of each entry in the database, by shard, from 1 on. */
  readonly #rows = Array.from({ length: SHARDS }, (): number[] => [0])
  #flying: Commit[] = []
  #drainers: Drainer[] = Array.from({ length: SHARDS }, (_, shard) => newDrainer(shard))
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
    const entries = this.#journals.reduce((sum, count) => sum + count, 0)
    for (let round = 0; round < 2 * entries + 10; round++) {
      for (const drainer of this.#drainers) this.#send(drainer)
      this.#land()
    }
    return this.#journals.flatMap((_, shard) => this.#problemsOf(shard))
  }

  #problemsOf(shard: number): string[] {
    const [journal = 0, rows = []] = [this.#journals[shard], this.#rows[shard]]
    const wrong: string[] = []
    for (let seq = 1; seq <= journal; seq++)
      if (rows[seq] !== 1)
        wrong.push(`entry ${seq} of shard ${shard} is there ${rows[seq] ?? 0} times`)
    const cursor = this.#cursors[this.#cursorAt(shard)]
    if (cursor !== journal) wrong.push(`the cursor of shard ${shard} stays at ${cursor}`)
    return wrong
  }

  #cursorAt(shard: number): number {
    return this.#planted === 'one_cursor_for_two_shards' ? 0 : shard
  }

  #step(): void {
    const dice = this.#random.below(100)
    if (dice < 35) {
      const shard = this.#random.below(SHARDS)
      this.#journals[shard] = (this.#journals[shard] ?? 0) + 1
    } else if (dice < 65) this.#send(this.#random.pick(this.#drainers))
    else if (dice < 92) this.#land()
    else if (dice < 97) this.#crash()
    // The session lock of a leader whose connection hangs passes to another while its commit is
    // still under way.
    else {
      const shard = this.#random.below(SHARDS)
      if (this.#leadersOf(shard).length < 2) this.#drainers.push(newDrainer(shard))
    }
  }

  #leadersOf(shard: number): Drainer[] {
    return this.#drainers.filter((drainer) => drainer.shard === shard)
  }

  #send(drainer: Drainer): void {
    if (drainer.waiting) return
    const { shard } = drainer
    drainer.cursor ??= this.#cursors[this.#cursorAt(shard)] ?? 0
    const journal = this.#journals[shard] ?? 0
    const to = Math.min(journal, drainer.cursor + 1 + this.#random.below(PAGE_MAX))
    if (to <= drainer.cursor) return
    drainer.waiting = true
    this.#flying.push({ shard, from: drainer.cursor, to, drainer })
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
  #apply({ shard, from, to }: Commit): boolean {
    const at = this.#cursorAt(shard)
    const rows = this.#rows[shard] ?? []
    if (this.#planted !== 'no_compare_and_set' && this.#cursors[at] !== from) return false
    // Between two transactions a process may die.
    const halfway = this.#faults && this.#random.chance(0.05)
    if (this.#planted === 'cursor_before_the_rows') {
      this.#cursors[at] = to
      if (halfway) return true
    }
    for (let seq = from + 1; seq <= to; seq++) rows[seq] = (rows[seq] ?? 0) + 1
    if (this.#planted === 'cursor_after_the_rows' && halfway) return true
    this.#cursors[at] = to
    return true
  }

  /** A process dies; its commit may still arrive, and a successor begins at once. */
  #crash(): void {
    this.crashes += 1
    const gone = this.#random.pick(this.#drainers)
    for (const commit of this.#flying) if (commit.drainer === gone) commit.drainer = null
    this.#drainers = this.#drainers.filter((drainer) => drainer !== gone)
    if (this.#leadersOf(gone.shard).length === 0) this.#drainers.push(newDrainer(gone.shard))
  }
}

function newDrainer(shard: number): Drainer {
  return { shard, cursor: null, waiting: false }
}
