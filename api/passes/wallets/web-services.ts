// Where wallets meet us, each below a path of its own.
import type { FastifyInstance } from 'fastify'
import type { GateParts } from '../../http/gates/parts.ts'
import { registerAppleWallet } from './apple/web-service.ts'
import { registerGoogleWallet } from './google/web-service.ts'
import type { WalletServices } from './services.ts'

export function registerWallets(
  server: FastifyInstance,
  services: WalletServices,
  parts: GateParts,
): void {
  registerAppleWallet(server, services, parts)
  registerGoogleWallet(server, services, parts)
}
