// The settings of a member of a shard, checked together: a combination that could run in no way, or
// would open a link to strangers, is refused.
import { certificateIn, readPem, readServerCertificate } from '../../shared/certificate-files.ts'
import { type HostPort, parseHostPort } from '../../shared/cluster-settings.ts'
import type { Result } from '../../shared/result.ts'
import type { Settings } from '../../shared/settings.ts'
import type { EtcdTls } from '../agreement/etcd-client.ts'
import { isLoopback } from '../iso-config.ts'
import type { ETCD_SETTINGS, MEMBER_SETTINGS } from '../setting-names.ts'

/** Mutual TLS between members, PEM. */
export interface MemberTls {
  ca: string
  cert: string
  key: string
}

/** A shard in etcd, and how a process of ours speaks with etcd and with members. */
export interface ShardConfig {
  cell: string
  shard: string
  /** `host:port` each. */
  etcd: readonly string[]
  etcdTls: EtcdTls | null
  /** Null: every member is on this machine. */
  memberTls: MemberTls | null
}

export interface MemberConfig extends ShardConfig {
  address: HostPort
  /** Shards of the cell. */
  shards: number
  silentMs: number
  /** Milliseconds for which entries that PostgreSQL has are kept. */
  drainedKeptMs: number
}

type ShardSettings = Settings<(typeof ETCD_SETTINGS)[number]>

/** Null without etcd; every problem together. */
export function memberConfig(
  settings: Settings<(typeof MEMBER_SETTINGS)[number]>,
): Result<MemberConfig | null, readonly string[]> {
  const { SVC_MEMBER_ADDRESS: address, SVC_OWNER_SILENT_MS: silentMs } = settings
  const { SVC_DRAINED_KEPT_MS: drainedKeptMs, SVC_SHARDS: shards } = settings
  const shard = shardConfig(settings)
  if (!shard.ok) return shard
  if (shard.value === null) {
    if (address === null) return { ok: true, value: null }
    return { ok: false, error: ['SVC_MEMBER_ADDRESS needs SVC_ETCD.'] }
  }
  if (address === null) return { ok: false, error: ['SVC_ETCD needs SVC_MEMBER_ADDRESS.'] }
  if (shard.value.memberTls === null && !isLoopback(address.host)) {
    const problem =
      'SVC_MEMBER_ADDRESS beyond this machine needs SVC_MEMBER_TLS_CA, SVC_MEMBER_TLS_CERT and SVC_MEMBER_TLS_KEY.'
    return { ok: false, error: [problem] }
  }
  return { ok: true, value: { ...shard.value, address, shards, silentMs, drainedKeptMs } }
}

/** Null without etcd; every problem together. */
export function shardConfig(
  settings: ShardSettings,
): Result<ShardConfig | null, readonly string[]> {
  const { SVC_ETCD: etcd, SVC_CELL: cell, SVC_SHARD: shard } = settings
  const problems: string[] = []
  const etcdTls = readEtcdTls(settings, problems)
  const memberTls = readMemberTls(settings, problems)
  if (etcd.length === 0) {
    if (etcdTls !== null || memberTls !== null)
      problems.push('SVC_ETCD_TLS_… and SVC_MEMBER_TLS_… need SVC_ETCD.')
    return problems.length > 0 ? { ok: false, error: problems } : { ok: true, value: null }
  }
  if (etcdTls === null && !etcd.every((node) => isLoopback(parseHostPort(node)?.host ?? '')))
    problems.push('SVC_ETCD beyond this machine needs SVC_ETCD_TLS_CA: entries hold amounts.')
  if (problems.length > 0) return { ok: false, error: problems }
  return { ok: true, value: { cell, shard, etcd, etcdTls, memberTls } }
}

function readEtcdTls(settings: ShardSettings, problems: string[]): EtcdTls | null {
  const ca = readPem('SVC_ETCD_TLS_CA', settings.SVC_ETCD_TLS_CA, problems)
  const own = readServerCertificate(
    { cert: 'SVC_ETCD_TLS_CERT', key: 'SVC_ETCD_TLS_KEY' },
    { cert: settings.SVC_ETCD_TLS_CERT, key: settings.SVC_ETCD_TLS_KEY },
    problems,
  )
  if (own !== null && ca === null) problems.push('SVC_ETCD_TLS_CERT needs SVC_ETCD_TLS_CA.')
  certificateIn('SVC_ETCD_TLS_CA', ca, problems)
  if (ca === null) return null
  return {
    ca: Buffer.from(ca.pem),
    cert: own === null ? null : Buffer.from(own.cert.pem),
    key: own === null ? null : Buffer.from(own.key.pem),
  }
}

function readMemberTls(settings: ShardSettings, problems: string[]): MemberTls | null {
  const ca = readPem('SVC_MEMBER_TLS_CA', settings.SVC_MEMBER_TLS_CA, problems)
  const own = readServerCertificate(
    { cert: 'SVC_MEMBER_TLS_CERT', key: 'SVC_MEMBER_TLS_KEY' },
    { cert: settings.SVC_MEMBER_TLS_CERT, key: settings.SVC_MEMBER_TLS_KEY },
    problems,
  )
  if (ca === null && own === null) return null
  if (ca === null || own === null) {
    problems.push('SVC_MEMBER_TLS_CA, SVC_MEMBER_TLS_CERT and SVC_MEMBER_TLS_KEY go together.')
    return null
  }
  certificateIn('SVC_MEMBER_TLS_CA', ca, problems)
  return { ca: ca.pem, cert: own.cert.pem, key: own.key.pem }
}
