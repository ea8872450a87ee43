// The peers, each ready to be started with the settings its user would try.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@redis/client'
import { encodeId } from '../../shared/id.ts'
import { deriveKeys } from '../../shared/keyring.ts'
import { freePort, type Server, startServer } from '../server-process.ts'
import { requestOf } from './authorization-request.ts'
import type { Ask } from './network.ts'
import { answerTo, type Kept, outcomeOf } from './outcome.ts'
import { openPeerPool, type PeerPostgres } from './postgres-server.ts'
import type { PeerRedis } from './redis-server.ts'
import { AUTHORIZE, valuesOf } from './statement.ts'

/** The options that all peers get. */
export interface PeerPlace {
  directory: string
  /** The secret of the network that signs. */
  secret: string
  /** Hex: the key with which card numbers are hashed. */
  root: string
}

/** How a peer is set up. */
export interface Setup {
  way: string
  /** Processes of the HTTP server. */
  processes: number
  /** Connections of each process to its database. */
  pool: number
}

/**
 * A function in the database, or a transaction of three statements; both lock the spent amounts of
 * the card.
 */
export const POSTGRES_WAYS = ['function', 'transaction'] as const
export const REDIS_WAYS = ['uWebSockets.js', 'fastify'] as const

export function startFastifyPostgres(
  place: PeerPlace,
  { address }: PeerPostgres,
  setup: Setup,
): Promise<Server> {
  return startPeer('fastify-postgres', place, setup, { PEER_DATABASE: address })
}

export function startNodeRedis(
  place: PeerPlace,
  { path }: PeerRedis,
  setup: Setup,
): Promise<Server> {
  return startPeer('node-redis', place, setup, { PEER_REDIS: path })
}

async function startPeer(
  name: string,
  { directory, secret, root }: PeerPlace,
  { way, processes, pool }: Setup,
  environment: { readonly [name: string]: string },
): Promise<Server> {
  const port = await freePort()
  return startServer({
    name,
    file: fileURLToPath(new URL(name + '.ts', import.meta.url)),
    logFile: join(directory, name + '.log'),
    port,
    environment: {
      ...environment,
      NODE_ENV: 'production',
      PEER_PORT: String(port),
      PEER_POOL: String(pool),
      PEER_PROCESSES: String(processes),
      PEER_WAY: way,
      PEER_SECRET: secret,
      PEER_ROOT: root,
    },
  })
}

/** PostgreSQL without a server in front; its results are translated into those of the others. */
export function openPostgresAlone(
  { root }: PeerPlace,
  { address }: PeerPostgres,
  connections: number,
): { ask: Ask; close(): Promise<void> } {
  const sql = openPeerPool(address, connections)
  const derivation = deriveKeys(Buffer.from(root, 'hex'), encodeId)
  return {
    async ask(message) {
      const authorization = requestOf(message, derivation, Date.now())
      if (authorization === null) return { status: 400, text: '' }
      const [row] = await sql.unsafe<[Kept]>(AUTHORIZE, valuesOf(authorization), { prepare: true })
      const { content, amountCents } = authorization
      return {
        status: 200,
        text: answerTo({ id: message.id, content, amountCents }, outcomeOf(row)),
      }
    },
    close: () => sql.end(),
  }
}

/** Returns the amount that a subject spent today, from PostgreSQL. */
export async function spentInPostgres({ address }: PeerPostgres, subjectId: string) {
  const sql = openPeerPool(address, 1)
  try {
    const [row] = await sql<{ cents: number }[]>`
      select daily_cents as cents from spendings where subject_id = ${subjectId}`
    return row?.cents ?? 0
  } finally {
    await sql.end()
  }
}

/** Returns the amount that a subject spent today, from Redis. */
export async function spentInRedis({ path }: PeerRedis, subjectId: string): Promise<number> {
  const client = createClient({ socket: { path, tls: false } })
  await client.connect()
  const cents = Number((await client.hGet('spent:' + subjectId, 'd')) ?? 0)
  await client.close()
  return cents
}
