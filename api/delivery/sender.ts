// Who sends: threads, an endpoint always by the same one, so that its connections are used again; or, with none, the scheduling
// thread itself.
import { crc32 } from 'node:zlib'
import { type Cidr, cidrsText } from '../../shared/address.ts'
import { assert } from '../../shared/assert.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { Send } from './delivery.ts'
import { createSend } from './send.ts'
import { SenderLane } from './sender-lane.ts'
import { ATTEMPT_MS_MAX, createTransmitter } from './transmit.ts'

/** A thread that has more in hand than this, and twice as much as the calmest one, leaves what is new to that one. */
const CALM_LOAD = 64
/** Beyond the time of an attempt; the lease outlasts both. */
const PATIENCE_MS = 10_000
const CHECK_EVERY_MS = 1000

export interface SenderOptions {
  /** 0: in line. */
  threads: number
  /** Private ranges tenant endpoints may use. */
  opened: readonly Cidr[]
  /** The machine's: a thread has no other. */
  clock: Clock
  log: Logger
  /** Name servers as `address` or `address:port`; without them, those of the machine. */
  nameServers?: readonly string[]
  /** PEM certificates trusted besides those Node trusts. */
  trustedRoots?: readonly string[]
  attemptMsMax?: number
}

export interface Sender {
  send: Send
  /** Resolves when every thread runs; rejects when one cannot. A delivery before that waits for its thread. */
  ready(): Promise<void>
  threadIds(): number[]
  /** Ends the threads that are alive; others take their place. Deliveries they had in hand are interrupted. */
  endThreads(): Promise<void>
  /** Ends every connection, also those in use. */
  close(): Promise<void>
}

/** Starts the threads; `ready` tells when they run. */
export function openSender(options: SenderOptions): Sender {
  return options.threads === 0 ? inLine(options) : threaded(options)
}

function inLine(options: SenderOptions): Sender {
  const transmitter = createTransmitter(options)
  return {
    send: createSend(transmitter, options.clock),
    ready: async () => {},
    threadIds: () => [],
    endThreads: async () => {},
    close: () => transmitter.close(),
  }
}

function threaded(options: SenderOptions): Sender {
  const { clock, log, nameServers = [], trustedRoots = [] } = options
  const attemptMsMax = options.attemptMsMax ?? ATTEMPT_MS_MAX
  const openedCidrs = cidrsText(options.opened)
  const settings = { openedCidrs, nameServers, trustedRoots, attemptMsMax }
  const lanes = Array.from(
    { length: options.threads },
    () => new SenderLane({ settings, clock, log }),
  )
  const check = (): void => {
    for (const lane of lanes) lane.giveUpOverdue(attemptMsMax + PATIENCE_MS)
    checks = clock.after(CHECK_EVERY_MS, check)
  }
  let checks = clock.after(CHECK_EVERY_MS, check)
  const each = async (act: (lane: SenderLane) => Promise<void>): Promise<void> => {
    await Promise.all(lanes.map(act))
  }
  return {
    send: (delivery) => laneOf(lanes, delivery.endpointId).send(delivery),
    ready: () => each((lane) => lane.started),
    threadIds: () => lanes.map(({ threadId }) => threadId),
    endThreads: () => each((lane) => lane.endThread()),
    async close() {
      checks.cancel()
      await each((lane) => lane.close())
    },
  }
}

/** The endpoint's own lane, unless its thread is being replaced or has far too much to do. */
export function laneOf<Lane extends Pick<SenderLane, 'load' | 'runs'>>(
  lanes: readonly Lane[],
  endpointId: string,
): Lane {
  const own = lanes[crc32(endpointId) % lanes.length]
  assert(own !== undefined, 'there is a lane')
  if (own.runs && own.load <= CALM_LOAD) return own
  let calmest = own
  for (const lane of lanes) {
    if (lane.runs && (!calmest.runs || lane.load < calmest.load)) calmest = lane
  }
  return own.runs && own.load <= 2 * calmest.load ? own : calmest
}
