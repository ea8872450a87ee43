// An address of PostgreSQL may name several hosts, as libpq writes them: the primary and standbys
// that may be promoted. The URL parser of the platform takes one host alone.

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#@]*,[^/?#@]*)([/?#].*|)$/
/** A process of svc writes, so it wants the host that takes writes. */
const WRITABLE: ReadonlySet<string> = new Set(['read-write', 'primary', 'any'])

/** An address per host, each with the user, database and parameters; the address itself for one. */
export function databaseUrls(url: string): readonly string[] {
  const match = PARTS.exec(url)
  if (match === null) return [url]
  const [, before = '', hosts = '', after = ''] = match
  return hosts.split(',').map((host) => before + host + after)
}

/** True where `target_session_attrs` is absent, or asks for a host that takes writes. */
export function wantsPrimary(address: URL): boolean {
  return WRITABLE.has(address.searchParams.get('target_session_attrs') ?? 'primary')
}
