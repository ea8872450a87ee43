// The link by which a holder puts a pass into Google's wallet: the service uploads the pass to
// Google first, and then redirects the holder there.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { SignJWT } from 'jose'
import { type EpochMs, unixSeconds } from '../../../../shared/clock.ts'
import { Type } from '../../../../shared/schema-builders.ts'
import { refused } from '../../../http/gates/authenticate.ts'
import { limitByAddress } from '../../../http/gates/limit-by-address.ts'
import type { GateParts } from '../../../http/gates/parts.ts'
import { Refusal } from '../../../http/refusal.ts'
import { passBySerial } from '../../passes/index.ts'
import type { PushOutcome } from '../pushes.ts'
import type { WalletServices } from '../services.ts'
import { type GoogleIssuer, googleId } from './account.ts'
import type { GoogleShow } from './show.ts'

/**
 * Chosen: number of passes known to be current at Google; opening their links again needs no wait.
 */
const SHOWN_MAX = 10_000
const HOLDER = Type.Object({ id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }) })

export interface SaveLinkWorld {
  services: Pick<WalletServices, 'sql' | 'log'>
  parts: GateParts
  issuer: GoogleIssuer
  google: GoogleShow
}

/**
 * As with Apple's wallet: anyone with the link may get the pass, and an invalid pass is not issued
 * anew.
 */
export function registerSaveLinks(server: FastifyInstance, world: SaveLinkWorld): void {
  const { services, parts, issuer } = world
  const show = rememberedShow(world.google)
  server.get(
    '/wallets/google/passes/:id',
    { schema: { params: HOLDER }, onRequest: async (request) => limitByAddress(parts, request) },
    async (request, reply) => {
      const { id } = request.params as { id: string }
      const pass = await passBySerial(services.sql, id)
      if (pass === null || pass.status === 'revoked')
        throw refused(parts, request, 'resource_missing')
      requireTaken(request, await show(id, pass.version))
      const link = await saveLink(issuer, id, request.admittedAtMs)
      return reply.header('Cache-Control', 'private, no-store').redirect(link, 302)
    },
  )
}

function requireTaken({ id: request_id, log }: FastifyRequest, outcome: PushOutcome): void {
  if (outcome.kind === 'taken') return
  if (outcome.kind === 'gone') throw new Refusal('resource_missing')
  const { kind, reason } = outcome
  log.warn({ request_id, kind, reason }, 'a pass could not be brought to Google')
  throw new Refusal('dependency_unavailable', {
    message: 'Google’s wallet does not take the pass now. Try again.',
  })
}

/** Uploads once per version of a pass, for any number of simultaneous calls. */
function rememberedShow(google: GoogleShow) {
  const shown = new Map<string, { version: number; outcome: Promise<PushOutcome> }>()
  return async (passId: string, version: number): Promise<PushOutcome> => {
    const known = shown.get(passId)
    if (known?.version === version) return known.outcome
    const entry = { version, outcome: google.show(passId) }
    const forget = (): void => {
      if (shown.get(passId) === entry) shown.delete(passId)
    }
    const [oldest] = shown.size >= SHOWN_MAX ? shown.keys() : []
    if (oldest !== undefined) shown.delete(oldest)
    shown.set(passId, entry)
    entry.outcome.then(({ kind }) => {
      if (kind !== 'taken') forget()
    }, forget)
    return entry.outcome
  }
}

/**
 * The signed link names an existing object: it stays short and reveals no content of the pass.
 * Google, “Issue passes with the Google Wallet API”: RS256, `typ` savetowallet. The link does not
 * expire.
 */
export async function saveLink(
  issuer: Pick<GoogleIssuer, 'issuerId' | 'email' | 'keyId' | 'key' | 'payUrl'>,
  passId: string,
  now: EpochMs,
): Promise<string> {
  const payload = { genericObjects: [{ id: googleId(issuer, passId) }] }
  const token = await new SignJWT({ typ: 'savetowallet', payload })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: issuer.keyId })
    .setIssuer(issuer.email)
    .setAudience('google')
    .setIssuedAt(unixSeconds(now))
    .sign(issuer.key)
  return issuer.payUrl + '/gp/v/save/' + token
}
