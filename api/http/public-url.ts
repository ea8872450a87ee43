// Where holders of passes and their devices reach us. The api shows it, and the dispatcher tells of
// it in events: both have to know the same.
import type { Settings } from '../../shared/settings.ts'
import type { PUBLIC_URL_SETTINGS } from '../setting-names.ts'

/** The setting, or where the api listens when it is unset; without a slash at its end. */
export function publicUrlOf(value: Settings<(typeof PUBLIC_URL_SETTINGS)[number]>): string {
  const secure = value.SVC_API_TLS_CERT !== null
  const own = listenerUrl(secure, value.SVC_API_HOST, value.SVC_API_PORT)
  return (value.SVC_PUBLIC_URL ?? own).replace(/\/+$/, '')
}

/** Where a port can be reached that listens there. */
export function listenerUrl(secure: boolean, host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return (
    (secure ? 'https://' : 'http://') + (name.includes(':') ? '[' + name + ']' : name) + ':' + port
  )
}
