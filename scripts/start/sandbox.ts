// The sandbox between its files and the database: seeded before the engine starts, published once everything is ready.

import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import type { Clock } from '../../shared/clock.ts'
import type { MasterKeys } from '../../shared/keyring.ts'
import type { StartConfig } from './config.ts'
import { untilCovered, untilDrained } from './engine-link.ts'
import { loopbackPort } from './ports.ts'
import { type IsoAddress, writeSandboxFile } from './sandbox-file.ts'
import {
  completeSandboxSecrets,
  newSandboxSecrets,
  readSandboxSecrets,
  type SandboxSecrets,
  withDemoTenantPort,
  withIdentityPeer,
  writeSandboxSecrets,
} from './sandbox-secrets.ts'
import { type ListedCard, readListedCards, renewListedCards } from './seed/listed-cards.ts'
import { seedSandbox } from './seed/seed-sandbox.ts'
import { StartProblem } from './start-problem.ts'

/** What an earlier run left undrained must be in PostgreSQL before a card may be called unspent. */
const DRAIN_MS_MAX = 15_000
const COVER_MS_MAX = 15_000

export interface SeedWorld {
  dataDir: string
  sql: Sql
  masterKeys: MasterKeys
  clock: Clock
}

interface SandboxWorld extends SeedWorld {
  config: StartConfig
  iso: IsoAddress | null
}

/**
 * Makes the sandbox, or completes the one that is there. The secrets are on disk before the database knows their
 * hashes: a start killed in between repeats with the same ones.
 */
export async function seed(world: SeedWorld): Promise<SandboxSecrets> {
  const { dataDir, sql, masterKeys, clock } = world
  const now = clock.nowMs()
  const known = readSandboxSecrets(dataDir)
  const port = await loopbackPort(known?.demo_tenant.port ?? null)
  const identityPort = await loopbackPort(known?.identity_peer?.port ?? null)
  const whole =
    known === null
      ? newSandboxSecrets(now, port)
      : withDemoTenantPort(completeSandboxSecrets(known, now), port)
  const secrets = withIdentityPeer(whole, identityPort)
  writeSandboxSecrets(dataDir, secrets)
  const seeded = await tx(sql, (inner) => seedSandbox({ sql: inner, masterKeys, secrets, now }))
  writeSandboxSecrets(dataDir, seeded)
  return seeded
}

/** Replaces listed cards that are used up, and writes sandbox.json with the cards as they are now. */
export async function publish(
  world: SandboxWorld,
  secrets: SandboxSecrets,
): Promise<readonly ListedCard[]> {
  const { config, sql, clock } = world
  const engine = createEngineClient({ socketPath: config.engineSocket, clock })
  try {
    if (!(await untilDrained(engine, DRAIN_MS_MAX))) {
      throw new StartProblem(
        'The engine’s journal does not reach PostgreSQL within ' +
          DRAIN_MS_MAX / 1000 +
          ' s: see the log of the api.',
      )
    }
    const renewed = await renew(world, secrets)
    writeSandboxSecrets(config.dataDir, renewed.secrets)
    if (renewed.xid !== null && !(await untilCovered(engine, renewed.xid, COVER_MS_MAX))) {
      throw new StartProblem('The engine does not learn of new cards: see the log of the api.')
    }
    const cards = await tx(sql, (inner) => readListedCards(inner, renewed.secrets))
    const urls = {
      apiUrl: config.api.url,
      authUrl: config.authUrl,
      engineUrl: config.engine.url,
      endpointUrl: await endpointUrl(sql, secrets),
      iso: world.iso,
    }
    writeSandboxFile(config.dataDir, urls, renewed.secrets, cards)
    return cards
  } finally {
    engine.close()
  }
}

/** The xid is the transaction's that issued fresh cards, null where none was needed. */
async function renew(
  { sql, masterKeys, clock }: SeedWorld,
  secrets: SandboxSecrets,
): Promise<{ secrets: SandboxSecrets; xid: string | null }> {
  return tx(sql, async (inner) => {
    const next = await renewListedCards({ sql: inner, masterKeys, secrets, now: clock.nowMs() })
    if (next === secrets) return { secrets, xid: null }
    const [row] = await inner<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
    return { secrets: next, xid: row?.xid ?? null }
  })
}

async function endpointUrl(sql: Sql, secrets: SandboxSecrets): Promise<string> {
  const { id } = secrets.realtime_endpoint
  const [row] = await sql<{ url: string }[]>`select url from webhook_endpoints where id = ${id}`
  return row?.url ?? ''
}
