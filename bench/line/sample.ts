// One run of one side: the engine with fresh messages, or the ceiling with whatever was made last.
// Both are asked by the same generator in the same way.
import { flawsOf, type Generator, type Load, perSecond, SENDER_SHARE_MAX } from '../generator.ts'
import type { Server } from '../server-process.ts'
import type { EngineTestbed } from './engine.ts'

export interface EngineParts {
  stand: EngineTestbed
  generator: Generator
}

export interface LineParts extends EngineParts {
  ceiling: Server
}

export interface Sample {
  connections: number
  /** Good answers. */
  perSecond: number
  /** Microseconds of the server's processor time for each good answer, all its threads. */
  cpuUs: number
  /**
   * Entries that one write to the device made durable; null if the server has none or does not
   * report them.
   */
  perSync: number | null
  /** HDR histograms, encoded. */
  latency: string
  lateness: string
  senderShare: number
  /** True if the sender was the limit: the sample proves nothing, and `flaws` states it. */
  senderLimited: boolean
  flaws: readonly string[]
}

export type Shot = Pick<Load, 'connections' | 'seconds' | 'rate'> & {
  warmSeconds: number
  /** How messages name their card; by token when absent. */
  by?: 'token' | 'pan'
  /** Places of the tenants whose cards are used; all when absent. */
  tenants?: readonly number[]
  /** Over so many ISO 8583 links to this port; absent: over HTTP. */
  iso?: { port: number; links: number }
}

/** More than any engine answers. Making an unsent message wastes a few microseconds. */
const GUESS_PER_SECOND = 90_000
const GUESS_FACTOR = 1.4
const SYNCS = 'svc_journal_sync_seconds_count'
/** A server that is this busy limits a run itself, however busy the sender is. */
const SERVER_SHARE_FULL = 0.9

/** On a machine that does much else. */
const WARM_SECONDS_MAX = 30

/** The rate that each kind of connections reached before: the next run makes as many messages. */
const reached = new Map<string, number>()

/** Fresh messages, each decided and durable before its answer. */
export async function askEngine(parts: EngineParts, shot: Shot): Promise<Sample> {
  const { stand, generator } = parts
  const { connections, rate, seconds, warmSeconds, iso, by = 'token', tenants } = shot
  const kind = connections + ' ' + (iso?.links ?? '')
  const guess = reached.get(kind)
  const perS = rate ?? (guess === undefined ? GUESS_PER_SECOND : guess * GUESS_FACTOR)
  const count = Math.ceil(perS * (seconds + warmSeconds)) + 2 * connections
  await generator.make(
    stand.messages(count, { by, iso: iso !== undefined, ...(tenants && { tenants }) }),
  )
  const before = await stand.metric(SYNCS)
  const sample = await ask('the engine', stand.engine, { generator, shot, repeats: false })
  if (rate === null) reached.set(kind, Math.max(guess ?? 0, sample.perSecond))
  const syncs = (await stand.metric(SYNCS)) - before
  return { ...sample, perSync: syncs > 0 ? sample.all / syncs : null }
}

/** The same bytes again and again: to it they are all the same. */
export function askCeiling(parts: LineParts, shot: Shot): Promise<Sample> {
  const { ceiling, generator } = parts
  return ask('the ceiling', ceiling, { generator, shot, repeats: true })
}

interface Asking {
  generator: Generator
  shot: Shot
  repeats: boolean
}

async function ask(
  name: string,
  server: Server,
  { generator, shot, repeats }: Asking,
): Promise<Sample & { all: number }> {
  const cpuBefore = server.cpuUs()
  const { connections, rate, seconds, warmSeconds, iso } = shot
  const { port, links } = iso ?? { port: server.port, links: null }
  const load = { connections, rate, seconds, warmSeconds }
  const sent = await generator.send({ ...load, port, links, repeats })
  const cpuUs = (server.cpuUs() - cpuBefore) / Math.max(1, sent.all)
  const answered = perSecond(sent)
  const full = shot.rate === null && (answered * cpuUs) / 1e6 >= SERVER_SHARE_FULL
  return {
    connections: shot.connections,
    perSecond: answered,
    cpuUs,
    perSync: null,
    latency: sent.latency,
    lateness: sent.lateness,
    senderShare: sent.senderShare,
    senderLimited: !full && sent.senderShare > SENDER_SHARE_MAX,
    flaws: flawsOf(name, full ? { ...sent, senderShare: 0 } : sent),
    all: sent.all,
  }
}

/**
 * Compiles the code of both sides before anything counts: so many messages, however long they take.
 */
export async function warmUp(parts: LineParts, messages: number): Promise<void> {
  const { stand, ceiling, generator } = parts
  const load = { connections: 256, rate: null, seconds: WARM_SECONDS_MAX }
  await generator.make(stand.messages(messages))
  await generator.send({ ...load, port: stand.port })
  await generator.send({ ...load, port: ceiling.port })
}
