// The environment of `npm run cluster`, read once.
import { join, resolve } from 'node:path'
import { openEtcdStore } from '../../engine/agreement/etcd-store.ts'
import { type ShardKeys, shardKeys } from '../../engine/agreement/keys.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { shardConfig } from '../../engine/member/config.ts'
import { ETCD_SETTINGS } from '../../engine/setting-names.ts'
import type { Result } from '../../shared/result.ts'
import { FIRST_SHARD, ownShard, shardDirectory } from '../../shared/shards.ts'
import { readScriptSettings } from '../config.ts'
import { findEtcd } from './find-etcd.ts'

/** The directory of the cluster: the one given, else below SVC_DATA_DIR. */
export function clusterDirectory(given: string | undefined): Result<string, string> {
  const settings = readScriptSettings(['SVC_DATA_DIR'])
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  return { ok: true, value: resolve(given ?? join(settings.value.SVC_DATA_DIR, 'cluster')) }
}

/** The etcd of this machine, or how to get one. */
export function installedEtcd(): Result<string, string> {
  return findEtcd(process.env['SVC_ETCD_BIN'] ?? null, process.env['PATH'] ?? '')
}

/** True where the settings name an etcd of the operator. */
export function hasOwnEtcd(): boolean {
  return (process.env['SVC_ETCD'] ?? '') !== ''
}

/** The shard that an operator's settings name, in an etcd of theirs. */
export interface NamedShard {
  name: string
  cell: string
  keys: ShardKeys
  dataDir: string
  databaseUrl: string | null
  /** The directory of the shard's journal below a data directory. */
  journalDirIn(dataDir: string): string
  /** A store whose failure ends the command. */
  openStore(): AgreementStore
}

/** The shard that is founded or adopted, or the sentences that say what is missing. */
export function namedShard(): Result<NamedShard, string> {
  const settings = readScriptSettings([...ETCD_SETTINGS, 'SVC_DATA_DIR', 'DATABASE_URL'])
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  const shard = shardConfig(settings.value)
  if (!shard.ok) return { ok: false, error: shard.error.join('\n') }
  if (shard.value === null) return { ok: false, error: 'SVC_ETCD names no node of etcd.' }
  const { etcd, etcdTls, cell, shard: name } = shard.value
  const { SVC_DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = settings.value
  const own = ownShard(settings.value) ?? FIRST_SHARD
  const value: NamedShard = {
    ...{ name, cell, keys: shardKeys(cell, name), dataDir, databaseUrl },
    journalDirIn: (directory) => join(shardDirectory(directory, own), 'journal'),
    openStore() {
      const onFailed = (reason: string): void => {
        throw new Error(reason)
      }
      return openEtcdStore({ endpoints: etcd, tls: etcdTls, onFailed })
    },
  }
  return { ok: true, value }
}

/** The part of our environment that the processes of a cluster need. */
export function childEnvironment(): { readonly [name: string]: string | undefined } {
  return { PATH: process.env['PATH'], HOME: process.env['HOME'] }
}
