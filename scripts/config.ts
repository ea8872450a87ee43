// The environment of scripts: only the named rows of shared/settings.ts are read. The first reading
// names misspelt settings on stderr, as the processes of the service do in their logs.
import { listenerUrl, publicUrlOf } from '../api/http/public-url.ts'
import { PUBLIC_URL_SETTINGS } from '../api/setting-names.ts'
import { misspeltSettings } from '../shared/misspelt-settings.ts'
import type { Result } from '../shared/result.ts'
import { readSettings, type SettingName, type Settings } from '../shared/settings.ts'

/** A command reads its settings in several places. */
let isToldOfMisspelt = false

function tellMisspelt(): void {
  if (isToldOfMisspelt) return
  isToldOfMisspelt = true
  for (const sentence of misspeltSettings(process.env)) process.stderr.write(sentence + '\n')
}

/** Returns the named settings, or a sentence per problem. */
export function readScriptSettings<Name extends SettingName>(
  names: readonly Name[],
): Result<Settings<Name>, readonly string[]> {
  tellMisspelt()
  return readSettings(process.env, names)
}

/**
 * Returns the settings that `options` name, from the values of the options where they are given;
 * a problem is told of the option or of the variable, depending on which was given.
 */
export function readOptionSettings<Name extends SettingName>(
  options: { readonly [option: string]: Name },
  values: { readonly [option: string]: unknown },
): Result<Settings<Name>, readonly string[]> {
  tellMisspelt()
  const environment: { [name: string]: string | undefined } = {}
  const given = new Map<string, string>()
  for (const [option, name] of Object.entries(options)) {
    const value = values[option]
    environment[name] = typeof value === 'string' ? value : process.env[name]
    if (typeof value === 'string') given.set(name, '--' + option)
  }
  const read = readSettings(environment, Object.values(options))
  if (read.ok) return read
  const error = read.error.map((sentence) => {
    const [name = '', ...rest] = sentence.split(' ')
    return [given.get(name) ?? name, ...rest].join(' ')
  })
  return { ok: false, error }
}

/** Settings that say where api and engine can be reached. */
export const ADDRESS_SETTINGS = [
  ...PUBLIC_URL_SETTINGS,
  'SVC_ENGINE_HOST',
  'SVC_ENGINE_PORT',
  'SVC_ENGINE_TLS_CERT',
] as const

/**
 * Where parts on this machine answer that run with the same settings. With TLS the public address
 * of the api counts, because its certificate names it.
 */
export function localAddresses(value: Settings<(typeof ADDRESS_SETTINGS)[number]>): {
  api: string
  engine: string
} {
  const { SVC_API_TLS_CERT: apiCertificate, SVC_ENGINE_TLS_CERT: engineCertificate } = value
  const api =
    apiCertificate === null
      ? listenerUrl(false, value.SVC_API_HOST, value.SVC_API_PORT)
      : publicUrlOf(value)
  const engine = listenerUrl(
    engineCertificate !== null,
    value.SVC_ENGINE_HOST,
    value.SVC_ENGINE_PORT,
  )
  return { api, engine }
}
