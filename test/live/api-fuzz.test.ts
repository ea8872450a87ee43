// The API tested by its own document: stories of calls that create, use and end resources, with
// values made from the schemas, some valid, some at their bounds, some wrong or hostile. Every
// answer must be one the document describes, no value may change silently, no foreign data may
// appear, and no secret may reach a log. SVC_FUZZ_SECONDS makes it longer, SVC_TEST_SEED tells
// other stories.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type Test, test } from 'tap'
import type { Operation as Described, OpenApiDocument } from '../../api/documents/document.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import type { EvaluateAnswer } from '../../shared/wire/control.ts'
import { shapeProblem } from '../harness/answer-shape.ts'
import { type Answer, type Call, reachable, type TestApi } from '../harness/api.ts'
import { furnish, seedCaptured } from '../harness/furnished.ts'
import { issue, printedOn, startIssuingApi } from '../harness/issuing.ts'
import { seedOperator } from '../harness/operator.ts'
import { callApproved, seedPerson } from '../harness/person.ts'
import { SEED } from '../harness/properties.ts'
import { type Schema, Values } from '../harness/schema-values.ts'
import { Random } from '../simulation/random.ts'

const SECONDS = Number(process.env['SVC_FUZZ_SECONDS'] ?? 6)
/** Stories at once. */
const LANES = 4
const ANSWER_MS_MAX = 20_000
const USES = 14

interface Operation {
  name: string
  method: string
  path: string
  operator: boolean
  factor: boolean
  parameters: { name: string; in: string; required: boolean; schema: Schema }[]
  body: Schema | null
  /** Validates a body against the document; null if there is none. */
  allows: ValidateFunction | null
  responses: { [status: string]: ValidateFunction | null }
}

/** Values that no other caller may see, chosen to be recognisable. */
const SECRETS = { pin: '903172846515', pan: '4111111111111111' }

/** Endings: they come last in a story, and calls after them meet what has ended. */
const ENDS = /\/(terminate|retire|deactivate|revoke|wipe|retry)$/
/** Calls that would end the story's own tenant or operator, or move the basis of all stories. */
const LEFT_OUT =
  /^(POST|PUT|DELETE) \/operator\/v1\/(tenants|operators|programs)\/|\/sandbox\/(clock|wipe)$|\/simulate\/programs\/|^PATCH \/v1\/account|\/certify$/
/** Calls that need an engine, which is absent here. */
const ASKS_HOLDER = /^\/v1\/simulate\/(payment|settlement)_accounts\//
const ASKS_ENGINE = /\/simulate\/card_network\/|\/payments(\/|$)/

function readOperations(document: OpenApiDocument): Operation[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(document as object, 'api')
  const resolved = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(resolved)
    if (typeof schema !== 'object' || schema === null) return schema
    if ('$ref' in schema) return resolved(pointed(document, String(schema.$ref)))
    return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, resolved(part)]))
  }
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, described]) => {
      const at =
        '#/paths/' +
        encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1')) +
        '/' +
        verb
      const body = described.requestBody?.content['application/json'].schema
      return {
        name: verb.toUpperCase() + ' ' + path,
        method: verb.toUpperCase(),
        path,
        operator: 'operatorKey' in (described.security[0] ?? {}),
        factor: described['x-svc-factor'] !== undefined,
        parameters: (resolved(described.parameters) as Operation['parameters']).filter(
          (parameter) => parameter.in !== 'header',
        ),
        body: body === undefined ? null : (resolved(body) as Schema),
        allows:
          body === undefined
            ? null
            : ajv.compile({ $ref: 'api' + at + '/requestBody/content/application~1json/schema' }),
        responses: answersOf(ajv, at, document, described),
      }
    }),
  )
}

function answersOf(ajv: Ajv2020, at: string, document: OpenApiDocument, { responses }: Described) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const ref = (response as { $ref?: string }).$ref
      const where = ref ?? at + '/responses/' + status
      const { content } = (ref === undefined ? response : pointed(document, ref)) as Schema
      if (content?.['application/json'] === undefined) return [status, null]
      return [status, ajv.compile({ $ref: 'api' + where + '/content/application~1json/schema' })]
    }),
  )
}

function pointed(document: object, ref: string): unknown {
  const parts = ref.slice(2).split('/')
  return parts.reduce<unknown>((part, name) => (part as Schema)[name], document)
}

interface World {
  api: TestApi
  operator: string
  operations: readonly Operation[]
  foreignIds: ReadonlySet<string>
  secrets: Set<string>
  counts: Counts
  complaints: string[]
}

interface Counts {
  calls: number
  /**
   * Counts by outcome: reached a handler, refused by validation, asked for a person, refused for
   * another reason.
   */
  reached: number
  invalid: number
  other: number
  mutated: number
  statuses: { [status: string]: number }
  done: Set<string>
}

/** One sequence of stories, with its own random numbers and ids. */
class Lane {
  readonly #world: World
  readonly #random: Random
  readonly #values: Values
  /** Ids by the segment of a path, newest last. */
  readonly #ids = new Map<string, string[]>()

  constructor(world: World, seed: number, own: ReadonlyMap<string, string>) {
    this.#world = world
    this.#random = new Random(seed)
    for (const [segment, id] of own) this.#ids.set(segment, [id])
    this.#values = new Values(this.#random, (name) => this.#known(name))
  }

  async run(until: () => boolean): Promise<void> {
    while (!until()) await this.#story()
  }

  async #story(): Promise<void> {
    const { api, operations } = this.#world
    for (const path of [
      '/v1/cardholders',
      '/v1/cards',
      '/v1/spending_controls',
      '/v1/wallet_tokens',
    ])
      await this.#make(path)
    this.#keep('card_transactions', await seedCaptured(api, api.tenant))
    for (const path of ['/v1/authentications', '/v1/disputes', '/v1/tokens']) await this.#make(path)
    const usable = operations.filter(({ name }) => !LEFT_OUT.test(name))
    const uses = usable.filter(({ path }) => !ENDS.test(path))
    for (let use = 0; use < USES; use++) await this.#step(this.#random.pick(uses))
    const ends = usable.filter(({ path }) => ENDS.test(path))
    for (let end = 0; end < 2; end++) await this.#step(this.#random.pick(ends))
    for (let use = 0; use < 4; use++) await this.#step(this.#random.pick(uses))
  }

  /** Creates one of these resources, after a few tries that may be invalid. */
  async #make(path: string): Promise<void> {
    const operation = this.#world.operations.find(({ name }) => name === 'POST ' + path)
    if (operation === undefined) throw new Error('no ' + path)
    for (let attempt = 0; attempt < 3; attempt++) {
      const answer = await this.#step(operation, attempt === 0 ? 0.4 : 0)
      if (answer.status !== 201) continue
      if (path === '/v1/cardholders') await this.#approve(answer.body.id)
      return
    }
  }

  /** Cards are issued to approved cardholders only. */
  async #approve(id: string): Promise<void> {
    const { api, operator } = this.#world
    const path = '/operator/v1/cardholders/' + id + '/kyc'
    await api.call('POST', path, { key: operator, body: { decision: 'approved' } })
  }

  async #step(operation: Operation, wrong = 0.4): Promise<Answer> {
    const path = this.#path(operation)
    const mutated = operation.body !== null && this.#random.chance(wrong)
    const text = this.#body(operation, mutated)
    const call = this.#call(operation, text)
    const answer = await this.#send(operation, path, call)
    this.#look(operation, { path, text, mutated }, answer)
    const made = path.split('?', 1)[0]?.split('/').at(-1) ?? ''
    if (answer.status === 201 && operation.path.endsWith('/' + made))
      this.#keep(made, answer.body.id)
    return answer
  }

  #call({ operator }: Operation, text: string | null): Call {
    const { api, operator: key, secrets } = this.#world
    const random = this.#random
    const headers: { [name: string]: string } = {}
    if (text !== null) headers['content-type'] = 'application/json'
    if (random.chance(0.2)) {
      headers['idempotency-key'] = 'svc_idem_' + random.below(1e9) + '_of_somebody'
      secrets.add(headers['idempotency-key'])
    }
    if (random.chance(0.05)) headers['svc-factor'] = 'svc_factor_' + random.below(1e9) + '_made_up'
    if (headers['svc-factor']) secrets.add(headers['svc-factor'])
    const own = operator ? key : api.tenant.keys.admin
    return { key: own, headers, ...(text === null ? {} : { raw: text }) }
  }

  async #send({ method, name, factor }: Operation, path: string, call: Call): Promise<Answer> {
    const { api, counts } = this.#world
    counts.calls += 1
    // A person approves only changes that can be undone: keys.
    const approved = factor && /api_keys/.test(name) && this.#random.chance(0.5)
    const asked = approved ? callApproved(api, method, path, call) : api.call(method, path, call)
    const late = sleep(ANSWER_MS_MAX).then(() => null)
    const answer = await Promise.race([asked, late])
    if (answer === null) throw new Error(name + ' hangs: ' + path + ' ' + call.raw)
    return answer
  }

  #path({ path, parameters, method }: Operation): string {
    const random = this.#random
    const parts = path.split('/')
    const exact = parts.map((part, at) =>
      part.startsWith('{') ? encodeURIComponent(this.#id(parts[at - 1] ?? '')) : part,
    )
    const query = new URLSearchParams()
    for (const { name, in: place, required, schema } of parameters) {
      if (place !== 'query' || !(required || random.chance(0.12))) continue
      const value = random.chance(0.75) ? this.#values.valid(schema, name) : random.pick(ODD_TEXT)
      query.append(name, String(value))
    }
    if (method === 'GET' && random.chance(0.03)) query.append(random.pick(ODD_NAMES), '1')
    const text = query.toString()
    return exact.join('/') + (text === '' ? '' : '?' + text)
  }

  /** Mostly one of our ids, the newest most often; sometimes a foreign or unknown one. */
  #id(segment: string): string {
    const random = this.#random
    const ids = this.#ids.get(segment) ?? []
    if (random.chance(0.04)) return random.pick([...this.#world.foreignIds])
    if (ids.length === 0 || random.chance(0.04)) return random.pick(ODD_IDS)
    return random.chance(0.6) ? (ids.at(-1) ?? '') : random.pick(ids)
  }

  #known(name: string): readonly string[] {
    const random = this.#random
    // These ids are chosen by the caller or the network.
    if (name === 'external_id' || name === 'three_ds_transaction_id') return []
    if (name.endsWith('_id') && random.chance(0.05))
      return [random.pick([...this.#world.foreignIds])]
    const named: { [field: string]: string[] } = {
      subject_id: ['cards', 'cardholders', 'programs'],
      transaction_id: ['card_transactions'],
      duplicate_of: ['card_transactions'],
      resource_id: ['cards', 'disputes', 'passes'],
      template_id: ['pass_templates'],
      pass_id: ['passes'],
      token: ['tokens'],
      starting_after: ['cards', 'cardholders', 'events'],
      pin: [],
    }
    if (name === 'pin') return [SECRETS.pin]
    if (name === 'pan') return [SECRETS.pan]
    const segments = named[name] ?? (name.endsWith('_id') ? [name.replace(/_id$/, 's')] : [])
    return segments.flatMap((segment) => this.#ids.get(segment)?.slice(-1) ?? [])
  }

  #body({ body, method }: Operation, mutated: boolean): string | null {
    if (body === null) return method === 'GET' || this.#random.chance(0.9) ? null : '{}'
    const valid = this.#values.valid(body, '', this.#random.pick([0, 0.15, 0.5])) as object
    return mutated ? this.#values.mutated(body, { ...valid }) : JSON.stringify(valid)
  }

  #keep(segment: string, id: unknown): void {
    if (typeof id !== 'string') return
    const ids = this.#ids.get(segment) ?? []
    ids.push(id)
    this.#ids.set(segment, ids.slice(-20))
  }

  /** Checks every property that an answer must have. */
  #look(operation: Operation, sent: Sent, answer: Answer): void {
    const { counts, complaints, foreignIds, secrets } = this.#world
    count(counts, operation, sent, answer)
    for (const secret of secretsIn(answer)) secrets.add(secret)
    const wrong = [
      shapeProblem(answer),
      undescribed(operation, answer),
      brokenProblem(operation, answer),
      formProblem(operation, sent, answer),
      changedProblem(operation, sent, answer),
      // Operators see every tenant.
      operation.operator ? null : toldProblem(sent, answer, foreignIds),
    ].filter((problem) => problem !== null)
    for (const problem of wrong)
      complaints.push(
        [
          operation.name,
          problem,
          sent.path,
          sent.text?.slice(0, 600),
          answer.text.slice(0, 600),
        ].join('\n  '),
      )
  }
}

const ODD_TEXT = [
  '',
  ' ',
  '-1',
  '0',
  '1e3',
  '0x10',
  'NaN',
  '[]',
  '\u0000',
  '🎈',
  'x'.repeat(3000),
  "' or 1=1 --",
  '%',
  '__proto__',
]
const ODD_NAMES = ['__proto__', 'constructor', 'limit[]', 'unknown', 'LIMIT', 'limit[gte]']
const ODD_IDS = [
  '__proto__',
  'constructor',
  'card_',
  '0',
  'x'.repeat(64),
  'x'.repeat(200),
  '🎈',
  "'",
  '%',
  'card_01ARZ3NDEKTSV4RRFFQ69G5FAV',
]

interface Sent {
  path: string
  text: string | null
  mutated: boolean
}

function count(counts: Counts, { name }: Operation, sent: Sent, { status, body }: Answer): void {
  counts.statuses[status] = (counts.statuses[status] ?? 0) + 1
  if (sent.mutated) counts.mutated += 1
  const code = body?.error?.code
  if (status < 300) counts.done.add(name)
  if (status === 400) counts.invalid += 1
  else if (status < 300 || status === 409 || code === 'resource_missing') counts.reached += 1
  else counts.other += 1
}

/** The document describes every answer; a list may be asked for as CSV. */
function undescribed({ responses }: Operation, { status, headers, body }: Answer): string | null {
  if (status === 200 && headers.get('content-type')?.startsWith('text/csv')) return null
  const validate = responses[status]
  // 202 carries the same body, of a resource that is not decided yet.
  if (validate === undefined) return status === 202 ? null : 'undescribed status ' + status
  if (validate === null || validate(body)) return null
  return 'not as described: ' + JSON.stringify(validate.errors?.slice(0, 3))
}

function brokenProblem({ name, path }: Operation, { status, body }: Answer): string | null {
  if (status < 500) return null
  // No chain is configured here.
  if (status === 503 && body.error.code === 'chain_not_configured') return null
  const away = status === 503 && body.error.code === 'dependency_unavailable'
  // No simulated holder is configured either.
  const absent = ASKS_ENGINE.test(path) || ASKS_HOLDER.test(path) || name.endsWith('/evaluate')
  return away && absent ? null : 'our fault'
}

/**
 * A body outside the document must be refused by field; a field inside it must never be called
 * unknown.
 */
function formProblem({ allows }: Operation, sent: Sent, { status, body }: Answer): string | null {
  if (sent.text === null || allows === null) return null
  const value: unknown = JSON.parse(sent.text)
  const allowed = allows(value) === true
  // Parts of a batch are refused one by one.
  if (!allowed && status < 300 && !(body?.failed > 0)) return 'a body that is not allowed was taken'
  if (status !== 400) return null
  const { code, param, message } = body.error
  if (allowed && code === 'parameter_unknown' && !sent.path.includes('?'))
    return 'a field that exists is unknown'
  const whole = typeof value !== 'object' || value === null || Array.isArray(value)
  // A refused assertion names its reason; the proof is one thing and no field of it is at fault.
  if (code === 'assertion_invalid') return null
  if (param === null) return whole || /at least/.test(message) ? null : 'no param'
  if (allowed || sent.path.includes('?')) return null
  const problems = allows.errors ?? []
  const places = problems.map(({ instancePath, params }) => {
    const property = params['missingProperty'] ?? params['additionalProperty']
    return instancePath + (property === undefined ? '' : '/' + property)
  })
  const named = param.startsWith('/') ? param : '/' + param
  // Text that cannot be kept is refused before its form is looked at.
  const unkeepable = /\\u0000|\\ud800/.test(sent.text)
  return unkeepable || places.some((place) => place.startsWith(named) || named.startsWith(place))
    ? null
    : 'param ' + param + ' is not at fault: ' + places.join(' ')
}

/** Fields whose answer differs in form from the request, each with its reason. */
const OTHERWISE: readonly RegExp[] = [
  // A number is never shown again.
  /^POST \/v1\/tokens card$/,
  // The sent token is not the card's own token.
  /\/activate token$/,
  // Rules change one by one: the answer also lists those not sent.
  /\/v1\/programs(\/\{id\})? fraud_rules$/,
  // A repeated review with the same decision changes nothing.
  /\/sanctions_alerts\/\{id\}\/review note$/,
  // A moment in another zone is shown in UTC.
  /\/recoveries (since|until)$/,
  /\/(passes|pass_templates)(\/\{id\})? (expires_at|relevant_at)$/,
  // A colour has one spelling.
  /\/pass_templates(\/\{id\})? colors$/,
]

/** An accepted value must be stored as sent: not converted, cut or dropped. */
function changedProblem(
  { name, method }: Operation,
  sent: Sent,
  { status, body }: Answer,
): string | null {
  if (status >= 300 || sent.text === null || method === 'GET') return null
  const value: unknown = JSON.parse(sent.text)
  if (typeof value !== 'object' || value === null) return null
  // A deletion answers without a body.
  if (typeof body !== 'object' || body === null) return null
  for (const [field, put] of Object.entries(value)) {
    if (!Object.hasOwn(body, field) || OTHERWISE.some((place) => place.test(name + ' ' + field)))
      continue
    if (!holds(body[field], put))
      return (
        field + ' was sent as ' + JSON.stringify(put) + ' and is ' + JSON.stringify(body[field])
      )
  }
  return null
}

function holds(shown: unknown, put: unknown): boolean {
  if (put === null) return shown === null || shown === undefined
  if (Array.isArray(put)) {
    if (!Array.isArray(shown) || shown.length !== put.length) return false
    // A list of words is a set: days of a week come in their order.
    const words = put.every((item) => typeof item === 'string')
    const [there, wanted] = words ? [[...shown].sort(), [...put].sort()] : [shown, put]
    return wanted.every((item, at) => holds(there[at], item))
  }
  if (typeof put !== 'object') return Object.is(shown, put === 0 ? 0 : put)
  if (typeof shown !== 'object' || shown === null) return false
  const own = (name: string): unknown =>
    Object.hasOwn(shown, name) ? (shown as Schema)[name] : null
  return Object.entries(put).every(([name, inner]) => holds(own(name), inner))
}

const ID = /\b[a-z]+_[0-9a-z]{26}\b/g

/** An id that the caller sent may return to it. */
function toldProblem(sent: Sent, { text, status }: Answer, foreignIds: ReadonlySet<string>) {
  const told = (text.match(ID) ?? []).filter(
    (id) => foreignIds.has(id) && !sent.path.includes(id) && !sent.text?.includes(id),
  )
  if (told.length > 0) return 'tells ' + told
  if (status < 400) return null
  return Object.values(SECRETS).some((secret) => text.includes(secret)) ? 'tells a secret' : null
}

/** Secrets that an answer gave to its caller alone. */
function secretsIn({ body }: Answer): string[] {
  const found = [body?.secret, body?.token, body?.error?.challenge_url?.split('/').at(-1)]
  return found.filter((text) => typeof text === 'string' && text.length > 20)
}

const EVALUATION: EvaluateAnswer = {
  approved: false,
  approved_amount_cents: 0,
  response_code: '57',
  decline_reason: 'merchant_category_blocked',
  decline_detail: 'card:ctl_1',
  trace: [[RULE_CATALOG.merchant_category_allowed.number, 1, 1, 'card', 'block', '5411', true]],
  max_approvable_amount_cents: 900,
  would_ask: true,
  shadow: [],
  config: {
    program_version: 4,
    cardholder_version: 5,
    card_version: 6,
    controls_versions: [0, 0, 7],
    engine_build: 'build',
  },
}

async function open(t: Test): Promise<{ world: World; lanes: Lane[] }> {
  t.comment('seed ' + SEED)
  const api = await startIssuingApi()
  api.log.level = 'trace'
  api.engine.evaluation = EVALUATION
  const document = await api.call('GET', '/openapi.json')
  const operator = await seedOperator(api.sql)
  const foreignIds = new Set<string>()
  for (const tenant of [api.other, api.live]) {
    foreignIds.add(tenant.tenantId)
    for (const id of (await furnish(api, tenant)).values()) foreignIds.add(id)
  }
  const secrets = new Set<string>([operator, ...Object.values(SECRETS)])
  for (const { keys } of [api.tenant, api.other, api.live])
    for (const key of Object.values(keys)) secrets.add(key)
  const world: World = {
    api,
    operator,
    operations: readOperations(document.body),
    foreignIds,
    secrets,
    counts: {
      calls: 0,
      reached: 0,
      invalid: 0,
      other: 0,
      mutated: 0,
      statuses: {},
      done: new Set(),
    },
    complaints: [],
  }
  const own = await furnish(api, api.tenant)
  const lanes = Array.from({ length: LANES }, (_, lane) => new Lane(world, SEED + lane * 7919, own))
  return { world, lanes }
}

test('stories made from the document get only documented answers', {
  timeout: (SECONDS + 120) * 1000,
}, async (t) => {
  const { world, lanes } = await open(t)
  const endAtNs = systemClock.monotonicNs() + SECONDS * 1e9
  await Promise.all(lanes.map((lane) => lane.run(() => systemClock.monotonicNs() > endAtNs)))
  const { counts, complaints, operations, api, secrets } = world
  t.comment(
    counts.calls +
      ' calls, ' +
      counts.mutated +
      ' of them mutated: ' +
      counts.reached +
      ' reached a handler, ' +
      counts.invalid +
      ' were invalid, ' +
      counts.other +
      ' refused otherwise; ' +
      JSON.stringify(counts.statuses),
  )
  t.comment(counts.done.size + ' of ' + operations.length + ' operations were done')
  // The first of each kind.
  const kinds = new Map(complaints.map((text) => [text.slice(0, 60), text]))
  t.same([...kinds.values()].slice(0, 20), [], complaints.length + ' complaints, seed ' + SEED)
  t.ok(counts.reached >= 0.3 * counts.calls, 'three in ten reach a handler')
  t.same(api.lines.filter((line) => line.includes('"err":')).slice(0, 3), [], 'nothing failed')
  const lines = api.lines.join('')
  t.ok(api.lines.length >= counts.calls, 'every answer is a line')
  t.comment(api.lines.length + ' lines of the log, ' + secrets.size + ' secrets')
  t.same(
    [...secrets].filter((secret) => lines.includes(secret)),
    [],
    'no secret is in the log',
  )
  t.notMatch(lines, /"(pan|cvc|pin|password)":/)
})

test('secrets reach no line of the log and no refusal', async (t) => {
  const api = await startIssuingApi()
  api.log.level = 'trace'
  api.lines.length = 0
  const { keys, tenantId } = api.tenant
  const { id } = await issue(api, 'virtual')
  const printed = await printedOn(api, id)
  const person = await seedPerson(api.sql, tenantId)
  const answers: Answer[] = []
  const call = async (path: string, body: unknown, headers = {}, key = keys.admin) => {
    const answer = await api.call('POST', path, { key, body, headers })
    answers.push(answer)
    return answer
  }

  await call('/v1/tokens', { card: printed }, { 'idempotency-key': 'idem-of-a-token' })
  await call('/v1/tokens', { card: { ...printed, cvc: printed.cvc + 'x' } })
  await call('/v1/tokens', { card: { ...printed, pan: printed.pan + '0' } })
  await call('/v1/tokens', { card: { ...printed, [printed.pan]: printed.cvc } })
  await api.call('PUT', '/v1/cards/' + id + '/pin', {
    key: keys.write,
    body: { pin: '903172846515' },
  })
  await call('/v1/cards?pan=' + printed.pan, {})
  await call('/v1/cards/' + printed.pan + '/suspend', { reason: printed.pan })
  const reveal = await call('/v1/cards/' + id + '/reveal_tokens', {})
  const shown = await call('/v1/card_reveals', { token: reveal.body.token })
  t.match(shown.body, printed)
  await call('/v1/card_reveals', { token: reveal.body.token })

  const key = { name: 'Server', role: 'secret', scope: 'read' }
  const asked = await call('/v1/api_keys', key)
  const { challenge_url, challenge } = asked.body.error
  const code = person.codeAt(api.clock.nowMs)
  const decide = (password: string, digits: string): Promise<Response> =>
    fetch(reachable(api, challenge_url), {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({
        decision: 'approve',
        email: person.email,
        password,
        code: digits,
      }),
      redirect: 'manual',
    })
  const wrongPassword = 'Tr0ub4dor and three'
  await decide(wrongPassword, code)
  t.equal((await decide(person.password, code)).status, 303)
  const heard = await api.call('GET', '/v1/factor_challenges/' + challenge.id, { key: keys.admin })
  const factor = heard.body.token
  const made = await call('/v1/api_keys', key, { 'svc-factor': factor })
  t.equal(made.status, 201)
  await call('/v1/api_keys', key, { 'svc-factor': factor })
  await call('/v1/cards', {}, {}, made.body.secret + 'x')

  const secrets: string[] = [printed.pan, '903172846515', reveal.body.token, 'idem-of-a-token']
  secrets.push(person.password, wrongPassword, factor, made.body.secret, keys.admin, keys.write)
  secrets.push(challenge_url.split('/').at(-1))
  // A counter in a line may happen to have the same three digits: a status is no CVC.
  const counted = '(?<!"(?:level|time|pid|status|ms)":)'
  const digits = [printed.cvc, code].map(
    (text) => new RegExp('(?<![\\w.])' + counted + text + '(?![\\w.])'),
  )
  t.ok(api.lines.length > answers.length)
  for (const line of [...api.lines, ...answers.filter(isRefusal).map(withoutChallenge)]) {
    t.same(
      secrets.filter((secret) => line.includes(secret)),
      [],
      line,
    )
    t.notOk(
      digits.some((seen) => seen.test(line)),
      line,
    )
  }
})

function isRefusal({ status }: Answer): boolean {
  return status >= 400
}

/** The caller learns the address of the challenge page. */
function withoutChallenge({ text }: Answer): string {
  return text.replace(/"challenge_url":"[^"]*"/, '')
}
