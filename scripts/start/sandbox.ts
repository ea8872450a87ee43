// Fills the sandbox from its files: keys, tenant and owner go into the database before anything
// runs, everything else is made through the API once that answers, and sandbox.json is published at
// the end.

import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import type { EngineClient } from '../../api/engine-link/client.ts'
import { SvcConnectionError, SvcError } from '../../client/index.ts'
import { assert } from '../../shared/assert.ts'
import type { Clock } from '../../shared/clock.ts'
import type { MasterKeys } from '../../shared/keyring.ts'
import type { PushAddress } from './apple-wallet.ts'
import type { StartConfig } from './config.ts'
import { untilCovered, untilDrained } from './engine-link.ts'
import type { GoogleAddress } from './google-wallet.ts'
import { completeSandboxSecrets, newSandboxSecrets } from './new-secrets.ts'
import { loopbackPort } from './ports.ts'
import { type IsoAddress, renewSandboxFile, writeSandboxFile } from './sandbox-file.ts'
import {
  readSandboxSecrets,
  type SandboxOwner,
  type SandboxSecrets,
  withDemoTenantPort,
  withIdentityPeer,
  withStripePeer,
  writeSandboxSecrets,
} from './sandbox-secrets.ts'
import { bootstrapSandbox } from './seed/bootstrap.ts'
import { openCallers } from './seed/callers.ts'
import { fillPages } from './seed/fill-pages.ts'
import { furnish, seedListed } from './seed/furnish.ts'
import { brokenPromises, type ListedCard, readListedCards } from './seed/listed-cards.ts'
import { makeCards, type Seeding } from './seed/make-cards.ts'
import { makeEnterprise } from './seed/make-enterprise.ts'
import { StartProblem } from './start-problem.ts'

/**
 * Entries that an earlier run left undrained must be in PostgreSQL before a card counts as unspent.
 */
const DRAIN_MS_MAX = 15_000
const COVER_MS_MAX = 15_000

export interface SeedWorld {
  dataDir: string
  sql: Sql
  masterKeys: MasterKeys
  clock: Clock
}

/** Where the API answers, and the engine behind it. */
export interface Reach {
  apiUrl: string
  /** Null if it cannot be reached; then no step waits for it. */
  engine: EngineClient | null
  signal: AbortSignal
  /** For the person at the terminal. */
  say(line: string): void
}

/**
 * Makes keys, tenant and owner, or completes them. The secrets are on disk before the database gets
 * their hashes: a start that was killed in between repeats with the same ones.
 */
export async function bootstrap(world: SeedWorld): Promise<SandboxSecrets> {
  const { sql, masterKeys, clock } = world
  const secrets = await keepSecrets(world)
  const now = clock.nowMs()
  await tx(sql, (inner) => bootstrapSandbox({ sql: inner, masterKeys, secrets, now }))
  return secrets
}

/** The secrets of the sandbox, on disk: new ones, or those of an earlier start. */
export async function keepSecrets({
  dataDir,
  clock,
}: Pick<SeedWorld, 'dataDir' | 'clock'>): Promise<SandboxSecrets> {
  const now = clock.nowMs()
  const known = readSandboxSecrets(dataDir)
  const port = await loopbackPort(known?.demo_tenant.port ?? null)
  const identityPort = await loopbackPort(known?.identity_peer?.port ?? null)
  const whole =
    known === null
      ? newSandboxSecrets(now, port)
      : withDemoTenantPort(completeSandboxSecrets(known, now), port)
  const stripePort = await loopbackPort(known?.stripe_peer?.port ?? null)
  const secrets = withStripePeer(withIdentityPeer(whole, identityPort), stripePort)
  writeSandboxSecrets(dataDir, secrets)
  return secrets
}

/**
 * Makes the contents of sandbox.json through the API, and replaces listed cards that are used up.
 * An existing sandbox whose keys a user revoked stays as it is.
 */
export async function seed(
  world: SeedWorld,
  reach: Reach,
  secrets: SandboxSecrets,
): Promise<SandboxSecrets> {
  const seeding = seedingOf(world, reach, secrets)
  writeSandboxSecrets(world.dataDir, secrets)
  if (reach.engine !== null && !(await untilDrained(reach.engine, DRAIN_MS_MAX))) {
    throw new StartProblem(
      'The engine’s journal does not reach PostgreSQL within ' +
        DRAIN_MS_MAX / 1000 +
        ' s: see the log of the api.',
    )
  }
  try {
    const listed = await seedListed(seeding, secrets)
    const instead = await tx(world.sql, (inner) => brokenPromises(inner, listed))
    return await makeCards(seeding, listed, { purposes: instead, instead })
  } catch (error) {
    const sentence = 'The sandbox cannot be filled: ' + refusalIn(error)
    if (secrets.realtime_endpoint === undefined) throw new StartProblem(sentence)
    reach.say(sentence)
    return readSandboxSecrets(world.dataDir) ?? secrets
  }
}

/**
 * Makes the cards that only the simulator plays with. The service is ready already: nothing that
 * fails here ends it.
 */
export async function furnishSandbox(
  world: SeedWorld,
  reach: Reach,
  secrets: SandboxSecrets,
): Promise<SandboxSecrets> {
  try {
    return await furnish(seedingOf(world, reach, secrets), secrets)
  } catch (error) {
    if (reach.signal.aborted) throw error
    reach.say('Some cards of the simulator are missing: ' + refusalIn(error))
    return readSandboxSecrets(world.dataDir) ?? secrets
  }
}

/**
 * Makes a row for each page of the dashboard that would be empty. Nothing that fails here ends the
 * start.
 */
export async function fillDashboard(
  world: SeedWorld,
  reach: Reach,
  filled: { secrets: SandboxSecrets; authUrl: string; hasInbox: boolean },
): Promise<void> {
  const { secrets } = filled
  const { owner } = secrets
  if (owner === undefined) return
  const { callers, clock } = seedingOf(world, reach, secrets)
  const spent: string[] = []
  try {
    await fillPages({ callers, clock, owner, ...filled }, (code) => spent.push(code))
  } catch (error) {
    if (reach.signal.aborted) throw error
    const reason = error instanceof Error ? error.message : String(error)
    reach.say('Some pages of the dashboard stay empty: ' + reason)
  }
  if (spent.length > 0) await republish(world, keepUnspent(world, { secrets, owner, spent }))
}

/** Writes the secrets down without the recovery codes that were used. */
function keepUnspent(
  { dataDir }: SeedWorld,
  used: { secrets: SandboxSecrets; owner: SandboxOwner; spent: readonly string[] },
): SandboxSecrets {
  const { secrets, owner, spent } = used
  const recovery_codes = owner.recovery_codes.filter((code) => !spent.includes(code))
  const left = { ...secrets, owner: { ...owner, recovery_codes } }
  writeSandboxSecrets(dataDir, left)
  return left
}

/** Where a person approves, and whether the account at the processor is the sandbox's own. */
export type PlanConfig = Pick<StartConfig, 'authUrl' | 'environment' | 'ownStripeAccount'>

/**
 * Brings the tenant to an enterprise plan, where the sandbox has a payment processor of its own: an
 * account of the person's is charged nothing by a start. Nothing that fails here ends the start.
 * Returns the secrets without the recovery codes that were used.
 */
export async function subscribeSandbox(
  world: SeedWorld,
  reach: Reach,
  { config, secrets }: { config: PlanConfig; secrets: SandboxSecrets },
): Promise<SandboxSecrets> {
  const { owner, tenant_id: tenantId, furnished } = secrets
  if (owner === undefined || config.environment === 'live' || config.ownStripeAccount)
    return secrets
  const { callers, clock } = seedingOf(world, reach, secrets)
  const spent: string[] = []
  try {
    const named = { owner, tenantId, authUrl: config.authUrl, isFurnished: furnished === true }
    await makeEnterprise({ callers, clock, ...named }, (code) => spent.push(code))
  } catch (error) {
    reach.say('The sandbox has no enterprise plan: ' + refusalIn(error))
  }
  return spent.length === 0 ? secrets : keepUnspent(world, { secrets, owner, spent })
}

/**
 * Returns the sentence of a refusal by the API, or the reason why no answer came. Any other error
 * is a mistake of ours and is thrown on.
 */
function refusalIn(error: unknown): string {
  if (error instanceof SvcError) {
    const where = error.param === null ? '' : ', ' + error.param
    return error.message + ' (' + error.code + where + ')'
  }
  if (error instanceof SvcConnectionError) return error.message
  throw error
}

function seedingOf(world: SeedWorld, reach: Reach, secrets: SandboxSecrets): Seeding {
  return {
    ...world,
    callers: openCallers(reach.apiUrl, secrets, reach.signal),
    async covered(xid) {
      if (reach.engine !== null && !(await untilCovered(reach.engine, xid, COVER_MS_MAX)))
        throw new StartProblem('The engine does not learn of new cards: see the log of the api.')
    },
  }
}

/** Where simulated outside parties are spoken to. */
export interface PeerAddresses {
  iso: IsoAddress | null
  push: PushAddress | null
  google: GoogleAddress | null
  /** The page that shows the sandbox's mails; null where another server gets them. */
  inboxUrl: string | null
  /** Health and metrics of the settler; null where payments are closed. */
  settlerUrl: string | null
}

/** Writes sandbox.json with the cards as they are now. */
export async function publish(
  { dataDir, sql }: SeedWorld,
  { config, ...peers }: { config: StartConfig } & PeerAddresses,
  secrets: SandboxSecrets,
): Promise<readonly ListedCard[]> {
  const cards = await tx(sql, (inner) => readListedCards(inner, secrets))
  const urls = {
    apiUrl: config.api.url,
    authUrl: config.authUrl,
    engineUrl: config.engine.url,
    dispatcherUrl: 'http://127.0.0.1:' + secrets.dispatcher_port,
    apiMetricsUrl: 'http://127.0.0.1:' + secrets.api_metrics_port + '/metrics',
    endpointUrl: await endpointUrl(sql, secrets),
    ...peers,
  }
  writeSandboxFile(dataDir, urls, secrets, cards)
  return cards
}

/**
 * Writes owner, endpoint and cards as they are now into the sandbox.json of a running start.
 * Returns the cards.
 */
export async function republish(
  world: SeedWorld,
  secrets: SandboxSecrets,
): Promise<readonly ListedCard[]> {
  const { realtime_endpoint: endpoint } = secrets
  assert(endpoint !== undefined, 'a sandbox that is filled has its endpoint')
  const cards = await tx(world.sql, (inner) => readListedCards(inner, secrets))
  const url = await endpointUrl(world.sql, secrets)
  renewSandboxFile(world.dataDir, { owner: secrets.owner, endpoint: { ...endpoint, url }, cards })
  return cards
}

async function endpointUrl(sql: Sql, { realtime_endpoint }: SandboxSecrets): Promise<string> {
  const id = realtime_endpoint?.id ?? ''
  const [row] = await sql<{ url: string }[]>`select url from webhook_endpoints where id = ${id}`
  return row?.url ?? ''
}
