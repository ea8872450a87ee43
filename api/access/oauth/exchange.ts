// Runs one request through the library and returns its answer, without a connection: the server
// sends it, with its own headers, limits and log.
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Provider } from 'oidc-provider'

export interface LibraryRequest {
  method: string
  /** Path and query, below the issuer. */
  url: string
  headers: { readonly [name: string]: string | undefined }
  /** A form; null without a body. */
  form: URLSearchParams | null
}

export interface LibraryAnswer {
  status: number
  headers: { readonly [name: string]: string | string[] }
  body: unknown
}

/** Headers of the caller that the library reads. */
const PASSED = [
  'accept',
  'authorization',
  'cookie',
  'dpop',
  'origin',
  'access-control-request-method',
  'access-control-request-headers',
]

/** Copies the headers that the library reads from those of a request. */
export function passedHeaders(headers: IncomingMessage['headers']): LibraryRequest['headers'] {
  return Object.fromEntries(
    PASSED.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

/**
 * Makes a request as the library reads it: its host and protocol are those of the issuer, whatever
 * the caller's headers say, because the library builds addresses from them.
 */
export function libraryRequest(issuer: string, request: LibraryRequest) {
  const { protocol, host, pathname } = new URL(issuer)
  const text = request.form?.toString() ?? null
  // Never the caller's socket: the end of this request would close it.
  const incoming = new IncomingMessage(new Socket())
  Object.assign(incoming, {
    complete: true,
    method: request.method,
    url: request.url,
    originalUrl: (pathname === '/' ? '' : pathname) + request.url,
    headers: {
      ...request.headers,
      host,
      'x-forwarded-host': host,
      'x-forwarded-proto': protocol.slice(0, -1),
      ...(text !== null && {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(Buffer.byteLength(text)),
      }),
    },
  })
  if (text !== null) incoming.push(text)
  incoming.push(null)
  return { incoming, outgoing: new ServerResponse(incoming) }
}

export async function exchange(
  provider: Provider,
  request: LibraryRequest,
): Promise<LibraryAnswer> {
  const { incoming, outgoing } = libraryRequest(provider.issuer, request)
  let body: unknown = null
  const capture = CAPTURES.get(provider) ?? captureAnswers(provider)
  capture.set(incoming, (given) => {
    body = given
  })
  await provider.callback()(incoming, outgoing)
  const headers = Object.entries(outgoing.getHeaders()).map(([name, value]) => [
    name,
    typeof value === 'number' ? String(value) : value,
  ])
  return { status: outgoing.statusCode, headers: Object.fromEntries(headers), body }
}

type Capture = WeakMap<IncomingMessage, (body: unknown) => void>
const CAPTURES = new WeakMap<Provider, Capture>()

/** The first step of the library's own chain: the answer is not written, it is captured. */
function captureAnswers(provider: Provider): Capture {
  const capture: Capture = new WeakMap()
  CAPTURES.set(provider, capture)
  provider.use(async (context, next) => {
    await next()
    context.respond = false
    capture.get(context.req)?.(context.body)
  })
  return capture
}
