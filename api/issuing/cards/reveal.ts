// Shows a card's number to the bearer of a reveal token, once. No key is needed: a page in a
// browser calls, and the token is the credential. The token comes in the body, so that no address
// and no log contains it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assert } from '../../../shared/assert.ts'
import { newId } from '../../../shared/id.ts'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import { Type } from '../../../shared/schema-builders.ts'
import { CARD_REVEALS_PATH, CardReveal } from '../../../shared/schemas/card-reveal.ts'
import { openDerivation } from '../../database/derivation.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { closed } from '../../http/route.ts'
import type { HttpServices } from '../../http/services.ts'
import { type AuditEntry, appendAudit } from '../../write/audit.ts'
import { revealTokenHash } from './allow-reveal.ts'
import { type Revealed, useRevealToken } from './reveal-store.ts'

type RevealRequest = FastifyRequest<{ Body: { token: string } }>

/** The request's body; the token is the credential. */
export const CARD_REVEAL_BODY = closed({
  token: Type.String({
    pattern: '^rvl_[0-9A-Za-z_-]{1,64}$',
    description: 'A reveal token of the card; it works once.',
  }),
})
const PREFLIGHT_SECONDS = '600'

/**
 * Any page may call: it sends no cookie and no key, only the token. An unknown, used or expired
 * token reads the same (404); `refusal` builds it, and counts how often an address was wrong.
 */
export function registerCardReveals(
  server: FastifyInstance,
  services: HttpServices,
  refusal: (request: FastifyRequest) => Error,
): void {
  const allowPages = async (_request: unknown, reply: FastifyReply): Promise<void> => {
    reply.header('Access-Control-Allow-Origin', '*')
    reply.header('Cache-Control', 'no-store')
  }
  server.options(CARD_REVEALS_PATH, { onRequest: allowPages }, async (_request, reply) =>
    reply
      .headers({
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': 'Content-Type',
        'Access-Control-Max-Age': PREFLIGHT_SECONDS,
      })
      .code(204)
      .send(),
  )
  server.post<{ Body: { token: string } }>(
    CARD_REVEALS_PATH,
    {
      onRequest: allowPages,
      schema: { querystring: closed({}), body: CARD_REVEAL_BODY, response: { 200: CardReveal } },
    },
    async (request) => {
      const shown = await reveal(services, request)
      if (shown === null) throw refusal(request)
      return shown
    },
  )
}

/**
 * Null if the token shows nothing. The details are decrypted before the token counts as used: after
 * a failure it still works later.
 */
function reveal(services: HttpServices, request: RevealRequest): Promise<CardReveal | null> {
  const hash = revealTokenHash(request.body.token)
  return tx(services.sql, async (sql) => {
    const revealed = await useRevealToken(sql, { hash, now: request.admittedAtMs })
    if (revealed === null) return null
    const card = await shown(sql, services, revealed)
    await appendAudit(sql, auditOf(request, revealed))
    return card
  })
}

/** The audit row: the key or person that allowed the reveal, and the address it came from. */
function auditOf(request: RevealRequest, revealed: Revealed): AuditEntry {
  const { tenantId, environment, cardId, createdBy, usedAt } = revealed
  return {
    id: newId('aud', request.admittedAtMs),
    tenantId,
    environment,
    createdAt: usedAt,
    actorType: actorTypeOf(createdBy),
    actorId: createdBy,
    action: 'POST ' + CARD_REVEALS_PATH,
    resourceId: cardId,
    requestId: request.id,
    address: request.clientAddress,
  }
}

/** The kind of caller that an author's id belongs to. */
function actorTypeOf(author: string): AuditEntry['actorType'] {
  if (author.startsWith('user_')) return 'person'
  return author.startsWith('oac_') ? 'oauth' : 'api_key'
}

async function shown(
  sql: TxSql,
  services: HttpServices,
  { fields, sealedPan, expMonth, expYear }: Revealed,
): Promise<CardReveal> {
  const opened = services.unseal(SEAL_CONTEXTS.pan, sealedPan)
  assert(opened.ok, 'the master keys open the numbers of cards')
  const pan = opened.value.toString('utf8')
  const has = (field: (typeof fields)[number]) => fields.includes(field)
  return {
    object: 'card_reveal',
    pan: has('pan') ? pan : null,
    cvc: has('cvc') ? (await openDerivation(sql, services)).cvc(pan, expMonth, expYear) : null,
    exp_month: has('expiry') ? expMonth : null,
    exp_year: has('expiry') ? expYear : null,
  }
}
