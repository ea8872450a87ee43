// What scripts read from the environment: the rows of shared/settings.ts that they name, and nothing else.
import type { Result } from '../shared/result.ts'
import { readSettings, type SettingName, type Settings } from '../shared/settings.ts'

/** The named settings, or a sentence per problem. */
export function readScriptSettings<Name extends SettingName>(
  names: readonly Name[],
): Result<Settings<Name>, readonly string[]> {
  return readSettings(process.env, names)
}
