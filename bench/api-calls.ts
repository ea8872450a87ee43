// The requests of the API's bench, as they go over the wire.
import type { CardHolderTenant } from './card-data.ts'

/** Cards of each tenant. */
export const CARDS_EACH = 50

export interface Call {
  name: string
  /** Returns the requests of one run; `run` numbers the values that must not repeat. */
  requests(tenants: readonly CardHolderTenant[], run: number): string[]
}

/** The measured calls, each beside a bare handler with the same answers. */
export const CALLS: readonly Call[] = [
  {
    name: 'list of 25',
    requests: (tenants) => tenants.map(({ key }) => get('/v1/cards?limit=25', key)),
  },
  {
    name: 'point read',
    requests: (tenants) => tour(tenants, (key, cardId) => get('/v1/cards/' + cardId, key)),
  },
  {
    name: 'write',
    requests: (tenants, run) =>
      tour(tenants, (key, cardId) => patch(cardId, key, run + '-' + cardId)),
  },
]

/** Every card once, each tenant in turn. */
function tour(
  tenants: readonly CardHolderTenant[],
  request: (key: string, cardId: string) => string,
): string[] {
  return Array.from({ length: CARDS_EACH }, (_, at) => at).flatMap((at) =>
    tenants.map(({ key, cardIds }) => request(key, cardIds[at] ?? '')),
  )
}

function get(path: string, key: string): string {
  return 'GET ' + path + ' HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ' + key + '\r\n\r\n'
}

function patch(cardId: string, key: string, idempotencyKey: string): string {
  const body = JSON.stringify({ metadata: { order: idempotencyKey } })
  const head = [
    'PATCH /v1/cards/' + cardId + ' HTTP/1.1',
    'Host: bench',
    'Authorization: Bearer ' + key,
    'Idempotency-Key: ' + idempotencyKey,
    'Content-Type: application/json',
    'Content-Length: ' + body.length,
  ]
  return head.join('\r\n') + '\r\n\r\n' + body
}
