// Starts all compared sides, on one disk, with the same cards.
import type { Generator } from '../generator.ts'
import type { LineTestbed } from '../line/testbed.ts'
import { worldOf } from './cards.ts'
import { spentInPostgres, spentInRedis, startFastifyPostgres, startNodeRedis } from './peer.ts'
import { startDriver } from './postgres-driver.ts'
import { startPeerPostgres } from './postgres-server.ts'
import { redisMissing, startPeerRedis } from './redis-server.ts'
import type { CheckCard } from './scenarios.ts'
import { engineSide, httpSide, postgresSide, type Side } from './sides.ts'

export interface Sides {
  /** The engine first. */
  all: readonly Side[]
  /** Two cards for each side, which no other side uses. */
  cards: readonly CheckCard[]
  /** Peers that are missing, with the reason. */
  left: readonly string[]
  close(): Promise<void>
}

const SIDES_MAX = 4

/** All of them up and filled, or nothing left running. */
export async function openSides(parts: {
  directory: string
  stand: LineTestbed
  generator: Generator
  root: Buffer
}): Promise<Sides> {
  const { directory, stand, generator, root } = parts
  const stops: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  const { credentials, cardsFile } = stand.messages(1)
  const place = { directory, secret: credentials.secret, root: root.toString('hex') }
  const cards = Array.from({ length: 2 * SIDES_MAX }, (_, at) => ({
    id: 'card_check_' + at,
    token: 'ctok_check_' + at,
  }))
  const world = worldOf(stand, root, cards)
  const all: Side[] = [engineSide(stand, generator)]
  const add = (side: Side): void => {
    all.push(side)
    stops.push(() => side.close())
  }
  try {
    const postgres = await startPeerPostgres(directory, world)
    stops.push(() => postgres.stop())
    const spentCents = (id: string) => spentInPostgres(postgres, id)
    const start = startFastifyPostgres.bind(null, place, postgres)
    const databasePid = postgres.pid
    const name = 'fastify + postgresql'
    add(httpSide({ name, place, start, databasePid, spentCents }, stand, generator))
    const missing = redisMissing()
    if (missing === null) {
      const redis = await startPeerRedis(directory, world)
      stops.push(() => redis.stop())
      const peer = {
        name: 'node + redis',
        place,
        start: startNodeRedis.bind(null, place, redis),
        databasePid: redis.pid,
        spentCents: (id: string) => spentInRedis(redis, id),
      }
      add(httpSide(peer, stand, generator))
    }
    const driver = startDriver()
    stops.push(() => driver.stop())
    add(postgresSide({ name: 'postgresql alone', place, postgres, driver, cardsFile, spentCents }))
    return { all, cards, left: missing === null ? [] : [missing], close }
  } catch (error) {
    await close()
    throw error
  }
}
