// The tenant of the benches: starts it and talks to it.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { WholeRequests } from '../generator/requests.ts'
import { freePort, type Server, startServer } from '../server-process.ts'

export interface BenchTenant {
  server: Server
  /** This address answers at once. */
  url: string
  /** The address that answers as `behave` selects. */
  hangingUrl: string
  behave(how: 'hang' | 'answer'): Promise<void>
  /** The latest request of the engine, byte for byte, for a caller without an engine. */
  sameRequest(): Promise<WholeRequests>
}

export async function startBenchTenant(directory: string): Promise<BenchTenant> {
  const port = await freePort()
  const server = await startServer({
    name: 'tenant',
    file: fileURLToPath(new URL('tenant-process.ts', import.meta.url)),
    logFile: join(directory, 'tenant.log'),
    port,
    environment: { TENANT_PORT: String(port) },
    // The tenant stands for another machine, as the sender does.
    priority: 'first',
  })
  const base = 'http://127.0.0.1:' + port
  return {
    server,
    url: base + '/ask',
    hangingUrl: base + '/hang',
    async behave(how) {
      await fetch(base + '/behave/' + how, { method: 'POST' })
    },
    async sameRequest() {
      const latest = (await (await fetch(base + '/latest')).json()) as AuthorizationRequest
      if (latest.body === '') throw new Error('the tenant was never asked')
      return { kind: 'whole', requests: [requestText(latest)] }
    },
  }
}

interface AuthorizationRequest {
  headers: [name: string, value: string][]
  /** Latin-1 text, one character per byte. */
  body: string
}

function requestText({ headers, body }: AuthorizationRequest): string {
  const lines = headers.map(([name, value]) => name + ': ' + value)
  return ['POST /ask HTTP/1.1', ...lines].join('\r\n') + '\r\n\r\n' + body
}
