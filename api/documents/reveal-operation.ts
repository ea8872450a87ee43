// The one operation that no key calls: it is not among the routes, because a page in a browser
// calls it with a one-time token.
import { CARD_REVEALS_PATH, CardReveal } from '../../shared/schemas/card-reveal.ts'
import { CARD_REVEAL_BODY } from '../issuing/cards/index.ts'
import type { Operation } from './document.ts'
import { answerHeaders } from './operation.ts'
import { operationIdOf } from './operation-id.ts'
import type { Components } from './schemas.ts'

const SUMMARY = 'Shows what a reveal token allows, once'
const STATUSES = [400, 404, 413, 415, 429, 500, 503]

/** Keyed by method, under its path. */
export function revealOperation(components: Components): { [path: string]: { post: Operation } } {
  const schema = components.shown(CARD_REVEAL_BODY)
  const refusals = STATUSES.map((status) => [
    status,
    { $ref: '#/components/responses/Error' + status },
  ])
  const post: Operation = {
    operationId: operationIdOf('POST', CARD_REVEALS_PATH, false),
    tags: ['Cards'],
    summary: SUMMARY,
    description:
      SUMMARY +
      '. Needs no key: any page may call it, and the token is the credential. One that is unknown, was used or ran out reads the same (404).',
    security: [],
    parameters: [],
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      200: {
        description: 'Done.',
        headers: answerHeaders(),
        content: { 'application/json': { schema: components.shown(CardReveal) } },
      },
      ...Object.fromEntries(refusals),
    },
  }
  return { [CARD_REVEALS_PATH]: { post } }
}
