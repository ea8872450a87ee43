// Spans as plain data, and the port that takes them. No file but otlp.ts imports the OpenTelemetry
// SDK, and a process loads that file only when traces are on.
import type { EpochMs } from '../../shared/clock.ts'

/** Process whose work a span shows. */
export type SpanService = 'svc-engine' | 'svc-api' | 'svc-dispatcher'

export interface SpanRecord {
  service: SpanService
  name: string
  /** `server` answers a message, `client` calls a tenant, `internal` is work of ours. */
  kind: 'server' | 'client' | 'internal'
  /** 32 and 16 hex digits. */
  traceId: string
  spanId: string
  /** Null for the first span of a trace. */
  parentId: string | null
  startedAtMs: EpochMs
  endedAtMs: EpochMs
  /** Ids, words of our catalogs and numbers; never text that an outside party wrote. */
  attributes: { readonly [name: string]: string | number | boolean }
  failed: boolean
}

export interface Traces {
  /** Share of traces that are kept, 0 to 1. */
  readonly share: number
  /** Takes spans of kept traces; never throws, never waits. */
  record(spans: readonly SpanRecord[]): void
  /** Sends what waits, within two seconds. */
  close(): Promise<void>
}

export interface TraceConfig {
  url: string
  share: number
}

/** Reads the settings of traces; null: off. */
export function traceConfig(settings: {
  SVC_TRACES_URL: string | null
  SVC_TRACES_SHARE: number
}): TraceConfig | null {
  const { SVC_TRACES_URL: url, SVC_TRACES_SHARE: share } = settings
  return url === null ? null : { url, share }
}
