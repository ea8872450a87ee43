// Explains in one sentence why a database is unusable, without its password.
import { databaseUrls } from '../../shared/database-hosts.ts'

const SENTENCES: {
  readonly [code: string]: (place: string, user: string, name: string) => string
} = {
  ECONNREFUSED: (place) => 'nothing listens on ' + place + '.',
  ENOTFOUND: (place) => 'the host of ' + place + ' has no address.',
  EAI_AGAIN: (place) => 'the host of ' + place + ' cannot be looked up now.',
  EHOSTUNREACH: (place) => place + ' cannot be reached.',
  ENETUNREACH: (place) => place + ' cannot be reached.',
  ETIMEDOUT: (place) => place + ' does not answer.',
  CONNECT_TIMEOUT: (place) => place + ' does not answer.',
  CONNECTION_CLOSED: (place) => place + ' closed the connection: is it PostgreSQL?',
  ECONNRESET: (place) => place + ' closed the connection: is it PostgreSQL?',
  '28P01': (place, user) => place + ' refuses the password of user "' + user + '".',
  '28000': (place, user) => place + ' does not let user "' + user + '" in.',
  '3D000': (place, _user, name) => place + ' has no database "' + name + '".',
  '42501': (_place, user, name) => 'user "' + user + '" may not change database "' + name + '".',
  '53300': (place) => place + ' has no connection left.',
  '57P03': (place) => place + ' is starting up or shutting down: try again.',
}

/**
 * For example `DATABASE_URL: nothing listens on 127.0.0.1:5432.` Any other error gives its own
 * text.
 */
export function connectProblem(error: unknown, url: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const urls = databaseUrls(url)
  const address = new URL(urls[0] ?? url)
  const place = urls.map(placeOf).join(', ')
  const user = decodeURIComponent(address.username)
  const name = decodeURIComponent(address.pathname.slice(1)) || user
  const sentence = SENTENCES[code]?.(place, user, name)
  const text = error instanceof Error ? error.message : String(error)
  const password = decodeURIComponent(address.password)
  const safe = password === '' ? text : text.replaceAll(password, '[password]')
  const otherwise = safe === '' ? place + ' does not speak PostgreSQL.' : place + ': ' + safe
  return 'DATABASE_URL: ' + (sentence ?? otherwise)
}

function placeOf(url: string): string {
  const { hostname, port } = new URL(url)
  return (hostname || 'localhost') + ':' + (port || '5432')
}
