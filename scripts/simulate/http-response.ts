// Reads HTTP/1.1 answers off a byte stream, in the form that the network port sends: a
// Content-Length, no chunks, no 1xx. Pure; anything else is a value of kind `broken`, because the
// simulator must notice it, not cope with it.

const HEAD_BYTES_MAX = 16 * 1024
const BODY_BYTES_MAX = 1024 * 1024
const HEAD_END = Buffer.from('\r\n\r\n')

export interface HttpResponse {
  kind: 'response'
  status: number
  /** Lower-case names; of a repeated header the last value. */
  headers: ReadonlyMap<string, string>
  body: Buffer
  /** True if the server announced that it closes the connection after this answer. */
  closes: boolean
}

export interface BrokenResponse {
  kind: 'broken'
  problem: string
}

export class ResponseReader {
  #pending: Buffer | null = null

  /** Takes the next bytes; returns the answer they complete, or null while more are needed. */
  read(chunk: Buffer): HttpResponse | BrokenResponse | null {
    const bytes = this.#pending === null ? chunk : Buffer.concat([this.#pending, chunk])
    const headEnd = bytes.indexOf(HEAD_END)
    if (headEnd < 0) {
      if (bytes.length > HEAD_BYTES_MAX) return broken('the head of the answer has no end')
      this.#pending = bytes
      return null
    }
    const head = readHead(bytes.toString('latin1', 0, headEnd))
    if (head.kind === 'broken') return head
    const end = headEnd + HEAD_END.length + head.bodyBytes
    if (bytes.length < end) {
      this.#pending = bytes
      return null
    }
    if (bytes.length > end) return broken('more bytes follow the answer: answered twice')
    this.#pending = null
    return {
      kind: 'response',
      status: head.status,
      headers: head.headers,
      body: bytes.subarray(headEnd + HEAD_END.length, end),
      closes: head.headers.get('connection')?.toLowerCase() === 'close',
    }
  }

  /** Forgets the bytes of a closed connection. */
  clear(): void {
    this.#pending = null
  }
}

interface Head {
  kind: 'head'
  status: number
  headers: Map<string, string>
  bodyBytes: number
}

function readHead(text: string): Head | BrokenResponse {
  const lines = text.split('\r\n')
  const status = /^HTTP\/1\.1 ([1-5]\d\d)( |$)/.exec(lines[0] ?? '')
  if (status === null) return broken('the answer does not begin with an HTTP/1.1 status')
  const headers = new Map<string, string>()
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const colon = line.indexOf(':')
    if (colon < 1) return broken('the answer has a malformed header')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  const length = headers.get('content-length')
  if (length === undefined || !/^\d{1,9}$/.test(length) || Number(length) > BODY_BYTES_MAX)
    return broken('the answer has no usable Content-Length')
  return { kind: 'head', status: Number(status[1]), headers, bodyBytes: Number(length) }
}

function broken(problem: string): BrokenResponse {
  return { kind: 'broken', problem }
}
