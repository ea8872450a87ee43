// One request and its reply on one connection. The exchange reads at most 16 KB, follows no
// redirect, decompresses nothing, and returns the connection when the reply is complete.
import type { Dispatcher } from 'undici'
import { TENANT_REPLY_BYTES_MAX } from '../../shared/limits.ts'
import type { TenantOutcome } from '../../shared/wire/journal-entry.ts'
import type { Connection, Connections } from './connections.ts'

export interface ExchangeRequest {
  path: string
  headers: Record<string, string>
  body: string
}

export type ExchangeResult =
  | { kind: 'reply'; status: number; bytes: Uint8Array }
  /** The head of the reply or its size decided the outcome. */
  | { kind: 'unusable'; status: number; outcome: TenantOutcome; hint: string | null }
  | { kind: 'failed'; status: number | null; error: Error; written: boolean; answered: boolean }

export interface ExchangeReport {
  /** The request is being written to the socket. Called at most once. */
  written(): void
  /** Called exactly once. The rest of an unusable reply may still be arriving. */
  ended(result: ExchangeResult): void
  /** The connection is free again or closed. Called exactly once, after `ended`. */
  closed(): void
}

/** Sends the request. To stop it, discard the connection. */
export function exchange(
  connection: Connection,
  connections: Connections,
  request: ExchangeRequest,
  report: ExchangeReport,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  let status: number | null = null
  let written = false
  let answered = false
  let ended = false

  const end = (result: ExchangeResult): void => {
    if (ended) return
    ended = true
    report.ended(result)
  }
  const unusable = (outcome: TenantOutcome, hint: string | null): void => {
    end({ kind: 'unusable', status: status ?? 0, outcome, hint })
  }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {
      written = true
      report.written()
    },
    onResponseStarted() {
      answered = true
    },
    onResponseStart(_controller, statusCode, headers) {
      if (statusCode < 200) return
      status = statusCode
      if (statusCode > 299) return unusable('http_status', null)
      if (!isIdentity(headers['content-encoding'])) unusable('malformed_json', 'content_encoding')
    },
    onResponseData(_controller, chunk) {
      bytes += chunk.length
      if (bytes > TENANT_REPLY_BYTES_MAX) {
        unusable('oversized', null)
        connections.discard(connection)
      } else if (!ended) {
        chunks.push(chunk)
      }
    },
    onResponseEnd() {
      end({ kind: 'reply', status: status ?? 0, bytes: Buffer.concat(chunks, bytes) })
      // Deferred: if the other side announced a close, undici ends the socket when this returns.
      queueMicrotask(() => {
        connections.putBack(connection)
        report.closed()
      })
    },
    onResponseError(_controller, error) {
      end({ kind: 'failed', status, error, written, answered })
      connections.discard(connection)
      report.closed()
    },
  }
  connection.client.dispatch(
    { path: request.path, method: 'POST', headers: request.headers, body: request.body },
    handler,
  )
}

function isIdentity(encoding: string | string[] | undefined): boolean {
  if (encoding === undefined) return true
  const names = Array.isArray(encoding) ? encoding : encoding.split(',')
  return names.every((name) => name.trim() === '' || name.trim().toLowerCase() === 'identity')
}
