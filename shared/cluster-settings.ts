// Settings of engines on several machines and of the front door: rows of the one table of settings.
import type { Result } from './result.ts'
import { integer, optionalPath, optionalPort, type Setting, setting } from './setting-values.ts'

/** A host with its port. */
export interface HostPort {
  host: string
  port: number
}

const HOST_PORT = /^([\w.-]+|\[[\da-fA-F:]+\]):(\d{1,5})$/
const PORT_MAX = 65_535

/** Reads `host:port`, an IPv6 address in brackets; null where it is none. */
export function parseHostPort(text: string): HostPort | null {
  const match = HOST_PORT.exec(text)
  if (match === null) return null
  const port = Number(match[2])
  if (port === 0 || port > PORT_MAX) return null
  return { host: (match[1] ?? '').replace(/^\[|\]$/g, ''), port }
}

function hostPorts(text: string): Result<readonly string[], string> {
  const parts = text === '' ? [] : text.split(',').map((part) => part.trim())
  return parts.every((part) => parseHostPort(part) !== null)
    ? { ok: true, value: parts }
    : { ok: false, error: 'must be host:port, comma-separated' }
}

function optionalHostPort(text: string): Result<HostPort | null, string> {
  if (text === '') return { ok: true, value: null }
  const parsed = parseHostPort(text)
  return parsed === null ? { ok: false, error: 'must be host:port' } : { ok: true, value: parsed }
}

function name(text: string): Result<string, string> {
  return /^[a-z][a-z0-9-]{0,31}$/.test(text)
    ? { ok: true, value: text }
    : { ok: false, error: 'must be 1 to 32 of a-z, 0-9 and -, beginning with a letter' }
}

function pem(about: string): Setting<string | null> {
  return setting({ fallback: '', about, parse: optionalPath })
}

export const CLUSTER_SETTINGS = {
  SVC_ETCD: setting({
    fallback: '',
    about:
      'Nodes of etcd, `host:port`, comma-separated. Set: the engine is a member of a shard on several machines. Unset: one machine, without etcd.',
    parse: hostPorts,
  }),
  SVC_CELL: setting({
    fallback: 'main',
    about: 'Name of the cell in etcd: an etcd, a PostgreSQL and their shards.',
    parse: name,
  }),
  SVC_SHARD: setting({
    fallback: 's1',
    about: 'Name of the shard that this engine or door belongs to.',
    parse: name,
  }),
  SVC_SHARDS: setting({
    fallback: '1',
    about:
      'Shards of the cell, named s1, s2 and so on; tenants are placed on one each. More than one needs a front door.',
    parse: integer(1, 64),
  }),
  SVC_MEMBER_ADDRESS: setting({
    fallback: '',
    about:
      'Address `host:port` under which the other members and the apis reach this engine; its port is opened there. Needed with SVC_ETCD.',
    parse: optionalHostPort,
  }),
  SVC_OWNER_SILENT_MS: setting({
    fallback: '250',
    about: 'Milliseconds of silence after which a member suspects the owner of its shard.',
    parse: integer(50, 60_000),
  }),
  SVC_DRAINED_KEPT_MS: setting({
    fallback: '600000',
    about:
      'Milliseconds for which a member keeps journal entries that PostgreSQL has: a promoted standby may have lost them.',
    parse: integer(0, 86_400_000),
  }),
  SVC_ETCD_TLS_CA: pem('Authority (PEM file) of the nodes of etcd. Set: TLS to etcd.'),
  SVC_ETCD_TLS_CERT: pem('Certificate (PEM file) that this process shows to etcd.'),
  SVC_ETCD_TLS_KEY: pem('Private key (PEM file) of that certificate.'),
  SVC_MEMBER_TLS_CA: pem(
    'Authority (PEM file) of the members. Members beyond loopback need mutual TLS: authority, certificate and key.',
  ),
  SVC_MEMBER_TLS_CERT: pem('Certificate (PEM file) of this member, for both sides of a link.'),
  SVC_MEMBER_TLS_KEY: pem('Private key (PEM file) of that certificate.'),
  SVC_DOOR_SOCKET: setting({
    fallback: '',
    about:
      'Socket on which a front door of several shards, or with an ISO 8583 port, takes config records from an api on its machine; unset: beside the sockets of the engines. An api of one shard needs it to serve such a door.',
    parse: optionalPath,
  }),
  SVC_DOOR_PORT: setting({
    fallback: '',
    about: 'Port of the front door: network messages for whichever member owns the shard.',
    parse: optionalPort,
  }),
  SVC_DOOR_ISO_PORT: setting({
    fallback: '',
    about:
      'Port of the front door for ISO 8583 links, with SVC_ENGINE_ISO_NETWORK or SVC_ENGINE_TLS_CLIENTS as at an engine; closed when unset.',
    parse: optionalPort,
  }),
}
