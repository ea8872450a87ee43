// Calls of outside parties over HTTP/1.1: bounded in time and size, TLS 1.2 or newer. Everything
// that can go wrong is a value.
import type { Dispatcher } from 'undici'
import { parseCidrs } from '../../shared/address.ts'
import { openAddressBook } from '../../shared/address-book.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Result } from '../../shared/result.ts'
import { RequestAgent } from './request-agent.ts'
import { vettedConnector } from './vetted-connector.ts'

const CONNECT_MS_MAX = 3000
const KEEP_ALIVE_MS = 4000
/** The operator of the installation chose the address, therefore any is allowed. */
const EVERYWHERE = parseCidrs('0.0.0.0/0,::/0')

export interface OutsideCallerOptions {
  clock: Clock
  /** From the first byte sent to the last one read. */
  callMsMax: number
  answerBytesMax: number
}

export interface OutsideCall {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers: { readonly [name: string]: string }
  body: string | null
}

export interface OutsideAnswer {
  status: number
  headers: { readonly [name: string]: string | string[] | undefined }
  /** Null where it is no JSON in UTF-8, or more than is read. */
  body: unknown
}

export interface OutsideCaller {
  /**
   * The answer, or the reason for its absence: it is then unknown whether the call arrived. Never
   * rejects.
   */
  call(call: OutsideCall): Promise<Result<OutsideAnswer, string>>
  close(): Promise<void>
}

export function openOutsideCaller(options: OutsideCallerOptions): OutsideCaller {
  const { clock, callMsMax, answerBytesMax } = options
  const opened = EVERYWHERE.ok ? EVERYWHERE.value : []
  const addresses = openAddressBook({ opened, clock, nameServers: [] })
  const agent = new RequestAgent({
    connect: vettedConnector({ addresses, opened, timeoutMs: CONNECT_MS_MAX }),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: callMsMax + 1000,
    bodyTimeout: callMsMax + 1000,
  })
  return {
    async call({ method, url, headers, body }) {
      const budget = new AbortController()
      const timer = clock.after(callMsMax, () => budget.abort())
      const { origin, pathname, search } = new URL(url)
      try {
        const sent = { origin, path: pathname + search, method, headers, body }
        const response = await agent.request({ ...sent, signal: budget.signal })
        return { ok: true, value: await answerOf(response, answerBytesMax) }
      } catch (error) {
        return { ok: false, error: budget.signal.aborted ? 'timeout' : codeOf(error) }
      } finally {
        timer.cancel()
      }
    },
    close() {
      addresses.close()
      return agent.destroy()
    },
  }
}

async function answerOf(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  bytesMax: number,
): Promise<OutsideAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop ends the connection.
    if (bytes > bytesMax) return { status, headers, body: null }
    chunks.push(chunk)
  }
  return { status, headers, body: parsedJson(Buffer.concat(chunks)) }
}

/** Null where the bytes are no JSON in UTF-8. */
export function parsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'connection_lost'
}
