// An engine by itself, for benches that look at nothing else: no api, no PostgreSQL, and nothing
// that drains. The config records of the rows that `seedLine` writes stand in its LMDB before it
// starts, a million cards within a minute.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openConfigCache } from '../../engine/config-cache/config-cache.ts'
import { systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import type { ConfigRecord } from '../../shared/wire/config-records.ts'
import { newDirectory } from '../machine.ts'
import { copyConfig } from '../steps/population.ts'
import { openCardWorld } from './config-records.ts'
import { type EngineTestbed, startEngine } from './engine.ts'
import type { Seeded } from './seed.ts'

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
  const world = openCardWorld(dataDir, null)
  await writeConfig(join(dataDir, 'facts'), world.records({ cards }))
  return world.seeded({ cards })
}

/** Writes a full copy of config records into a directory that no process has open. */
export async function writeConfig(
  directory: string,
  parts: Iterable<readonly ConfigRecord[]>,
): Promise<void> {
  const configCache = openConfigCache({
    directory,
    clock: systemClock,
    log: createLog({ name: 'bench', level: 'warn' }),
    onFailed(reason) {
      throw new Error(reason)
    },
  })
  await copyConfig(configCache, DATABASE, parts)
  await configCache.close()
}
