// The simulator's only setting from the environment: the directory in which the running service
// keeps its data.
import type { Result } from '../../shared/result.ts'
import { readScriptSettings } from '../config.ts'

/**
 * Returns the data directory of the running service, or a sentence about a problem with the
 * setting.
 */
export function dataDirectory(): Result<string, string> {
  const settings = readScriptSettings(['SVC_DATA_DIR'])
  return settings.ok
    ? { ok: true, value: settings.value.SVC_DATA_DIR }
    : { ok: false, error: settings.error.join('; ') }
}
