// Settings of traces: rows of the one table of settings.
import type { Result } from './result.ts'
import { optionalUrl, setting } from './setting-values.ts'

function parseShare(text: string): Result<number, string> {
  const share = /^(0|1|0?\.\d{1,6}|1\.0+)$/.test(text) ? Number(text) : null
  return share === null
    ? { ok: false, error: 'must be a number from 0 to 1' }
    : { ok: true, value: share }
}

export const TRACE_SETTINGS = {
  SVC_TRACES_URL: setting({
    fallback: '',
    about:
      'URL that takes OpenTelemetry traces by OTLP over HTTP (`http://127.0.0.1:4318/v1/traces`). Engine, api and dispatcher need the same value. Unset: no traces.',
    parse: optionalUrl(['http:', 'https:']),
  }),
  SVC_TRACES_SHARE: setting({
    fallback: '1',
    about:
      'Share of traces that are kept, 0 to 1. Engine, api and dispatcher need the same value: they decide alike, by the trace id.',
    parse: parseShare,
  }),
}
