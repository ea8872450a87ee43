// Settings of the anchors of audit logs: rows of the one table of settings.
import { resolve } from 'node:path'
import type { Result } from './result.ts'
import { setting } from './setting-values.ts'

/** Place of the anchors: a file to which lines are added, or a URL to which each is posted. */
export type AnchorPlace = { path: string } | { url: string }

const SECRET_CHARACTERS_MIN = 24

function parsePlace(text: string): Result<AnchorPlace | null, string> {
  if (text === '') return { ok: true, value: null }
  if (!/^https?:/.test(text)) return { ok: true, value: { path: resolve(text) } }
  const url = URL.parse(text)
  return url === null || url.username !== '' || url.password !== '' || url.hash !== ''
    ? { ok: false, error: 'must be a path, or a URL without credentials and fragment' }
    : { ok: true, value: { url: url.href } }
}

function parseSecret(text: string): Result<string | null, string> {
  if (text === '') return { ok: true, value: null }
  return text.length < SECRET_CHARACTERS_MIN
    ? { ok: false, error: 'must have at least ' + SECRET_CHARACTERS_MIN + ' characters' }
    : { ok: true, value: text }
}

export const AUDIT_SETTINGS = {
  SVC_AUDIT_ANCHORS: setting({
    fallback: '',
    about:
      'Place outside of PostgreSQL for the newest hash of every audit log, written by the dispatcher each five minutes: a file that only grows, or an http(s) URL to which each line is posted. `npm run audit -- verify` compares with it. Unset: none.',
    parse: parsePlace,
  }),
  SVC_AUDIT_ANCHORS_SECRET: setting({
    fallback: '',
    about: 'Secret that signs anchors posted to a URL (`Svc-Signature`), 24 characters or more.',
    parse: parseSecret,
  }),
}
