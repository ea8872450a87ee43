// Google's callbacks: a holder saved a pass, or deleted it. No API key: Google signs the callbacks.
// The first save means “installed”, the last holder's deletion means “removed”; a repeated, late or
// forged callback changes nothing. Spec 6.2.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SqlTag } from '../../../database/pool.ts'
import { tx } from '../../../database/transaction.ts'
import { refused } from '../../../http/gates/authenticate.ts'
import type { GateParts } from '../../../http/gates/parts.ts'
import { Refusal } from '../../../http/refusal.ts'
import {
  lockPassAnywhere,
  passBySerial,
  recordInstalled,
  recordRemoved,
} from '../../passes/index.ts'
import type { WalletServices } from '../services.ts'
import { type GoogleIssuer, googleId, idIn } from './account.ts'
import {
  type CallbackProblem,
  type GoogleCallback,
  SignedCallback,
  verifyCallback,
} from './callback-signature.ts'
import { CALLBACK_PATH } from './pass-class.ts'
import type { RootKeys } from './root-keys.ts'
import { isInstalled, isOvertaken, takeCallback } from './store.ts'
import type { WalletApi } from './wallet-api.ts'

const BODY_BYTES_MAX = 16 * 1024

export interface CallbackWorld {
  services: Pick<WalletServices, 'sql' | 'publicUrl'>
  parts: GateParts
  issuer: Pick<GoogleIssuer, 'issuerId'>
  api: Pick<WalletApi, 'hasUsers'>
  keys: RootKeys
}

const PROBLEMS = {
  unvouched: {
    code: 'invalid_signature',
    message: 'No key of Google’s that is valid now vouches for the key that signed.',
  },
  forged: {
    code: 'invalid_signature',
    message: 'The signature is not that of this message to this issuer.',
  },
  expired: {
    code: 'timestamp_out_of_tolerance',
    message: 'The message is no longer valid, or the key that signed it is not.',
  },
  unreadable: {
    code: 'parameter_invalid',
    message: 'The message is signed, and says nothing that is known.',
  },
} as const satisfies { [Problem in CallbackProblem]: { code: string; message: string } }

/**
 * Google repeats a callback that got no success: a callback taken before gets the answer of a new
 * one.
 */
export function registerGoogleCallbacks(server: FastifyInstance, world: CallbackWorld): void {
  server.post(
    CALLBACK_PATH,
    { bodyLimit: BODY_BYTES_MAX, schema: { body: SignedCallback } },
    async (request) => {
      const callback = await verified(world, request)
      const passId = idIn(world.issuer, callback.objectId)
      const pass = passId === null ? null : await passBySerial(world.services.sql, passId)
      if (pass === null) throw new Refusal('resource_missing', { param: 'objectId' })
      const effect = await take(world, { passId: pass.id, callback, now: request.admittedAtMs })
      const told = { request_id: request.id, pass_id: pass.id, event: callback.eventType, effect }
      request.log.info(told, 'google callback')
      return { received: true }
    },
  )
}

/**
 * Refuses a callback that Google did not sign for this issuer, and counts it against its address.
 */
async function verified(world: CallbackWorld, request: FastifyRequest): Promise<GoogleCallback> {
  const { keys, issuer, parts } = world
  const callback = request.body as SignedCallback
  const { admittedAtMs: now } = request
  const verifiedBy = (roots: Awaited<ReturnType<RootKeys['current']>>) =>
    roots === null ? null : verifyCallback(callback, { roots, recipient: issuer.issuerId, now })
  const first = verifiedBy(await keys.current())
  const unvouched = first === null || (!first.ok && first.error === 'unvouched')
  const result = unvouched ? verifiedBy(await keys.renewed()) : first
  if (result === null)
    throw new Refusal('dependency_unavailable', { message: 'Google’s keys are not known now.' })
  if (result.ok) return result.value
  const { code, message } = PROBLEMS[result.error]
  throw refused(parts, request, code, { message })
}

type Effect = 'installed' | 'known' | 'removed' | 'unknown' | 'held' | 'overtaken' | 'repeated'

interface Taking {
  passId: string
  callback: GoogleCallback
  now: number
}

/**
 * Google reports every holder without identity. The service therefore asks Google for remaining
 * holders: after a deletion, and when a save arrives after a later deletion. The check runs before
 * the transaction, and again in it: if another callback changed the result in between, the handler
 * starts over.
 */
async function take(world: CallbackWorld, taking: Taking): Promise<Effect> {
  const { passId, callback, now } = taking
  const { sql, publicUrl } = world.services
  const saved = callback.eventType === 'save'
  const isToAsk = (from: SqlTag): Promise<boolean> =>
    saved ? isOvertaken(from, passId, callback) : isInstalled(from, passId)
  const asked = await isToAsk(sql)
  const held = asked ? await requireHeld(world, passId) : saved
  const place = { passId, platform: 'google' as const, deviceId: '', now, publicUrl }
  const effect = await tx(
    sql,
    async (inner): Promise<Effect | null> => {
      await lockPassAnywhere(inner, passId)
      if ((await isToAsk(inner)) !== asked) return null
      if (!(await takeCallback(inner, passId, callback))) return 'repeated'
      if (held !== saved) return held ? 'held' : 'overtaken'
      if (saved) {
        const made = await recordInstalled(inner, { ...place, pushToken: null })
        return made === 'created' ? 'installed' : 'known'
      }
      return (await recordRemoved(inner, place)) ? 'removed' : 'unknown'
    },
    { safeToRepeat: true },
  )
  return effect ?? take(world, taking)
}

/**
 * Returns whether any holder has the pass in Google's wallet. Refuses (503) if Google does not
 * answer; Google then calls again.
 */
async function requireHeld({ api, issuer }: CallbackWorld, passId: string): Promise<boolean> {
  const users = await api.hasUsers(googleId(issuer, passId))
  if (users.ok) return users.value
  throw new Refusal('dependency_unavailable', {
    message: 'Google’s wallet does not say now who has the pass.',
  })
}
