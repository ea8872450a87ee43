// The owner of a shard as the front door reaches it: the one that etcd names, or the only engine of
// the shard on this machine.
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { Owner } from '../agreement/protocol.ts'
import type { MemberTls } from '../member/config.ts'
import type { HeldMessages } from './held-messages.ts'
import { DoorLink } from './owner-link.ts'

export interface UpstreamOptions {
  clock: Clock
  log: Logger
  shard: string
  held: HeldMessages
  tls: MemberTls | null
  authorization: string
}

export class Upstream {
  readonly shard: string
  changes = 0
  epoch = 0
  readonly #options: UpstreamOptions
  #link: DoorLink | null = null
  #followed = ''

  constructor(options: UpstreamOptions) {
    this.#options = options
    this.shard = options.shard
  }

  get isOpen(): boolean {
    return this.#link?.isOpen === true
  }

  /** The owner of the shard, or its address, is another one. */
  follow(owner: Owner, address: string): void {
    const { log, held, shard } = this.#options
    const { epoch, memberId } = owner
    log.info({ shard, owner: memberId, epoch, address }, 'following the owner of the shard')
    this.changes += 1
    this.epoch = epoch
    const followed = memberId + ' ' + address
    // A hand-over names its member in one epoch and the member takes over in the next.
    if (followed === this.#followed && this.isOpen) return held.renamed(epoch, shard)
    this.#followed = followed
    this.#link?.end()
    this.#connect(address, () => held.closed(shard))
  }

  /** The shard has one engine, on this machine: each connection that ends counts as its death. */
  followSocket(socketPath: string): void {
    this.epoch = 1
    this.#connect(socketPath, () => {
      this.epoch += 1
      this.changes += 1
      this.#replaced()
    })
  }

  end(): void {
    this.#link?.end()
  }

  #connect(address: string, onClosed: () => void): void {
    const { clock, tls, authorization, held, shard } = this.#options
    this.#link = new DoorLink({
      clock,
      tls,
      authorization,
      address,
      onOpen: () => held.opened(shard),
      onAnswer: (answer) => held.answer(answer),
      onClosed,
    })
    this.#replaced()
  }

  #replaced(): void {
    const link = this.#link
    if (link === null) return
    const upstream = this
    this.#options.held.replaced(
      {
        get epoch() {
          return upstream.epoch
        },
        get isOpen() {
          return link.isOpen
        },
        get takesLinked() {
          return link.takesLinked
        },
        send: (message) => link.send(message),
      },
      this.shard,
    )
  }
}
