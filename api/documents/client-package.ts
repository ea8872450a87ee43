// The client package for download. A thread makes it: the compiler would hold up every call.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const THREAD = new URL('client-package-thread.ts', import.meta.url)

/**
 * The package as a gzipped tar archive; equal sources make equal bytes. Rejects with an Error that
 * names the file if a source does not compile.
 */
export async function clientPackage(): Promise<Buffer> {
  const [bytes] = (await once(new Worker(THREAD), 'message')) as [Uint8Array]
  return Buffer.from(bytes)
}
