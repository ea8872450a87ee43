// An engine by itself, for benches that look at nothing else: no api, no PostgreSQL, and nothing
// that drains. The config records of the rows that `seedLine` writes stand in its LMDB before it
// starts, a million cards within a minute.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openConfigCache } from '../../engine/config-cache/config-cache.ts'
import { systemClock } from '../../shared/clock.ts'
import { encodeId, newId, randomSecret } from '../../shared/id.ts'
import {
  type Derivation,
  deriveKeys,
  type MasterKeys,
  ROOT_BYTES,
  SEAL_CONTEXTS,
  seal,
} from '../../shared/keyring.ts'
import { createLog } from '../../shared/log.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import type { ConfigRecord } from '../../shared/wire/config-records.ts'
import { judgedConfig } from '../../test/harness/judged.ts'
import { newDirectory } from '../machine.ts'
import { copyConfig } from '../steps/population.ts'
import { type EngineTestbed, startEngine } from './engine.ts'
import {
  CURRENCY,
  controlsOf,
  EXP_MONTH,
  EXP_YEAR,
  idOf,
  panOf,
  printedCard,
  type Seeded,
  tokenOf,
} from './seed.ts'

/** Cards that are written at once. */
const PART = 5000
/** The database that a testbed without one says it is. */
export const DATABASE = 'bench'

export interface AloneOptions {
  cards: number
  /** Environment of the engine, beside the variables it needs. */
  environment?: { readonly [name: string]: string }
  /** Port of ISO 8583 links of the same network; absent: closed. */
  isoPort?: number
}

/**
 * Ready to decide, on a directory of its own that goes with `close`; or nothing is left running.
 */
export async function openEngineAlone(options: AloneOptions): Promise<EngineTestbed> {
  const directory = newDirectory()
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  try {
    const seeded = await fillConfig(directory, options.cards)
    const { isoPort } = options
    const environment = {
      ...(isoPort !== undefined && {
        SVC_ENGINE_ISO_PORT: String(isoPort),
        SVC_ENGINE_ISO_NETWORK: seeded.network.key_id,
      }),
      ...options.environment,
    }
    const stand = await startEngine({ directory, seeded, tenants: 1, environment })
    stops.push(stand.close)
    await stand.client.attach({ database_id: DATABASE, journal: null })
    await stand.ready()
    return Object.assign(stand, { close })
  } catch (error) {
    await close()
    throw error
  }
}

/** Writes master key and config records into the directory of an engine. */
export async function fillConfig(dataDir: string, cards: number): Promise<Seeded> {
  const loaded = loadMasterKeys({ dataDir, configured: null, environment: 'sandbox' })
  if (!loaded.ok) throw new Error(loaded.error)
  const network = { key_id: newId('nkey', systemClock.nowMs()), secret: 'nsec_' + randomSecret(24) }
  const root = randomBytes(ROOT_BYTES)
  const derivation = deriveKeys(root, encodeId)
  const configCache = openConfigCache({
    directory: join(dataDir, 'facts'),
    clock: systemClock,
    log: createLog({ name: 'bench', level: 'warn' }),
    onFailed(reason) {
      throw new Error(reason)
    },
  })
  const sealedRoot = seal(loaded.value, SEAL_CONTEXTS.root, root)
  const first: ConfigRecord[] = [
    { type: 'root', id: 'root', version: 1, sealed: sealedRoot },
    networkKey(loaded.value, network),
    judgedConfig().program,
  ]
  await copyConfig(configCache, DATABASE, parts(first, cards, derivation))
  await configCache.close()
  return {
    network,
    cardsOf: (_tenant, by) =>
      Array.from({ length: cards }, (_, at) =>
        by === 'token' ? { token: tokenOf(at) } : printedCard(derivation, at),
      ),
  }
}

function networkKey(keys: MasterKeys, network: Seeded['network']): ConfigRecord {
  return {
    type: 'network_key',
    id: network.key_id,
    version: 1,
    network: 'simnet',
    environment: 'sandbox',
    sealed_secret: seal(keys, SEAL_CONTEXTS.networkSecret, network.secret),
  }
}

function* parts(
  first: readonly ConfigRecord[],
  cards: number,
  derivation: Derivation,
): Generator<readonly ConfigRecord[]> {
  yield first
  for (let from = 0; from < cards; from += PART) {
    const count = Math.min(PART, cards - from)
    yield Array.from({ length: count }, (_, at) => configOfCard(from + at, derivation)).flat()
  }
}

const { card: CARD, cardholder: CARDHOLDER } = judgedConfig()
const CONTROLS = controlsOf(1)

/** A cardholder, the card and its controls, all of its own. */
function configOfCard(at: number, derivation: Derivation): ConfigRecord[] {
  const [id, holderId, pan] = [idOf('card', at), idOf('ch', at), panOf(at)]
  const fingerprint = derivation.fingerprint(pan)
  const cvc = derivation.cvc(pan, EXP_MONTH, EXP_YEAR)
  return [
    { ...CARDHOLDER, id: holderId },
    {
      ...CARD,
      id,
      cardholder_id: holderId,
      token: tokenOf(at),
      fingerprint,
      last4: pan.slice(-4),
      exp_month: EXP_MONTH,
      exp_year: EXP_YEAR,
      cvc_verifier: derivation.cvcVerifier(fingerprint, cvc),
      currency: CURRENCY,
      windows_id: id,
    },
    { type: 'controls', id, version: 1, scope: 'card', controls: CONTROLS },
  ]
}
