// A key service as a KMS or HSM has it, in a process of its own: it signs digests and tells its key
// to nobody. The parent names how it answers by messages.
import { type ChildProcess, fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts'
import { derOf } from '../../scripts/holder-peer/passkey.ts'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const SLOW_MS = 1000

/** `high_s`: the other signature of the same digest, as an HSM may choose it. */
export type KeyServiceMood = 'right' | 'slow' | 'high_s' | 'wrong_key' | 'malformed' | 'broken'

export interface KeyService {
  url: string
  address: Hex
  /** The next answers; resolves once the process knows. */
  become(mood: KeyServiceMood): Promise<void>
  kill(): Promise<void>
}

interface Ready {
  port: number
  address: Hex
}

/** Starts the process with a key made by chance. */
export async function startKeyService(): Promise<KeyService> {
  const child = fork(fileURLToPath(import.meta.url), ['serve'], { stdio: 'inherit' })
  const { port, address } = await told<Ready>(child)
  return {
    url: 'http://127.0.0.1:' + port + '/sign',
    address,
    async become(mood) {
      const known = told(child)
      child.send(mood)
      await known
    },
    kill: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        child.once('exit', () => resolve())
        child.kill('SIGKILL')
      }),
  }
}

function told<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(message as Message))
  })
}

function serve(): void {
  const [key, otherKey] = [generatePrivateKey(), generatePrivateKey()]
  let mood: KeyServiceMood = 'right'
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { digest } = JSON.parse(Buffer.concat(parts).toString()) as { digest: Hex }
    if (mood === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    const signature = await signatureOf(digest, mood === 'wrong_key' ? otherKey : key, mood)
    response.writeHead(mood === 'broken' ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(mood === 'malformed' ? { signature: 'AAAA' } : { signature }))
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.send?.({ port, address: privateKeyToAccount(key).address })
  })
  process.on('message', (next) => {
    mood = next as KeyServiceMood
    process.send?.('known')
  })
  process.on('disconnect', () => process.exit(0))
}

/** Base64 of DER, as key services answer. */
async function signatureOf(hash: Hex, privateKey: Hex, mood: KeyServiceMood): Promise<string> {
  const { r, s } = await sign({ hash, privateKey })
  const other = (ORDER - BigInt(s)).toString(16).padStart(64, '0')
  const chosen = mood === 'high_s' ? other : s.slice(2)
  return derOf(Buffer.from(r.slice(2) + chosen, 'hex')).toString('base64')
}

if (process.argv[2] === 'serve') serve()
