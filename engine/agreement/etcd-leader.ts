// The node of etcd that leads, as a hint for calls: any other node passes a transaction on to it,
// which takes two more hops and a second process. The nodes are asked at the start, when an answer
// tells of another election, and a while after a call failed.
import type { Client, ServiceError } from '@grpc/grpc-js'
import type { Clock, Timer } from '../../shared/clock.ts'

const ANSWER_MS_MAX = 500
/**
 * A leader that fails calls and still says that it leads is asked again later each time: every hint
 * at it costs a call that fails.
 */
const [AGAIN_MS_MIN, AGAIN_MS_MAX] = [5000, 160_000]

export interface WireStatus {
  header: { member_id: string; raft_term: string } | null
  leader: string
}

export interface MaintenanceClient extends Client {
  Status(
    request: object,
    options: { deadline: number },
    done: (error: ServiceError | null, answer?: WireStatus) => void,
  ): void
}

export interface EtcdLeaderOptions {
  nodes: readonly MaintenanceClient[]
  clock: Clock
  /** The node at this place leads. */
  onLeader(place: number): void
}

export class EtcdLeader {
  readonly #options: EtcdLeaderOptions
  #term = 0
  #again: Timer | null = null
  #againMs = AGAIN_MS_MIN
  #failedAtMs = 0

  constructor(options: EtcdLeaderOptions) {
    this.#options = options
    this.#ask()
  }

  /** Takes the term of an answer: elections raise it. */
  heard(term: string | undefined): void {
    if (term === undefined || Number(term) <= this.#term) return
    this.#term = Number(term)
    this.#againMs = AGAIN_MS_MIN
    this.#ask()
  }

  /** A call failed: the leader may be another one, or be reached again later. */
  failed(): void {
    const { clock } = this.#options
    const nowMs = clock.nowMs()
    // Without a failure for longer than the longest wait, the leader is believed again.
    if (nowMs - this.#failedAtMs > 2 * AGAIN_MS_MAX) this.#againMs = AGAIN_MS_MIN
    this.#failedAtMs = nowMs
    this.#again ??= clock.after(this.#againMs, () => {
      this.#again = null
      this.#againMs = Math.min(AGAIN_MS_MAX, 2 * this.#againMs)
      this.#ask()
    })
  }

  close(): void {
    this.#again?.cancel()
    for (const node of this.#options.nodes) node.close()
  }

  #ask(): void {
    const { nodes, clock, onLeader } = this.#options
    // One node has no other to choose.
    if (nodes.length === 1) return
    const deadline = clock.nowMs() + ANSWER_MS_MAX
    for (const [place, node] of nodes.entries())
      node.Status({}, { deadline }, (error, answer) => {
        if (error !== null || answer === undefined || answer.header === null) return
        const { member_id: id, raft_term: term } = answer.header
        // A leader that was cut off from the others has the term of before.
        if (answer.leader !== id || Number(term) < this.#term) return
        this.#term = Number(term)
        onLeader(place)
      })
  }
}
