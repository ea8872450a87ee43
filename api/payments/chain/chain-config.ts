// The chain of an environment, as its JSON file describes it. Every field is checked here, and
// every problem is reported with its name.
import { readFileSync } from 'node:fs'
import type { Hex } from 'viem'
import type { Result } from '../../../shared/result.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { ChainPlace } from './chain.ts'
import { isRecord } from './json-rpc.ts'
import { viem } from './viem.ts'

/** The holder of the sponsor's key: this installation, or a service that signs digests. */
export type SignerConfig = { kind: 'local' } | { kind: 'remote'; url: string; address: Hex }

export interface ChainConfig extends ChainPlace {
  environment: Environment
  rpcUrls: readonly string[]
  /** Most wei per gas that a transaction may offer. */
  maxFeeWei: bigint
  signer: SignerConfig
}

/** The chain of each environment; null: payments are closed there. */
export type ChainConfigs = Readonly<Record<Environment, ChainConfig | null>>

/** The port of resources that name a chain. */
export interface ChainPort {
  chains: ChainConfigs
}

/** Chain ids of nodes on a developer's machine. */
const LOCAL_CHAINS: readonly number[] = [1337, 31_337]
const WEI_PER_GWEI = 1e9
const GWEI_MAX = 100_000
const FINALITY_MAX = 10_000
const FIELDS = [
  'chain_id',
  'genesis_hash',
  'rpc_urls',
  'token',
  'settlement',
  'finality',
  'max_fee_gwei',
  'signer',
]

/** The chains that the settings name, or a sentence per problem. */
export function readChainConfigs(
  paths: { SVC_CHAIN_SANDBOX: string | null; SVC_CHAIN_LIVE: string | null },
  problems: string[],
): ChainConfigs {
  const read = (environment: Environment, path: string | null): ChainConfig | null => {
    if (path === null) return null
    const setting = environment === 'live' ? 'SVC_CHAIN_LIVE' : 'SVC_CHAIN_SANDBOX'
    const config = readChainFile(environment, path)
    if (config.ok) return config.value
    problems.push(...config.error.map((problem) => setting + ' (' + path + '): ' + problem))
    return null
  }
  const chains = {
    sandbox: read('sandbox', paths.SVC_CHAIN_SANDBOX),
    live: read('live', paths.SVC_CHAIN_LIVE),
  }
  if (chains.live !== null && chains.live.chainId === chains.sandbox?.chainId)
    problems.push('SVC_CHAIN_LIVE and SVC_CHAIN_SANDBOX must name different chains')
  return chains
}

function readChainFile(
  environment: Environment,
  path: string,
): Result<ChainConfig, readonly string[]> {
  let file: unknown
  try {
    file = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    return { ok: false, error: [code === null ? 'is not JSON' : 'cannot be read: ' + code] }
  }
  return parseChainConfig(environment, file)
}

/** A chain, or a sentence per field that is missing, unknown or wrong, or that live refuses. */
export function parseChainConfig(
  environment: Environment,
  file: unknown,
): Result<ChainConfig, readonly string[]> {
  if (!isRecord(file)) return { ok: false, error: ['must hold a JSON object'] }
  const problems = Object.keys(file)
    .filter((name) => !FIELDS.includes(name))
    .map((name) => name + ' is no field of a chain')
  const check = <Value>(name: string, value: Value | null, form: string): Value => {
    if (value === null) problems.push(name + ' must be ' + form)
    return value as Value
  }
  const rpcUrls = check('rpc_urls', urlsOf(file['rpc_urls']), 'a list of http or https URLs')
  const config: ChainConfig = {
    environment,
    chainId: check('chain_id', integer(file['chain_id'], 1, 2 ** 48), 'a whole number from 1 on'),
    genesisHash: check('genesis_hash', hashOf(file['genesis_hash']), '32 bytes in hex'),
    rpcUrls,
    token: check('token', addressOf(file['token']), 'an address'),
    settlement: check('settlement', addressOf(file['settlement']), 'an address'),
    finality: check(
      'finality',
      file['finality'] === 'finalized' ? 'finalized' : integer(file['finality'], 1, FINALITY_MAX),
      '"finalized" or a number of blocks from 1 to ' + FINALITY_MAX,
    ),
    maxFeeWei: BigInt(
      check('max_fee_gwei', gwei(file['max_fee_gwei']), 'a number up to ' + GWEI_MAX) ?? 0,
    ),
    signer: check(
      'signer',
      signerOf(file['signer']),
      '{"kind": "local"} or {"kind": "remote", "url": …, "address": …}',
    ),
    least: environment === 'live' ? 2 : 1,
  }
  if (problems.length === 0 && environment === 'live') problems.push(...refusedInLive(config))
  return problems.length === 0 ? { ok: true, value: config } : { ok: false, error: problems }
}

/** Chosen: money of live is not trusted to one RPC, a plain connection or a key of this machine. */
function refusedInLive({ chainId, rpcUrls, signer }: ChainConfig): string[] {
  const hosts = new Set(rpcUrls.map((url) => new URL(url).hostname))
  return [
    ...(hosts.size < 2 ? ['rpc_urls must name two hosts or more in live'] : []),
    ...(rpcUrls.some((url) => !url.startsWith('https:')) ? ['rpc_urls must be https in live'] : []),
    ...(LOCAL_CHAINS.includes(chainId)
      ? ['chain_id ' + chainId + ' is that of a developer’s node: live refuses it']
      : []),
    ...(signer.kind === 'local'
      ? ['signer must be remote in live: a key that this installation makes is refused']
      : []),
    ...(signer.kind === 'remote' && !isSafe(signer.url)
      ? ['the url of signer must be https in live, unless it is on this machine']
      : []),
  ]
}

function isSafe(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
}

function integer(value: unknown, low: number, high: number): number | null {
  return Number.isInteger(value) && Number(value) >= low && Number(value) <= high
    ? Number(value)
    : null
}

/** Wei; a fee cap may be a fraction of a gwei. */
function gwei(value: unknown): number | null {
  return typeof value === 'number' && value > 0 && value <= GWEI_MAX
    ? Math.round(value * WEI_PER_GWEI)
    : null
}

function urlsOf(value: unknown): readonly string[] | null {
  const isUrl = (each: unknown): each is string =>
    typeof each === 'string' &&
    URL.canParse(each) &&
    ['http:', 'https:'].includes(new URL(each).protocol)
  return Array.isArray(value) && value.length > 0 && value.every(isUrl) ? value : null
}

function hashOf(value: unknown): Hex | null {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value) ? (value as Hex) : null
}

/** Mixed case must be the EIP-55 checksum. */
function addressOf(value: unknown): Hex | null {
  return typeof value === 'string' && viem().isAddress(value) ? value : null
}

function signerOf(value: unknown): SignerConfig | null {
  if (!isRecord(value)) return null
  const { kind, url, address } = value
  if (kind === 'local') return Object.keys(value).length === 1 ? { kind } : null
  const signer = addressOf(address)
  if (kind !== 'remote' || signer === null || urlsOf([url]) === null) return null
  return Object.keys(value).length === 3 ? { kind, url: String(url), address: signer } : null
}
