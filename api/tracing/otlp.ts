// Hands spans to the OpenTelemetry SDK, which sends them by OTLP over HTTP. The queue of the SDK is
// bounded: a receiver that is away costs spans, and neither memory nor a delivery.
import {
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { type Clock, sleep } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { isSampled } from '../../shared/trace-id.ts'
import type { SpanRecord, SpanService, TraceConfig, Traces } from './span.ts'

/** Chosen: the spans of some seconds under full load. */
const WAITING_MAX = 16_384
const BATCH_MAX = 512
const BATCH_INTERVAL_MS = 1000
const EXPORT_MS_MAX = 5000
const CLOSE_MS_MAX = 2000
const COMPLAIN_NS = 60e9
const SAMPLED = 1

const KINDS: Readonly<Record<SpanRecord['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
}

/** Opens the way to the receiver of traces; connects with the first spans. */
export function openTraces(
  { url, share }: TraceConfig,
  parts: { clock: Clock; log: Logger },
): Traces {
  complainInto(parts)
  const services = new Map<SpanService, TracerProvider>()
  const next = { traceId: '', spanId: '' }
  const providerOf = (service: SpanService): TracerProvider => {
    const known = services.get(service)
    if (known !== undefined) return known
    const opened = openProvider(service, url, next)
    services.set(service, opened)
    return opened
  }
  return {
    share,
    record(spans) {
      for (const span of spans) {
        if (!isSampled(span.traceId, share)) continue
        next.traceId = span.traceId
        next.spanId = span.spanId
        startAndEnd(providerOf(span.service), span)
      }
    },
    async close() {
      const closed = [...services.values()].map((provider) => provider.shutdown())
      await Promise.race([Promise.allSettled(closed), sleep(CLOSE_MS_MAX)])
    },
  }
}

/** The SDK asks `next` for the ids of each span. */
function openProvider(
  service: SpanService,
  url: string,
  next: { readonly traceId: string; readonly spanId: string },
): TracerProvider {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS_MAX })
  return new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: WAITING_MAX,
        maxExportBatchSize: BATCH_MAX,
        scheduledDelayMillis: BATCH_INTERVAL_MS,
        exportTimeoutMillis: EXPORT_MS_MAX,
      }),
    ],
  })
}

function startAndEnd(provider: TracerProvider, record: SpanRecord): void {
  const { traceId, parentId, kind, attributes, startedAtMs, endedAtMs } = record
  const parent =
    parentId === null
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, {
          traceId,
          spanId: parentId,
          traceFlags: SAMPLED,
          isRemote: true,
        })
  const options = { kind: KINDS[kind], attributes, startTime: new Date(startedAtMs) }
  const span = provider.getTracer('svc').startSpan(record.name, options, parent)
  if (record.failed) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(new Date(Math.max(startedAtMs, endedAtMs)))
}

/** A receiver that is away is logged once a minute. */
function complainInto({ clock, log }: { clock: Clock; log: Logger }): void {
  let complainedNs = Number.NEGATIVE_INFINITY
  const complain = (reason: string): void => {
    const nowNs = clock.monotonicNs()
    if (nowNs - complainedNs < COMPLAIN_NS) return
    complainedNs = nowNs
    log.warn({ reason }, 'traces were not taken')
  }
  const ignore = (): void => undefined
  const logger = { error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}
