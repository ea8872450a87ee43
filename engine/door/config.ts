// The settings of a front door, read once, checked whole.
import type { MasterKeys } from '../../shared/keyring.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import type { Result } from '../../shared/result.ts'
import { readSettings, type Settings } from '../../shared/settings.ts'
import { readTls, type Tls } from '../listeners/tls.ts'
import { type ShardConfig, shardConfig } from '../member/config.ts'
import { DOOR_SETTINGS } from '../setting-names.ts'

export interface DoorConfig {
  settings: Settings<(typeof DOOR_SETTINGS)[number]>
  port: number
  shard: ShardConfig
  tls: Tls | null
  masterKeys: MasterKeys
}

/** Returns every problem together, or the configuration. */
export function readDoorConfig(): Result<DoorConfig, readonly string[]> {
  const read = readSettings(process.env, DOOR_SETTINGS)
  if (!read.ok) return read
  const settings = read.value
  const shard = shardConfig(settings)
  if (!shard.ok) return shard
  if (shard.value === null) return { ok: false, error: ['A front door needs SVC_ETCD.'] }
  const port = settings.SVC_DOOR_PORT
  if (port === null) return { ok: false, error: ['A front door needs SVC_DOOR_PORT.'] }
  const tls = readTls(settings)
  if (!tls.ok) return tls
  const keys = loadMasterKeys({
    dataDir: settings.SVC_DATA_DIR,
    configured: settings.SVC_MASTER_KEY,
    environment: settings.SVC_ENVIRONMENT,
  })
  if (!keys.ok) return { ok: false, error: [keys.error] }
  return {
    ok: true,
    value: { settings, port, shard: shard.value, tls: tls.value, masterKeys: keys.value },
  }
}
