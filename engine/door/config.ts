// The settings of a front door, read once, checked whole.
import { join } from 'node:path'
import type { MasterKeys } from '../../shared/keyring.ts'
import { loadMasterKeys, rereadMasterKeys } from '../../shared/master-key-file.ts'
import { misspeltSettings } from '../../shared/misspelt-settings.ts'
import type { Result } from '../../shared/result.ts'
import { readSettings, type Settings } from '../../shared/settings.ts'
import { doorSocket, shardNames } from '../../shared/shards.ts'
import { type IsoConfig, isoConfig } from '../iso-config.ts'
import { readTls, type Tls } from '../listeners/tls.ts'
import { type ShardConfig, shardConfig } from '../member/config.ts'
import { DOOR_SETTINGS } from '../setting-names.ts'

export interface DoorConfig {
  settings: Settings<(typeof DOOR_SETTINGS)[number]>
  port: number
  /** The shards behind the door, the first one first. */
  shards: readonly string[]
  /** The etcd that names the owners; null: the engines are those of this machine. */
  agreement: ShardConfig | null
  /** The control socket of the first shard's engine; the others are beside it. */
  engineSocket: string
  /** The socket for config records, where there are several shards or an ISO 8583 port. */
  doorSocket: string
  tls: Tls | null
  /** Null: no ISO 8583 port. */
  iso: IsoConfig | null
  masterKeys: MasterKeys
  /** A sentence for each variable that looks like a setting and is none. */
  misspelt: readonly string[]
  reloadKeys(): Result<MasterKeys, string>
}

/** Returns every problem together, or the configuration. */
export function readDoorConfig(): Result<DoorConfig, readonly string[]> {
  const read = readSettings(process.env, DOOR_SETTINGS)
  if (!read.ok) return read
  const settings = read.value
  const shard = shardConfig(settings)
  if (!shard.ok) return shard
  const { SVC_SHARDS: count, SVC_DATA_DIR: dataDir } = settings
  if (shard.value === null && count === 1)
    return { ok: false, error: ['A front door needs SVC_ETCD, or more than one of SVC_SHARDS.'] }
  const port = settings.SVC_DOOR_PORT
  if (port === null) return { ok: false, error: ['A front door needs SVC_DOOR_PORT.'] }
  const tls = readTls(settings)
  if (!tls.ok) return tls
  const iso = isoConfig({
    setting: 'SVC_DOOR_ISO_PORT',
    port: settings.SVC_DOOR_ISO_PORT,
    networkKeyId: settings.SVC_ENGINE_ISO_NETWORK,
    host: settings.SVC_ENGINE_HOST,
    tls: tls.value,
  })
  if (!iso.ok) return iso
  const keySource = {
    dataDir,
    configured: settings.SVC_MASTER_KEY,
    environment: settings.SVC_ENVIRONMENT,
  }
  const keys = loadMasterKeys(keySource)
  if (!keys.ok) return { ok: false, error: [keys.error] }
  const engineSocket = settings.SVC_ENGINE_SOCKET ?? join(dataDir, 'engine.sock')
  return {
    ok: true,
    value: {
      settings,
      port,
      shards: count === 1 ? [settings.SVC_SHARD] : shardNames(count),
      agreement: shard.value,
      engineSocket,
      doorSocket: settings.SVC_DOOR_SOCKET ?? doorSocket(engineSocket),
      tls: tls.value,
      iso: iso.value,
      masterKeys: keys.value,
      misspelt: misspeltSettings(process.env),
      reloadKeys: () => rereadMasterKeys(keySource),
    },
  }
}
