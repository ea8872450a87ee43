// Addresses of the server outside the table of routes.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { registerPages } from '../access/factors/challenge-page.ts'
import { registerOauth } from '../access/oauth/mount.ts'
import type { PagePorts } from '../access/web/ports.ts'
import { registerAccessPages } from '../access/web/serve.ts'
import { registerProcessorCallbacks } from '../billing/collection/index.ts'
import { registerDashboard } from '../dashboard/index.ts'
import { registerDocuments } from '../documents/serve.ts'
import { registerIdentityCallbacks } from '../issuing/cardholders/index.ts'
import { registerCardReveals } from '../issuing/cards/index.ts'
import { insertFirstProgram } from '../issuing/programs/index.ts'
import { registerPassPages } from '../passes/wallets/web/pass.ts'
import { registerWallets } from '../passes/wallets/web-services.ts'
import { registerPaymentPages } from '../payments/pages/index.ts'
import { registerOperatorPages } from '../platform/operators/index.ts'
import type { Services } from '../routes.ts'
import { dashboardPort } from './dashboard-port.ts'
import { refused } from './gates/authenticate.ts'
import { registerPreflights } from './gates/cors.ts'
import type { GateParts } from './gates/parts.ts'
import { registerHealth } from './health.ts'
import { registerPageAssets } from './pages/assets.ts'
import type { Route } from './route.ts'

export interface ServerParts {
  services: Services
  parts: GateParts
  routes: readonly Route<Services>[]
}

/** Registers health, pages, documents, callbacks and the addresses of wallets. */
export function registerAddresses(
  server: FastifyInstance,
  { services, parts, routes }: ServerParts,
): void {
  const missing = (request: FastifyRequest) => refused(parts, request, 'resource_missing')
  registerHealth(server, services)
  registerPageAssets(server)
  registerPages(server, services, missing)
  const pages = { ...services, ...accessPorts(services) }
  registerAccessPages(server, pages)
  registerOperatorPages(server, pages)
  registerDashboard(server, dashboardPort(server, { services, parts, routes }))
  registerOauth(server, services, parts)
  registerPassPages(server, services, parts)
  registerDocuments(server, routes, (request) => refused(parts, request, 'route_not_found'))
  registerIdentityCallbacks(server, services)
  registerProcessorCallbacks(server, services)
  registerCardReveals(server, services, missing)
  registerPaymentPages(server, services, missing)
  registerWallets(server, services, parts)
  registerPreflights(server, routes)
}

/** Work of other domains for the pages of people. */
function accessPorts({ walletThreads }: Services): PagePorts {
  return {
    insertFirstProgram,
    async drawQrCode(holder, message) {
      const drawn = await walletThreads.run(holder, { kind: 'barcode', format: 'qr', message })
      return drawn.svg
    },
  }
}
