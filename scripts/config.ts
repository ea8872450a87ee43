// The environment of scripts: only the named rows of shared/settings.ts are read.
import type { Result } from '../shared/result.ts'
import { readSettings, type SettingName, type Settings } from '../shared/settings.ts'

/** Returns the named settings, or a sentence per problem. */
export function readScriptSettings<Name extends SettingName>(
  names: readonly Name[],
): Result<Settings<Name>, readonly string[]> {
  return readSettings(process.env, names)
}
