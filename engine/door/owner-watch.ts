// The owner of a shard and its address, as a front door reads them from etcd: read once, watched,
// and read again where the watch ends.
import type { Clock } from '../../shared/clock.ts'
import type { ShardKeys } from '../agreement/keys.ts'
import { type Owner, readOwner } from '../agreement/protocol.ts'
import type { AgreementStore, KeyValue, Watch } from '../agreement/store.ts'
import { parseReport } from '../ownership/members.ts'

const AGAIN_MS = 50

export interface OwnerWatchOptions {
  store: AgreementStore
  keys: ShardKeys
  clock: Clock
  /** The owner changed, or its address became known. */
  onOwner(owner: Owner, address: string): void
}

export class OwnerWatch {
  readonly #options: OwnerWatchOptions
  #watch: Watch | null = null
  #told = ''
  /** Reads end in any order; an owner of an earlier epoch is old. */
  #epoch = 0
  #stopped = false

  constructor(options: OwnerWatchOptions) {
    this.#options = options
  }

  start(): void {
    if (!this.#stopped) this.#read((revision) => this.#watchFrom(revision + 1))
  }

  stop(): void {
    this.#stopped = true
    this.#watch?.cancel()
  }

  #read(then: (revision: number) => void): void {
    const { store, keys, clock } = this.#options
    const reads = [
      { from: keys.owner, until: null },
      { from: keys.membersBegin, until: keys.membersEnd },
    ]
    store.range(reads, (outcome) => {
      if (this.#stopped) return
      if (outcome.outcome === 'unknown') return void clock.after(AGAIN_MS, () => this.#read(then))
      const [owners, members] = outcome.reads
      this.#tell(owners?.[0]?.value, members ?? [])
      then(outcome.revision)
    })
  }

  #tell(value: Buffer | undefined, members: readonly KeyValue[]): void {
    const { keys, clock, onOwner } = this.#options
    const owner = value === undefined ? null : readOwner(value)
    if (owner === null || owner.epoch < this.#epoch) return
    this.#epoch = owner.epoch
    const report = members.find(({ key }) => key === keys.member(owner.memberId))
    const address = report === undefined ? null : (parseReport(report.value)?.address ?? null)
    const told = owner.epoch + ' ' + address
    if (address === null) return void clock.after(AGAIN_MS, () => this.#read(() => undefined))
    if (told === this.#told) return
    this.#told = told
    onOwner(owner, address)
  }

  #watchFrom(fromRevision: number): void {
    const { store, keys, clock } = this.#options
    this.#watch = store.watch(
      { prefix: keys.owner, fromRevision },
      {
        onEvents: () => this.#read(() => undefined),
        onCancelled: () => void clock.after(AGAIN_MS, () => this.start()),
      },
    )
  }
}
