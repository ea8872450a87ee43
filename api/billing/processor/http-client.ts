// The HTTP client of the SDK over our own caller: pinned addresses, TLS 1.2 or newer, bounded in
// time and size. The SDK's own client uses the system's lookup and reads without a bound.
import type { OutsideCaller } from '../../http/outside-caller.ts'

type Headers = { readonly [name: string]: string | number | string[] | null | undefined }

/** The answer as the SDK reads it. */
interface SdkResponse {
  getStatusCode(): number
  getHeaders(): { [name: string]: string }
  getRawResponse(): object
  toStream(done: () => void): null
  toJSON(): Promise<unknown>
}

export interface SdkHttpClient {
  getClientName(): string
  makeRequest(...request: SdkRequest): Promise<SdkResponse>
}

type SdkRequest = [
  host: string,
  port: string,
  path: string,
  method: string,
  headers: Headers,
  requestData: string,
  protocol: string,
]

/** Its code is none that the SDK repeats by itself: a reset connection is ours to look after. */
class Unanswered extends Error {
  readonly code = 'UNANSWERED'
}

/** Sets the connection's own headers itself; the SDK's content length is only a repetition. */
const OWN_HEADERS = /^(content-length|connection|host)$/i

export function sdkHttpClient(outside: OutsideCaller, pause: () => Promise<void>): SdkHttpClient {
  return {
    getClientName: () => 'svc',
    async makeRequest(...request) {
      const [host, port, path, method, headers, requestData, protocol] = request
      if (method !== 'GET' && method !== 'POST') throw new Unanswered('method')
      await pause()
      const url = protocol + '://' + host + (port === '' ? '' : ':' + port) + path
      const body = method === 'POST' ? requestData : null
      const answer = await outside.call({ method, url, headers: sentHeaders(headers), body })
      if (!answer.ok) throw new Unanswered(answer.error)
      const { status, headers: received, body: parsed } = answer.value
      // The SDK takes a redirection for a success.
      if (status >= 300 && status < 400) throw new Unanswered('redirect')
      return {
        getStatusCode: () => status,
        getHeaders: () => receivedHeaders(received),
        getRawResponse: () => answer,
        toStream: (done) => {
          done()
          return null
        },
        async toJSON() {
          if (parsed === null) throw new Error('no JSON')
          return parsed
        },
      }
    },
  }
}

function sentHeaders(headers: Headers): { [name: string]: string } {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === null || value === undefined || OWN_HEADERS.test(name)
      ? []
      : [[name, String(value)] as const],
  )
  return Object.fromEntries(entries)
}

function receivedHeaders(headers: { readonly [name: string]: string | string[] | undefined }): {
  [name: string]: string
} {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value ?? '')])
  return Object.fromEntries(entries) as { [name: string]: string }
}
