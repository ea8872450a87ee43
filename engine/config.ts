// The engine's settings, read once, checked whole.
import { join } from 'node:path'
import type { MasterKeys } from '../shared/keyring.ts'
import { loadMasterKeys, rereadMasterKeys } from '../shared/master-key-file.ts'
import { misspeltSettings } from '../shared/misspelt-settings.ts'
import type { Result } from '../shared/result.ts'
import { readSettings, type Settings } from '../shared/settings.ts'
import { FIRST_SHARD, ownShard, shardDirectory, shardNames, shardSocket } from '../shared/shards.ts'
import { type IsoConfig, isoConfig } from './iso-config.ts'
import { readTls, type Tls } from './listeners/tls.ts'
import { type MemberConfig, memberConfig } from './member/config.ts'
import { ENGINE_SETTINGS, ISO_SETTINGS, MEMBER_SETTINGS } from './setting-names.ts'

export interface EngineConfig {
  settings: Settings<(typeof ENGINE_SETTINGS)[number]>
  /** The shard that this engine decides for; null: there is only one. */
  shard: string | null
  /** Directory of the shard's journal, config cache and clock. */
  shardDir: string
  journalDir: string
  configCacheDir: string
  socketPath: string
  /** Null: no ISO 8583 port. */
  iso: IsoConfig | null
  /** Null: decisions are kept on this machine alone. */
  member: MemberConfig | null
  /** TLS of the network ports; null: without TLS. */
  tls: Tls | null
  /** Share of traces that are kept, 0 to 1; null: off. */
  traceShare: number | null
  /** A sentence for each variable that looks like a setting and is none. */
  misspelt: readonly string[]
  loadKeys(): Result<MasterKeys, string>
  /** Reads the current keys; a missing file is not created again. */
  reloadKeys(): Result<MasterKeys, string>
}

/** Returns every problem together, or the frozen configuration. */
export function readEngineConfig(): Result<EngineConfig, readonly string[]> {
  const read = readSettings(process.env, [...ENGINE_SETTINGS, ...ISO_SETTINGS, ...MEMBER_SETTINGS])
  if (!read.ok) return read
  const settings = read.value
  const tls = readTls(settings)
  if (!tls.ok) return tls
  const iso = isoConfig({
    setting: 'SVC_ENGINE_ISO_PORT',
    port: settings.SVC_ENGINE_ISO_PORT,
    networkKeyId: settings.SVC_ENGINE_ISO_NETWORK,
    host: settings.SVC_ENGINE_HOST,
    tls: tls.value,
  })
  if (!iso.ok) return iso
  const member = memberConfig(settings)
  if (!member.ok) return member
  const { SVC_DATA_DIR: dataDir, SVC_SHARD: shard, SVC_SHARDS: shards } = settings
  if (shards > 1 && !shardNames(shards).includes(shard))
    return {
      ok: false,
      error: ['SVC_SHARD must be one of s1 to s' + shards + ', as SVC_SHARDS says.'],
    }
  const own = ownShard(settings)
  const shardDir = shardDirectory(dataDir, own ?? FIRST_SHARD)
  const socketPath = settings.SVC_ENGINE_SOCKET ?? join(dataDir, 'engine.sock')
  const keySource = {
    dataDir,
    configured: settings.SVC_MASTER_KEY,
    environment: settings.SVC_ENVIRONMENT,
  }
  return {
    ok: true,
    value: Object.freeze({
      settings,
      shard: own,
      shardDir,
      journalDir: join(shardDir, 'journal'),
      configCacheDir: join(shardDir, 'facts'),
      socketPath: shardSocket(socketPath, own ?? FIRST_SHARD),
      iso: iso.value,
      member: member.value,
      tls: tls.value,
      traceShare: settings.SVC_TRACES_URL === null ? null : settings.SVC_TRACES_SHARE,
      misspelt: misspeltSettings(process.env),
      loadKeys: () => loadMasterKeys(keySource),
      reloadKeys: () => rereadMasterKeys(keySource),
    }),
  }
}
