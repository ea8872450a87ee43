// Finds the address of the API and the credential: from the command line, else the environment,
// else the running sandbox.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Result } from '../../shared/result.ts'
import { ADDRESS_SETTINGS, localAddresses, readScriptSettings } from '../config.ts'
import { SANDBOX_FILE } from '../start/sandbox-file.ts'
import type { Access } from './caller.ts'
import type { Where } from './options.ts'

export function accessOf(where: Where): Result<Access, string> {
  const names = ['SVC_OPERATOR_KEY', 'SVC_DATA_DIR', ...ADDRESS_SETTINGS] as const
  const settings = readScriptSettings(names)
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  const { SVC_OPERATOR_KEY: said, SVC_DATA_DIR } = settings.value
  const sandbox = readSandbox(where.dataDir ?? SVC_DATA_DIR)
  const key = said ?? sandbox?.operator_key
  if (key === undefined) {
    return {
      ok: false,
      error:
        'Set SVC_OPERATOR_KEY to the credential of an operator, or start the sandbox with npm start, which has one. ' +
        'The first operator of an installation is made with bootstrap.',
    }
  }
  // A credential from the environment means another installation than the sandbox, unless --api
  // names it.
  const { api: local } = localAddresses(settings.value)
  const apiUrl = where.apiUrl ?? (said === null ? sandbox?.api_url : undefined) ?? local
  if (!URL.canParse(apiUrl)) return { ok: false, error: '--api must be a URL.' }
  return { ok: true, value: { apiUrl, key } }
}

interface RunningSandbox {
  api_url: string
  operator_key?: string
}

/** Null where none is running. */
function readSandbox(dataDir: string): RunningSandbox | null {
  try {
    return JSON.parse(readFileSync(join(dataDir, SANDBOX_FILE), 'utf8')) as RunningSandbox
  } catch {
    return null
  }
}
