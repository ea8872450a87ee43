// A follower's link to the owner of the shard: it hears the beats and says when they end. A closed
// link is a suspicion and decides nothing.
import type { Clock } from '../../shared/clock.ts'
import type { Owner } from '../agreement/protocol.ts'
import { MEMBER_PATHS, type OwnerBeat, readBeat } from './link-paths.ts'
import type { Peers } from './peer.ts'

const AGAIN_MS = 25
const LINE_CHARACTERS_MAX = 100

export interface OwnerLinkOptions {
  clock: Clock
  peers: Peers
  /** The address of a member; null while it is not known. */
  addressOf(memberId: string): string | null
  onBeat(beat: OwnerBeat): void
  /** The link to the owner of this epoch closed, or could not be opened. */
  onClosed(epoch: number): void
}

export class OwnerLink {
  readonly #options: OwnerLinkOptions
  #owner: Owner | null = null
  #stream: { end(): void } | null = null

  constructor(options: OwnerLinkOptions) {
    this.#options = options
  }

  /** Follows this owner from now on, and no other. */
  follow(owner: Owner): void {
    this.#owner = owner
    this.#stream?.end()
    this.#stream = null
    this.#open(owner)
  }

  stop(): void {
    this.#owner = null
    this.#stream?.end()
  }

  #open(owner: Owner): void {
    if (this.#owner !== owner) return
    const { clock, peers, addressOf, onBeat, onClosed } = this.#options
    const again = (): void => void clock.after(AGAIN_MS, () => this.#open(owner))
    const address = addressOf(owner.memberId)
    if (address === null) return again()
    let owns = false
    let rest = ''
    this.#stream = peers.stream(address, MEMBER_PATHS.beats, {
      onHead(response) {
        owns = response.statusCode === 200
      },
      onBytes(bytes) {
        if (!owns) return
        const lines = (rest + bytes.toString('latin1')).split('\n')
        rest = (lines.pop() ?? '').slice(0, LINE_CHARACTERS_MAX)
        for (const line of lines) {
          const beat = readBeat(line)
          if (beat !== null) onBeat(beat)
        }
      },
      onEnd: (failure) => {
        if (this.#owner !== owner) return
        // A member that was named the owner and has not taken over yet answers without beats.
        if (owns || failure !== null) onClosed(owner.epoch)
        again()
      },
    })
  }
}
