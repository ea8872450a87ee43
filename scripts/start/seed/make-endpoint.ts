// The endpoint of the sandbox: where the demo tenant takes webhooks and is asked before an
// approval.
import type { SandboxEndpoint, SandboxSecrets } from '../sandbox-secrets.ts'
import { type Callers, isMissing, madeOnce, once } from './callers.ts'

const DEMO_PATH = '/svc/webhooks'
const EXTERNAL_ID = 'demo_tenant'

/** Where the demo tenant listens. */
export function demoTenantUrl(port: number): string {
  return 'http://127.0.0.1:' + port + DEMO_PATH
}

/**
 * The endpoint that is known, pointed to the port the demo tenant has now where it still pointed to
 * one it had before; a fresh one where there is none. A fresh one is asked in real time unless the
 * tenant has chosen another.
 */
export async function makeEndpoint(
  callers: Callers,
  { realtime_endpoint: known, demo_tenant: demo, programs }: SandboxSecrets,
): Promise<SandboxEndpoint> {
  const { tenant, signal } = callers
  const url = demoTenantUrl(demo.port)
  if (known !== undefined) {
    const reading = tenant.getWebhookEndpoint({ id: known.id }, { signal })
    if (!(await isMissing(reading))) {
      const formers = demo.former_ports.map(demoTenantUrl)
      if (formers.includes((await reading).url))
        await tenant.updateWebhookEndpoint({ id: known.id, url }, { signal })
      return known
    }
  }
  const fresh = await freshEndpoint(callers, url)
  const asking = await tenant.getProgram({ id: programs['realtime'] ?? '' }, { signal })
  if (asking.realtime_endpoint_id === null)
    await tenant.makeRealtimeWebhookEndpoint({ id: fresh.id }, { signal })
  return fresh
}

async function freshEndpoint(callers: Callers, url: string): Promise<SandboxEndpoint> {
  const { tenant } = callers
  const description = 'The demo tenant of npm start'
  const input = { url, description, external_id: EXTERNAL_ID }
  const { id, secret } = await madeOnce(
    () => tenant.createWebhookEndpoint(input, once(callers, 'createWebhookEndpoint', input)),
    (id) => anotherSecret(callers, id, url),
  )
  return { id, secret }
}

/**
 * Returns a new signing secret of an endpoint that an earlier start made, more than a day ago,
 * without writing down the secret, which is shown only once.
 */
async function anotherSecret({ tenant, signal }: Callers, id: string, url: string) {
  const { signing_secrets: secrets } = await tenant.updateWebhookEndpoint({ id, url }, { signal })
  // Two sign while one replaces the other, and there is no room for a third.
  if (secrets.length > 1) await tenant.revokeOldSecretWebhookEndpoint({ id }, { signal })
  const rotated = await tenant.rotateSecretWebhookEndpoint({ id }, { signal })
  await tenant.revokeOldSecretWebhookEndpoint({ id }, { signal })
  return rotated
}
