// Puts a fresh key before the others in `master.key`. The old lines stay: they open what is not
// re-encrypted yet, and every copy of the database made before.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomSecret } from '../../shared/id.ts'
import { type MasterKeys, newMasterKeyText, parseMasterKeys } from '../../shared/keyring.ts'
import { MASTER_KEY_FILE } from '../../shared/master-key-file.ts'
import type { Result } from '../../shared/result.ts'

/**
 * The keys with the fresh one first. It is on disk, synced, before anything can be sealed under it.
 */
export function addMasterKey(dataDir: string): Result<MasterKeys, string> {
  const path = join(dataDir, MASTER_KEY_FILE)
  const text = newMasterKeyText() + '\n' + readFileSync(path, 'utf8')
  const keys = parseMasterKeys(text, true)
  if (!keys.ok) return { ok: false, error: path + ': ' + keys.error }
  const draft = path + '.' + randomSecret(6)
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
  renameSync(draft, path)
  const directory = openSync(dataDir, 'r')
  fsyncSync(directory)
  closeSync(directory)
  return keys
}
