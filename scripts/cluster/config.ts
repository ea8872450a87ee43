// The environment of `npm run cluster`, read once.
import { join, resolve } from 'node:path'
import { ETCD_SETTINGS } from '../../engine/setting-names.ts'
import type { Result } from '../../shared/result.ts'
import { readSettings, type Settings } from '../../shared/settings.ts'
import { findEtcd } from './find-etcd.ts'

/** The directory of the cluster: the one given, else below SVC_DATA_DIR. */
export function clusterDirectory(given: string | undefined): Result<string, string> {
  const settings = readSettings(process.env, ['SVC_DATA_DIR'])
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

/** Settings with which a shard is founded. */
export function initSettings(): Result<
  Settings<(typeof ETCD_SETTINGS)[number] | 'SVC_DATA_DIR' | 'DATABASE_URL'>,
  readonly string[]
> {
  return readSettings(process.env, [...ETCD_SETTINGS, 'SVC_DATA_DIR', 'DATABASE_URL'])
}

/** The part of our environment that the processes of a cluster need. */
export function childEnvironment(): { readonly [name: string]: string | undefined } {
  return { PATH: process.env['PATH'], HOME: process.env['HOME'] }
}
