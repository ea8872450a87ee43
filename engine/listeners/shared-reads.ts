// Plain TCP connections that read into one buffer of the process. Else Node.js takes 64 KB for each
// read, copies what came into memory of its own, and hands it through a stream: 3 µs a message.
import { Socket, type SocketConstructorOpts } from 'node:net'

/** Takes the first `length` bytes of `bytes`, which are valid until the call returns. */
export type TakePiece = (bytes: Buffer, length: number) => void

/** As much as Node.js reads at once. */
const SHARED_BYTES = 64 * 1024
const shared = Buffer.allocUnsafeSlow(SHARED_BYTES)

/** The part of Node.js that is not documented; `useUserBuffer` tells that `onread` works on it. */
interface Accepted {
  _handle?: { useUserBuffer?: unknown } | null
}

/**
 * Moves a connection that was accepted with `pauseOnConnect`, and has read nothing yet, to a socket
 * that reads into the shared buffer; `accepted` is destroyed. Null where this Node.js has no such
 * handle: `onread` is documented for `new Socket`, but a server has no option for it, so the move
 * goes through `_handle`.
 */
export function moveToSharedReads(accepted: Socket, take: TakePiece): Socket | null {
  const { _handle: handle } = accepted as Accepted
  if (typeof handle?.useUserBuffer !== 'function') return null
  const options: SocketConstructorOpts & { handle: unknown } = {
    handle,
    onread: {
      buffer: shared,
      callback(length) {
        take(shared, length)
        return true
      },
    },
  }
  ;(accepted as Accepted)._handle = null
  accepted.destroy()
  return new Socket(options)
}
