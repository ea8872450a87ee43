// Sends deliveries through threads, an endpoint always by the same one, so that its connections are
// reused; or, without threads, through the scheduling thread itself.
import { crc32 } from 'node:zlib'
import { type Cidr, cidrsText } from '../../../shared/address.ts'
import { assert } from '../../../shared/assert.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Logger } from '../../../shared/log.ts'
import type { Send } from './delivery.ts'
import { createSend } from './send.ts'
import { SenderChannel } from './sender-channel.ts'
import { ATTEMPT_MS_MAX, createTransmitter } from './transmit.ts'

/**
 * A thread with more deliveries than this, and twice as many as the calmest one, leaves new ones to
 * the calmest.
 */
const CALM_LOAD = 64
/** Milliseconds beyond the time of an attempt; the lease outlasts both. */
const PATIENCE_MS = 10_000
const CHECK_EVERY_MS = 1000

export interface SenderOptions {
  /** Number of threads; 0: inline. */
  threads: number
  /** Private ranges tenant endpoints may use. */
  opened: readonly Cidr[]
  /** The machine's clock: a thread has no other. */
  clock: Clock
  log: Logger
  /** Name servers as `address` or `address:port`; without them, the machine's own. */
  nameServers?: readonly string[]
  /** PEM certificates trusted in addition to Node's. */
  trustedRoots?: readonly string[]
  attemptMsMax?: number
}

export interface Sender {
  send: Send
  /**
   * Resolves when every thread runs; rejects when one cannot. An earlier delivery waits for its
   * thread.
   */
  ready(): Promise<void>
  threadIds(): number[]
  /** Ends the running threads; others replace them. Their deliveries are interrupted. */
  endThreads(): Promise<void>
  /** Ends every connection, also those in use. */
  close(): Promise<void>
}

/** Starts the threads; `ready` resolves when they run. */
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
    () => new SenderChannel({ settings, clock, log }),
  )
  const check = (): void => {
    for (const lane of lanes) lane.giveUpOverdue(attemptMsMax + PATIENCE_MS)
    checks = clock.after(CHECK_EVERY_MS, check)
  }
  let checks = clock.after(CHECK_EVERY_MS, check)
  const each = async (act: (lane: SenderChannel) => Promise<void>): Promise<void> => {
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

/** The endpoint's own lane, unless its thread is being replaced or is overloaded. */
export function laneOf<Lane extends Pick<SenderChannel, 'load' | 'runs'>>(
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
