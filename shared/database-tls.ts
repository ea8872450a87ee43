// How a connection to PostgreSQL is encrypted, read from the parameters of DATABASE_URL as libpq
// names them. The driver knows none of the files, sends `sslrootcert` to the server and checks a
// numeric host against the name `localhost`.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type ConnectionOptions, checkServerIdentity, getCACertificates } from 'node:tls'
import { databaseUrls, wantsPrimary } from './database-hosts.ts'
import type { Result } from './result.ts'
import { optionalUrl } from './setting-values.ts'

/** From no encryption to a checked certificate and name. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof MODES)[number]

/** Other words for the modes, as the driver takes them in `ssl`. */
const DRIVER_WORDS: { readonly [word: string]: Mode } = { true: 'verify-full', false: 'disable' }
const FILES = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const

/**
 * `disable`: no encryption. A word: encrypted, without a check of the certificate. Else the checks.
 */
export type DatabaseTls = 'disable' | 'allow' | 'prefer' | 'require' | ConnectionOptions

/**
 * Takes the parameters out of the address. `sslrootcert` without `sslmode` means verify-full, and
 * with `require` it means verify-ca, as for libpq; `sslrootcert=system` is the machine's own list
 * and always verify-full. `hosts` are all that the setting lists, of which the certificate of a
 * numeric one must name any. Refuses, in one sentence, a mode that does not exist and a file that
 * cannot be read.
 */
export function takeDatabaseTls(
  address: URL,
  hosts: readonly string[] = [address.hostname],
): Result<DatabaseTls, string> {
  const taken = (name: string): string | null => {
    const value = address.searchParams.get(name)
    address.searchParams.delete(name)
    return value
  }
  const [sslmode, ssl] = [taken('sslmode'), taken('ssl')]
  const word = sslmode ?? (ssl === null ? null : (DRIVER_WORDS[ssl] ?? ssl))
  const [root, cert, key] = [taken(FILES.ca), taken(FILES.cert), taken(FILES.key)]
  const mode = MODES.find(
    (known) => known === (word ?? (root === null ? 'disable' : 'verify-full')),
  )
  if (mode === undefined)
    return { ok: false, error: 'has an sslmode that is none of ' + MODES.join(', ') }
  if (mode === 'disable') return { ok: true, value: mode }
  const files: ConnectionOptions = {}
  try {
    if (root !== null)
      files.ca = root === 'system' ? getCACertificates('system') : readFileSync(root)
    if (cert !== null) files.cert = readFileSync(cert)
    if (key !== null) files.key = readFileSync(key)
  } catch (error) {
    const path = error instanceof Error && 'path' in error ? String(error.path) : 'a file'
    return { ok: false, error: 'names ' + path + ', which cannot be read' }
  }
  return { ok: true, value: checksOf(root === 'system' ? 'verify-full' : mode, files, hosts) }
}

function checksOf(mode: Mode, files: ConnectionOptions, hosts: readonly string[]): DatabaseTls {
  const checked = mode === 'verify-full' || mode === 'verify-ca'
  if (!checked && files.ca === undefined) {
    const own = files.cert !== undefined || files.key !== undefined
    return own ? { ...files, rejectUnauthorized: false } : (mode as 'allow' | 'prefer' | 'require')
  }
  if (mode !== 'verify-full') return { ...files, checkServerIdentity: () => undefined }
  const numbers = hosts
    .map((host) => host.replace(/^\[|\]$/g, ''))
    .filter((host) => isIP(host) !== 0)
  if (numbers.length === 0) return files
  // A numeric host names no server, and Node would compare the certificate with `localhost`.
  return {
    ...files,
    checkServerIdentity(name, certificate) {
      const expected = hosts.includes(name) ? [name] : numbers
      const problems = expected.map((host) => checkServerIdentity(host, certificate))
      return problems.includes(undefined) ? undefined : problems[0]
    },
  }
}

const parseUrl = optionalUrl(['postgres:', 'postgresql:'])

/**
 * Returns the PostgreSQL URL if its TLS files can be read, null for an empty text, or a sentence.
 */
export function parseDatabaseUrl(text: string): Result<string | null, string> {
  const urls = databaseUrls(text)
  for (const url of urls) {
    const parsed = parseUrl(url)
    if (!parsed.ok || parsed.value === null) return parsed
    const address = new URL(parsed.value)
    if (urls.length > 1 && !wantsPrimary(address))
      return { ok: false, error: 'has a target_session_attrs that takes no writes' }
    const tls = takeDatabaseTls(address)
    if (!tls.ok) return tls
  }
  return { ok: true, value: text }
}
