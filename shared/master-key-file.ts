// Where the master keys come from: SVC_MASTER_KEY, else `master.key` in the data directory, made at
// first use.
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { randomSecret } from './id.ts'
import { type MasterKeys, newMasterKeyText, parseMasterKeys } from './keyring.ts'
import type { Result } from './result.ts'

export const MASTER_KEY_FILE = 'master.key'

export interface MasterKeySource {
  dataDir: string
  /** The parsed SVC_MASTER_KEY, or null. */
  configured: MasterKeys | null
  environment: 'sandbox' | 'live'
}

/**
 * The keys, or a sentence for the operator. Several processes may call it at once at first start:
 * one file wins.
 */
export function loadMasterKeys(source: MasterKeySource): Result<MasterKeys, string> {
  const path = join(source.dataDir, MASTER_KEY_FILE)
  const generates = source.configured === null && source.environment === 'sandbox'
  if (generates && !existsSync(path)) createKeyFile(source.dataDir, path)
  return rereadMasterKeys(source)
}

/**
 * The keys as they are now, for a process that runs: a file that went away is not made anew behind
 * sealed values.
 */
export function rereadMasterKeys(source: MasterKeySource): Result<MasterKeys, string> {
  if (source.configured !== null) return { ok: true, value: source.configured }
  if (source.environment === 'live') {
    return { ok: false, error: 'SVC_MASTER_KEY must be set in live: a generated key is refused' }
  }
  const path = join(source.dataDir, MASTER_KEY_FILE)
  if (!existsSync(path)) return { ok: false, error: path + ' is missing' }
  const parsed = parseMasterKeys(readFileSync(path, 'utf8'), true)
  return parsed.ok ? parsed : { ok: false, error: path + ': ' + parsed.error }
}

function createKeyFile(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const draft = path + '.' + randomSecret(6)
  writeFileSync(draft, newMasterKeyText() + '\n', { mode: 0o600, flag: 'wx' })
  chmodSync(draft, 0o600)
  try {
    linkSync(draft, path)
  } catch (error) {
    // Another process made the file first: its key counts.
    if (!existsSync(path)) throw error
  } finally {
    unlinkSync(draft)
  }
}
