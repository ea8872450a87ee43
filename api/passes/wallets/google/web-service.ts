// The endpoints for Google's wallet, below `/wallets/google`: the link that redirects a holder
// there with a pass, and Google's callbacks about saves and deletions.
import type { FastifyInstance } from 'fastify'
import type { GateParts } from '../../../http/gates/parts.ts'
import { openOutsideCaller } from '../../../http/outside-caller.ts'
import type { WalletServices } from '../services.ts'
import { registerGoogleCallbacks } from './callbacks.ts'
import { openRootKeys } from './root-keys.ts'
import { registerSaveLinks } from './save-links.ts'
import { openShow } from './show.ts'
import { openWalletApi } from './wallet-api.ts'

const KEYS_MS_MAX = 10_000
const KEYS_BYTES_MAX = 64 * 1024

/** Without a configured account the endpoints do not exist. */
export function registerGoogleWallet(
  server: FastifyInstance,
  services: WalletServices,
  parts: GateParts,
): void {
  const { google: issuer, sql, clock, publicUrl } = services
  if (issuer === null) return
  const budget = { callMsMax: KEYS_MS_MAX, answerBytesMax: KEYS_BYTES_MAX }
  const outside = openOutsideCaller({ clock, ...budget })
  const api = openWalletApi(issuer, clock)
  const google = openShow({ sql, clock, issuer, api, publicUrl })
  const keys = openRootKeys(issuer.payUrl, outside, clock)
  registerSaveLinks(server, { services, parts, issuer, google })
  registerGoogleCallbacks(server, { services, parts, issuer, api, keys })
  server.addHook('onClose', () => Promise.all([api.close(), outside.close()]))
}
