// Where the service is and with which credentials it is called: options, else the environment, else
// the files of the data directory. `sandbox.json` is there while npm start runs; parts that were
// started alone have only the secrets that npm run seed wrote.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, SvcConnectionError, SvcError } from '../../client/index.ts'
import type { Result } from '../../shared/result.ts'
import type { Settings } from '../../shared/settings.ts'
import {
  ADDRESS_SETTINGS,
  localAddresses,
  readOptionSettings,
  readScriptSettings,
} from '../config.ts'
import {
  readFurnished,
  readSandbox,
  readSeeded,
  SANDBOX_FILE,
  type Sandbox,
  type Seeded,
  type Surroundings,
} from './sandbox.ts'

/** Options of commands that only read. */
export const READ_OPTIONS = {
  'data-dir': { type: 'string' },
  api: { type: 'string' },
  key: { type: 'string' },
} as const

/** Options of commands that speak as the card network. */
export const NETWORK_OPTIONS = {
  ...READ_OPTIONS,
  engine: { type: 'string' },
  iso: { type: 'string' },
  'network-key': { type: 'string' },
  'network-secret': { type: 'string' },
} as const

const SETTINGS = {
  'data-dir': 'SVC_DATA_DIR',
  key: 'SVC_API_KEY',
  'network-key': 'SVC_NETWORK_KEY',
  'network-secret': 'SVC_NETWORK_SECRET',
} as const

/** Values of the options above; undefined where one is not given. */
export type Located = { readonly [Option in keyof typeof NETWORK_OPTIONS]?: string | undefined }

type Given = Settings<(typeof SETTINGS)[keyof typeof SETTINGS]>

/** Where a reader calls the API, and where the files of the service lie. */
export interface ReadAccess {
  dataDir: string
  apiUrl: string
  key: string
}

/** Returns the access of a reader, or a sentence that says what is missing. */
export function locateReader(options: Located): Result<ReadAccess, string> {
  const known = readGiven(options)
  if (!known.ok) return known
  const { given, api } = known.value
  const { SVC_DATA_DIR: dataDir, SVC_API_KEY: key } = given
  // A key of its own belongs to a service of its own, unless --api says otherwise.
  if (key !== null) return { ok: true, value: { dataDir, key, apiUrl: options.api ?? api } }
  if (existsSync(join(dataDir, SANDBOX_FILE))) {
    const read = readSandbox(dataDir)
    if (!read.ok) return read
    const { api_url: apiUrl, keys } = read.value.sandbox
    return { ok: true, value: { dataDir, key: keys.read, apiUrl: options.api ?? apiUrl } }
  }
  const seeded = readSeeded(dataDir)
  if (!seeded.ok) return seeded
  return { ok: true, value: { dataDir, key: seeded.value.keys.read, apiUrl: options.api ?? api } }
}

/**
 * Returns addresses, credentials and cards of the service, or a sentence that says what is missing.
 * Waits for the cards of an npm start that is still making them.
 */
export async function locateService(options: Located): Promise<Result<Surroundings, string>> {
  const known = readGiven(options)
  if (!known.ok) return known
  const { given, api, engine, iso } = known.value
  const { SVC_DATA_DIR: dataDir, SVC_API_KEY: key } = given
  const credentials = (sandbox: Pick<Sandbox, 'network' | 'keys'>) => ({
    network: {
      key_id: given.SVC_NETWORK_KEY ?? sandbox.network.key_id,
      secret: given.SVC_NETWORK_SECRET ?? sandbox.network.secret,
    },
    keys: key === null ? sandbox.keys : { read: key, write: key, admin: key },
  })
  if (existsSync(join(dataDir, SANDBOX_FILE))) {
    const read = await readFurnished(dataDir)
    if (!read.ok) return read
    const { sandbox } = read.value
    const addresses = {
      api_url: options.api ?? sandbox.api_url,
      engine_url: options.engine ?? sandbox.engine_url,
      engine_iso: iso ?? sandbox.engine_iso ?? null,
    }
    const value = { ...read.value, sandbox: { ...sandbox, ...addresses, ...credentials(sandbox) } }
    return { ok: true, value }
  }
  const seeded = readSeeded(dataDir)
  if (!seeded.ok) return seeded
  const { cards, furnished, operator, realtime_endpoint: endpoint } = seeded.value
  const apiUrl = options.api ?? api
  const calling = credentials(seeded.value)
  const url = await endpointUrl(apiUrl, calling.keys.read, endpoint.id)
  if (!url.ok) return url
  const sandbox: Sandbox = {
    ...calling,
    api_url: apiUrl,
    engine_url: options.engine ?? engine,
    engine_iso: iso,
    realtime_endpoint: { ...endpoint, url: url.value },
    ...(operator !== undefined && { operator_key: operator.key }),
  }
  return {
    ok: true,
    value: { dataDir, sandbox, secrets: { cards, ...(furnished !== undefined && { furnished }) } },
  }
}

/** A story points the endpoint elsewhere and back, so its address has to be known. */
async function endpointUrl(
  apiUrl: string,
  key: string,
  id: Seeded['realtime_endpoint']['id'],
): Promise<Result<string, string>> {
  try {
    const { url } = await createClient({ baseUrl: apiUrl, key }).getWebhookEndpoint({ id })
    return { ok: true, value: url }
  } catch (error) {
    if (error instanceof SvcError) {
      const reason = error.code + ': ' + error.message
      return { ok: false, error: 'The API at ' + apiUrl + ' refuses the key: ' + reason }
    }
    if (error instanceof SvcConnectionError)
      return { ok: false, error: 'No API answers at ' + apiUrl + '; name it with --api.' }
    throw error
  }
}

interface Known {
  given: Given
  /** Where parts with these settings answer. */
  api: string
  engine: string
  iso: { host: string; port: number } | null
}

function readGiven(options: Located): Result<Known, string> {
  const given = readOptionSettings(SETTINGS, options)
  if (!given.ok) return { ok: false, error: given.error.join('\n') }
  const settings = readScriptSettings(ADDRESS_SETTINGS)
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  for (const name of ['api', 'engine'] as const) {
    if (options[name] !== undefined && !isHttpUrl(options[name]))
      return { ok: false, error: '--' + name + ' must be an http:// or https:// URL.' }
  }
  const iso = isoAddress(options.iso)
  if (iso === undefined)
    return { ok: false, error: '--iso must be HOST:PORT, for example 127.0.0.1:8583.' }
  return { ok: true, value: { given: given.value, iso, ...localAddresses(settings.value) } }
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

/** Null where nothing is given, undefined where it is no address. */
function isoAddress(text: string | undefined): Known['iso'] | undefined {
  if (text === undefined) return null
  const [, host = '', digits = ''] = /^\[?([^[\]]{1,255}?)\]?:(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  return host === '' || port < 1 || port > 65_535 ? undefined : { host, port }
}
