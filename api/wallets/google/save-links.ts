// The link by which a holder puts a pass into Google's wallet: what the pass shows is brought to Google first, and the holder is sent
// there behind it.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Services } from '../../context.ts'
import { refused } from '../../gates/authenticate.ts'
import { countDevice } from '../../gates/count-device.ts'
import type { GateParts } from '../../gates/parts.ts'
import { Refusal } from '../../refuse.ts'
import { passBySerial } from '../../resources/passes/index.ts'
import type { PushOutcome } from '../pushes.ts'
import type { GoogleIssuer } from './account.ts'
import { saveLink } from './save-link.ts'
import type { GoogleShow } from './show.ts'

/** Chosen: passes that are known to be at Google as they are; whoever opens their links again waits for nothing. */
const SHOWN_MAX = 10_000
const HOLDER = Type.Object({ id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }) })

export interface SaveLinkWorld {
  services: Pick<Services, 'sql' | 'log'>
  parts: GateParts
  issuer: GoogleIssuer
  google: GoogleShow
}

/** As with Apple's wallet: who has the link may have the pass, and nobody gets one anew that is good for nothing. */
export function registerSaveLinks(server: FastifyInstance, world: SaveLinkWorld): void {
  const { services, parts, issuer } = world
  const show = rememberedShow(world.google)
  server.get(
    '/wallets/google/passes/:id',
    { schema: { params: HOLDER }, onRequest: async (request) => countDevice(parts, request) },
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

/** Once for each version of a pass, however many ask at once. */
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
