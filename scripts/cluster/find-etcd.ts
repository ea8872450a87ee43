// Finds the etcd that is installed on this machine, or says how to get one.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Result } from '../../shared/result.ts'

/** `configured` is SVC_ETCD_BIN; `searched` is the PATH. */
export function findEtcd(configured: string | null, searched: string): Result<string, string> {
  if (configured !== null)
    return isExecutable(configured)
      ? { ok: true, value: configured }
      : { ok: false, error: 'SVC_ETCD_BIN names ' + configured + ', which cannot be run.' }
  const found = searched
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'etcd'))
    .find(isExecutable)
  if (found !== undefined) return { ok: true, value: found }
  return {
    ok: false,
    error:
      'etcd is not installed. On Debian and Ubuntu: apt-get install etcd-server. Elsewhere: unpack a release of ' +
      'https://github.com/etcd-io/etcd/releases and name its binary in SVC_ETCD_BIN.',
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
