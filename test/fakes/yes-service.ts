// A service that approves everything and remembers every change: against it most scenarios must
// fail, and all of them must undo their changes.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Surroundings } from '../../scripts/simulate/sandbox.ts'

const ORIGINAL_URL = 'http://127.0.0.1:9/original'
const ORIGINAL_LIMIT = {
  interval: 'daily',
  amount_cents: 50_000,
  currency: 'USD',
  time_zone: 'UTC',
}

/** A card that no database knows. */
export const FAKE_CARD = {
  id: 'card_1',
  token: 'ctok_1',
  pan: '9999990000000000',
  exp_month: 12,
  exp_year: 2034,
  cvc: '123',
  cardholder_id: 'chld_1',
  currency: 'USD',
}

export interface YesService {
  surroundings: Surroundings
  /** The latest values the API received: endpoint URL, limits, card statuses. */
  state: { url: string; limits: unknown; suspended: boolean; frozen: boolean }
  /** A copy of the state at the beginning. */
  original: YesService['state']
  /** Calls that changed something. */
  changes: number
  close(): Promise<void>
}

/** Every card of `purposes` has the same token and limits. */
export async function openYesService(purposes: readonly string[]): Promise<YesService> {
  const original = { url: ORIGINAL_URL, limits: [ORIGINAL_LIMIT], suspended: false, frozen: false }
  const server = createServer((request, response) => {
    void answer(service, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url =
    'http://127.0.0.1:' + (typeof address === 'object' && address !== null ? address.port : 0)
  const service: YesService = {
    surroundings: surroundingsAt(url, purposes),
    original,
    state: { ...original },
    changes: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return service
}

function surroundingsAt(url: string, purposes: readonly string[]): Surroundings {
  return {
    dataDir: '/nowhere',
    sandbox: {
      api_url: url,
      engine_url: url,
      network: { key_id: 'nkey_1', secret: 'nsec_1' },
      keys: { read: 'r', write: 'w', admin: 'a' },
      realtime_endpoint: { id: 'we_1', url: ORIGINAL_URL, secret: 'whsec_1' },
    },
    secrets: { cards: Object.fromEntries(purposes.map((purpose) => [purpose, FAKE_CARD])) },
  }
}

async function answer(
  service: YesService,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const body = text === '' ? {} : JSON.parse(text)
  const { state } = service
  if (request.method !== 'GET' && request.url !== '/v1/network/messages') service.changes++
  const route = request.method + ' ' + request.url
  if (route === 'PATCH /v1/webhook_endpoints/we_1') state.url = body.url
  if (route === 'PUT /v1/cards/card_1/limits') state.limits = body.limits
  if (route.endsWith('/suspend') || route.endsWith('/resume'))
    state.suspended = route.endsWith('/suspend')
  if (route.endsWith('/freeze') || route.endsWith('/unfreeze'))
    state.frozen = !route.endsWith('/unfreeze')
  reply(
    response,
    request.url === '/v1/network/messages' ? approval(body) : resource(service, route),
  )
}

function approval(message: { id: string; amount_cents: number }): object {
  return {
    message_id: message.id,
    transaction_id: 'txn_1',
    approved: true,
    approved_amount_cents: message.amount_cents,
    response_code: '00',
    authorization_code: '123456',
    decline_reason: null,
    decided_by: 'static_controls',
    stand_in: false,
  }
}

function resource({ state }: YesService, route: string): object {
  if (route.startsWith('GET /v1/events')) return { data: [], has_more: false, next_cursor: null }
  if (route.startsWith('GET /v1/card_transactions')) return { id: 'txn_1', decision: { trace: [] } }
  return {
    status: state.suspended ? 'suspended' : 'active',
    frozen: state.frozen,
    limits: Array.isArray(state.limits)
      ? state.limits.map((limit) => ({ ...limit, scope: 'card', id: 'lim_1' }))
      : [],
  }
}

function reply(response: ServerResponse, body: object): void {
  const text = JSON.stringify(body)
  response.writeHead(200, { 'content-length': Buffer.byteLength(text) }).end(text)
}
