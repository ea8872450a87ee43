// The stream of a connection below Node's streams: one call to write, one callback for read bytes,
// no object in between. A generator that does less for each request leaves more of the machine to
// the measured server. These are Node's own parts, unchanged from one release of Node 22 to the
// next; only generators use them.
import type { Socket } from 'node:net'

/** `node:net` keeps one of these in each socket. */
export interface StreamHandle {
  onread: () => void
  useUserBuffer(buffer: Uint8Array): void
  writeBuffer(request: object, buffer: Uint8Array): number
}

interface StreamParts {
  WriteWrap: new () => WriteRequest
  streamBaseState: Int32Array
  kReadBytesOrError: number
  kLastWriteWasAsync: number
}

interface WriteRequest {
  oncomplete: () => void
  /** Kept until the kernel has taken it. */
  buffer: Uint8Array | null
}

const parts = (process as unknown as { binding(name: 'stream_wrap'): StreamParts }).binding(
  'stream_wrap',
)
const { streamBaseState: state, kReadBytesOrError, kLastWriteWasAsync, WriteWrap } = parts

/**
 * Every connection reads into it, one after the other: the bytes are consumed before the next one
 * reads.
 */
export const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024)

let request = newRequest()

function newRequest(): WriteRequest {
  const made = new WriteWrap()
  made.buffer = null
  made.oncomplete = () => {
    made.buffer = null
  }
  return made
}

/**
 * Takes an open socket over; `onRead` hears how many bytes lie in READ_BUFFER, below zero when the
 * other side is gone.
 */
export function takeOver(socket: Socket, onRead: (bytes: number) => void): StreamHandle {
  const handle = (socket as unknown as { _handle: StreamHandle })._handle
  handle.useUserBuffer(READ_BUFFER)
  handle.onread = () => onRead(state[kReadBytesOrError] ?? -1)
  return handle
}

/** False when the connection is broken. */
export function write(handle: StreamHandle, bytes: Buffer): boolean {
  request.buffer = bytes
  const error = handle.writeBuffer(request, bytes)
  // The kernel took all of it at once, as it nearly always does: the request was never used and
  // serves again.
  if (state[kLastWriteWasAsync] === 0) request.buffer = null
  else request = newRequest()
  return error === 0
}
