// Names of the settings and options of an engine. The help of the engine reads them, so this file
// imports nothing.

/** Names of the settings that an engine reads, without those of its ISO 8583 port. */
export const ENGINE_SETTINGS = [
  'SVC_DATA_DIR',
  'SVC_ENGINE_HOST',
  'SVC_ENGINE_PORT',
  'SVC_ENGINE_SOCKET',
  'SVC_ENGINE_TLS_CERT',
  'SVC_ENGINE_TLS_KEY',
  'SVC_ENGINE_TLS_CLIENT_CA',
  'SVC_ENGINE_TLS_CLIENTS',
  'SVC_ENGINE_ALLOW_CIDRS',
  'SVC_AUTH_BUDGET_MS',
  'SVC_WEBHOOK_ALLOW_CIDRS',
  'SVC_MASTER_KEY',
  'SVC_ENVIRONMENT',
  'SVC_JOURNAL_SEGMENT_BYTES',
  'SVC_SNAPSHOT_ENTRIES',
  'SVC_TRACES_URL',
  'SVC_TRACES_SHARE',
  'SVC_LOG_LEVEL',
] as const

export const ISO_SETTINGS = ['SVC_ENGINE_ISO_PORT', 'SVC_ENGINE_ISO_NETWORK'] as const

/** Names of the settings of a process that reads etcd: a member of a shard, or its front door. */
export const ETCD_SETTINGS = [
  'SVC_ETCD',
  'SVC_CELL',
  'SVC_SHARD',
  'SVC_SHARDS',
  'SVC_ETCD_TLS_CA',
  'SVC_ETCD_TLS_CERT',
  'SVC_ETCD_TLS_KEY',
  'SVC_MEMBER_TLS_CA',
  'SVC_MEMBER_TLS_CERT',
  'SVC_MEMBER_TLS_KEY',
] as const

/** Names of the settings of an engine on several machines. */
export const MEMBER_SETTINGS = [
  ...ETCD_SETTINGS,
  'SVC_MEMBER_ADDRESS',
  'SVC_OWNER_SILENT_MS',
  'SVC_DRAINED_KEPT_MS',
] as const

/** Names of the settings that a front door reads. */
export const DOOR_SETTINGS = [
  ...ETCD_SETTINGS,
  'SVC_DOOR_PORT',
  'SVC_DOOR_ISO_PORT',
  'SVC_DOOR_SOCKET',
  'SVC_ENGINE_ISO_NETWORK',
  'SVC_DATA_DIR',
  'SVC_ENGINE_SOCKET',
  'SVC_ENGINE_HOST',
  'SVC_ENGINE_TLS_CERT',
  'SVC_ENGINE_TLS_KEY',
  'SVC_ENGINE_TLS_CLIENT_CA',
  'SVC_ENGINE_TLS_CLIENTS',
  'SVC_ENGINE_ALLOW_CIDRS',
  'SVC_MASTER_KEY',
  'SVC_ENVIRONMENT',
  'SVC_LOG_LEVEL',
] as const

/** For a deploy: the new process loads everything while the old one still answers. */
export const TAKE_OVER = '--take-over'
