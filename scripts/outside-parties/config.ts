// The settings of the process that plays outside parties. Each party reads its own.
import type { Result } from '../../shared/result.ts'
import { readSettings } from '../../shared/settings.ts'
import { PARTY_NAMES, type PartyName } from './parties.ts'

export interface OutsidePartiesConfig {
  parties: readonly PartyName[]
  logLevel: string
}

/** The configuration, or a sentence per problem. */
export function readOutsidePartiesConfig(
  environment: { readonly [name: string]: string | undefined } = process.env,
): Result<OutsidePartiesConfig, readonly string[]> {
  const settings = readSettings(environment, ['SVC_OUTSIDE_PARTIES', 'SVC_LOG_LEVEL'])
  if (!settings.ok) return settings
  const { SVC_OUTSIDE_PARTIES: names, SVC_LOG_LEVEL: logLevel } = settings.value
  const parties = PARTY_NAMES.filter((name) => names.length === 0 || names.includes(name))
  const unknown = names.filter((name) => !PARTY_NAMES.some((known) => known === name))
  if (unknown.length === 0) return { ok: true, value: { parties, logLevel } }
  const known = PARTY_NAMES.join(', ')
  return {
    ok: false,
    error: unknown.map(
      (name) => 'SVC_OUTSIDE_PARTIES names ' + name + ', which is none of ' + known,
    ),
  }
}
