// The client package as a stranger uses it, and another vendor's client on the same lists.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Stripe from 'stripe'
import { test } from 'tap'
import { clientPackage } from '../../../api/documents/client-package.ts'
import { openApiDocument } from '../../../api/documents/openapi.ts'
import { ROUTES } from '../../../api/routes.ts'
import {
  createClient,
  SvcConnectionError,
  SvcError,
  verifyWebhook,
  WebhookError,
} from '../../../client/index.ts'
import { clientTypes } from '../../../scripts/client/write-types.ts'
import { signatureHeader } from '../../../shared/signature.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { SEEDED_AT_MS, seedCard } from '../../harness/tenant.ts'

const run = promisify(execFile)
const CLIENT = join(import.meta.dirname, '../../../client')

async function addCards(api: TestApi, count: number, from = 0): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++)
    ids.push(await seedCard(api.sql, { ...api.tenant, createdAtMs: SEEDED_AT_MS + from + index }))
  return ids
}

test('the client’s types equal those of the document', (t) => {
  const written = clientTypes(openApiDocument(ROUTES))
  t.ok(written === readFileSync(join(CLIENT, 'generated.ts'), 'utf8'), 'npm run client writes them')
  t.end()
})

test('the packed client works in an empty project, for programs and for the compiler', async (t) => {
  const api = await startTestApi()
  const folder = mkdtempSync(join(tmpdir(), 'svc-client-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const project = join(folder, 'project')
  mkdirSync(project)
  const answer = await fetch(api.url + '/docs/svc-client.tgz')
  t.equal(answer.headers.get('content-type'), 'application/gzip')
  const bytes = Buffer.from(await answer.arrayBuffer())
  t.ok(bytes.equals(await clientPackage()), 'equal sources make equal bytes')
  const etag = answer.headers.get('etag') ?? ''
  const again = await fetch(answer.url, { headers: { 'If-None-Match': etag } })
  t.equal(again.status, 304)
  writeFileSync(
    join(project, 'package.json'),
    '{"name":"stranger","version":"1.0.0","type":"module"}',
  )
  await run('npm', ['install', '--no-audit', answer.url], { cwd: project })
  const installed = join(project, 'node_modules/@svc/client')
  t.same(readdirSync(join(installed, 'receivers')), ['receiver.go', 'receiver.mjs', 'receiver.py'])
  const script = [
    "import { createClient } from '@svc/client'",
    'const svc = createClient({ baseUrl: process.argv[2] ?? "", key: process.argv[3] ?? "" })',
    'const card = await svc.getCard({ id: process.argv[4] ?? "" })',
    "const status: 'issued' | 'active' | 'suspended' | 'terminated' = card.status",
    // Without an error on the next line the compiler complains.
    '// @ts-' + 'expect-error',
    "const wrong: Parameters<typeof svc.listCards>[0] = { limit: 'one' }",
    'let seen = wrong === undefined ? 1 : 0',
    'for await (const one of svc.listCards.each({ limit: 1 })) seen += one.id === card.id ? 1 : 0',
    'process.stdout.write(status + " " + seen)',
  ]
  writeFileSync(join(project, 'script.ts'), script.join('\n'))
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
  const typeRoots = join(CLIENT, '../node_modules/@types')
  await run('tsc', [...options, '--typeRoots', typeRoots, 'script.ts'], { cwd: project })
  const args = ['script.js', api.url, api.tenant.keys.read, api.tenant.cardId]
  const { stdout } = await run(process.execPath, args, { cwd: project })
  t.equal(stdout, 'active 1')
})

test('lists are walked forward and backward, and a refusal has a type', async (t) => {
  const api = await startTestApi()
  const svc = createClient({ baseUrl: api.url, key: api.tenant.keys.write })
  const made = [api.tenant.cardId, ...(await addCards(api, 12, 1))]
  const forward: string[] = []
  for await (const { id } of svc.listCards.each({ limit: 5, order: 'asc' })) forward.push(id)
  t.same(forward, made)
  const last = made.at(-1) ?? ''
  const backward: string[] = []
  const before = { limit: 5, order: 'asc', ending_before: last } as const
  for await (const { id } of svc.listCards.each(before)) backward.push(id)
  t.same(backward, made.slice(0, -1).reverse())
  const suspended = await svc.suspendCard({ id: last, reason: 'lost' })
  t.match(suspended, { status: 'suspended', suspend_reason: 'lost' })
  const refused = await svc.getCard({ id: 'card_none' }).catch((error: unknown) => error)
  t.ok(refused instanceof SvcError)
  t.match(refused, { status: 404, type: 'not_found', code: 'resource_missing', requestId: /^req_/ })
  await t.rejects(svc.listCards({ limit: 0 }), { code: 'parameter_invalid', param: 'limit' })
})

/** A server that gives these answers one after the other, and keeps the requests. */
function answers(...given: readonly (Response | Error)[]) {
  const asked: { url: string; init: RequestInit }[] = []
  const fake = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    asked.push({ url: String(url), init })
    const answer = given[asked.length - 1]
    if (answer === undefined || answer instanceof Error)
      throw answer ?? new Error('asked too often')
    return answer
  }
  const keys = () => asked.map(({ init }) => new Headers(init.headers).get('idempotency-key'))
  const client = createClient({
    baseUrl: 'http://api.test/',
    key: 'k',
    fetch: fake,
    retryWaitMsMax: 5000,
  })
  return { client, asked, keys }
}

function refusal(status: number, code: string, extra: object = {}): Response {
  const error = { type: 'x', code, message: 'No.', param: null, request_id: 'req_1', ...extra }
  return Response.json({ error }, { status })
}

test('a transient failure is retried under the same key, and no other', async (t) => {
  const soon = { retry_after_ms: 1 }
  const done = () => Response.json({ id: 'card_1' })
  const calls = answers(
    refusal(429, 'tenant_limit', soon),
    refusal(409, 'idempotency_key_in_use', soon),
    new Error('connection reset'),
    done(),
  )
  t.same(await calls.client.suspendCard({ id: 'card_1' }), { id: 'card_1' })
  const [key] = calls.keys()
  t.same(calls.keys(), [key, key, key, key])
  t.match(key, /^[0-9a-f-]{36}$/)

  const stuck = answers(...Array.from({ length: 9 }, () => refusal(503, 'overloaded', soon)))
  await t.rejects(stuck.client.getCard({ id: 'card_1' }), { code: 'overloaded' })
  t.equal(stuck.asked.length, 4)
  t.same(stuck.keys(), [null, null, null, null])

  for (const answer of [
    refusal(409, 'invalid_state', { current_status: 'terminated' }),
    refusal(429, 'tenant_limit', { retry_after_ms: 60_000 }),
    refusal(500, 'internal_error'),
  ]) {
    const once = answers(answer)
    await t.rejects(once.client.resumeCard({ id: 'card_1' }), { name: 'SvcError' })
    t.equal(once.asked.length, 1)
  }
  const stopped = AbortSignal.abort(new Error('enough'))
  const never = answers(new Error('broken'))
  await t.rejects(never.client.getCard({ id: 'card_1' }, { signal: stopped }), {
    message: 'enough',
  })
  const broken = answers(...Array.from({ length: 4 }, () => new Error('broken')))
  await t.rejects(broken.client.getCard({ id: 'a/../b' }), SvcConnectionError)
  t.equal(broken.asked[0]?.url, 'http://api.test/v1/cards/a%2F..%2Fb')
  const gone = new Error('fetch failed', {
    cause: Object.assign(new Error(''), { code: 'ECONNREFUSED' }),
  })
  const away = answers(...Array.from({ length: 4 }, () => gone))
  await t.rejects(away.client.getCard({ id: 'card_1' }), {
    message: 'The API did not answer: Error: fetch failed: ECONNREFUSED',
  })
})

test('a webhook is accepted with any known secret, within the tolerance', (t) => {
  const body = JSON.stringify({ id: 'evt_1', type: 'card.created', data: {} })
  const now = 1_795_176_000
  const header = signatureHeader(['whsec_old', 'whsec_new'], now, body)
  const problem = (...[raw, text, secrets, options]: Parameters<typeof verifyWebhook>) => {
    try {
      return verifyWebhook(raw, text, secrets, options).id
    } catch (error) {
      return error instanceof WebhookError ? error.code : (error as Error).name
    }
  }
  const at = (nowS: number, toleranceS?: number) => ({
    nowS,
    ...(toleranceS === undefined ? {} : { toleranceS }),
  })
  t.equal(problem(body, header, ['whsec_new'], at(now)), 'evt_1')
  t.equal(problem(Buffer.from(body), header, ['x', 'whsec_old'], at(now + 300)), 'evt_1')
  t.equal(problem(body + ' ', header, ['whsec_new'], at(now)), 'invalid_signature')
  t.equal(problem(body, header, [], at(now)), 'invalid_signature')
  t.equal(problem(body, header, ['whsec_new'], at(now + 301)), 'timestamp_out_of_tolerance')
  t.equal(problem(body, header, ['whsec_new'], at(now - 301)), 'timestamp_out_of_tolerance')
  t.equal(problem(body, header, ['whsec_new'], at(now + 600, 600)), 'evt_1')
  t.equal(problem(body, header, ['whsec_new'], at(now, 601)), 'RangeError')
  const v1 = header.slice(header.indexOf('v1'))
  for (const bad of [
    null,
    '',
    v1,
    't=' + now,
    't=' + now + ',t=' + now + ',' + v1,
    't=1.5,' + v1,
    't=-1,' + v1,
    't= ' + now + ',' + v1,
    't=' + now + ',v1=' + 'A'.repeat(64),
    'nothing',
  ])
    t.equal(problem(body, bad, ['whsec_new'], at(now)), 'malformed_header', String(bad))
  t.end()
})

test('another vendor’s client pages our lists while they grow, and understands our refusals', async (t) => {
  const api = await startTestApi()
  const stripe = new Stripe(api.tenant.keys.read, {
    host: '127.0.0.1',
    port: api.port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  })
  class Cards extends Stripe.StripeResource {
    list(params: object) {
      // biome-ignore lint/suspicious/noExplicitAny: the vendor's own resources call it the same way.
      return (this as any)._makeRequest('GET', '/v1/cards', params, {}, { methodType: 'list' })
    }
  }
  const cards = new Cards(stripe)
  const made = [api.tenant.cardId, ...(await addCards(api, 30, 1))]
  const walk = async (params: object, grow: boolean): Promise<string[]> => {
    const seen: string[] = []
    for await (const { id } of cards.list(params)) {
      seen.push(id)
      // Newest first: a new row appears before the page, or behind a reader who goes back.
      if (grow && seen.length % 5 === 0) made.push(...(await addCards(api, 1, 100 + made.length)))
    }
    return seen
  }
  const there = [...made].reverse()
  t.same(await walk({ limit: 4 }, true), there, 'forward')
  t.ok(made.length > 35)
  const all = [...made].reverse()
  const oldest = all.at(-1)
  t.same(await walk({ limit: 4, ending_before: oldest }, false), all.slice(0, -1).reverse())
  const growing = await walk({ limit: 4, ending_before: oldest }, true)
  t.same(growing, made.slice(1, growing.length + 1), 'backward it meets the new ones too')
  t.equal(growing.length, made.length - 1)
  const failed = await cards.list({ limit: 1000 }).catch((error: unknown) => error)
  t.ok(failed instanceof Stripe.errors.StripeError)
  t.match(failed, { statusCode: 400, code: 'parameter_invalid', param: 'limit' })
  const stranger = new Cards(
    new Stripe('sk_none', {
      host: '127.0.0.1',
      port: api.port,
      protocol: 'http',
      maxNetworkRetries: 0,
    }),
  )
  const unknown = await stranger.list({}).catch((error: unknown) => error)
  t.ok(unknown instanceof Stripe.errors.StripeAuthenticationError)
})
