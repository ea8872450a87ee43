// Examples show the state that their call or event leaves.
import { test } from 'tap'
import { FROM_SCHEMA, RESULTS } from '../../api/documents/example-results.ts'
import { openApiDocument } from '../../api/documents/openapi.ts'
import { sampleData } from '../../api/documents/sample-event.ts'
import { ROUTES } from '../../api/routes.ts'
import { EVENT_TYPE_NAMES, EVENT_TYPES } from '../../shared/event-catalog.ts'

type Example = { readonly [field: string]: unknown }
interface Shown {
  content?: { 'application/json'?: { example?: Example } }
}

/** The example of each answer and of each event, by operation and type. */
const EXAMPLES = new Map<string, Example>()
for (const item of Object.values(openApiDocument(ROUTES).paths))
  for (const { operationId, responses } of Object.values(item))
    for (const [status, response] of Object.entries(responses)) {
      const example = (response as Shown).content?.['application/json']?.example
      if (status.startsWith('2') && example !== undefined) EXAMPLES.set(operationId, example)
    }
for (const type of EVENT_TYPE_NAMES)
  EXAMPLES.set(type, (sampleData(type)[EVENT_TYPES[type].resource] ?? {}) as Example)

function at(example: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, field) => (inner as Example | undefined)?.[field], example)
}

test('each result stands in the example of its call or event', (t) => {
  const absent = [...RESULTS].flatMap(([path, value]) => {
    const name = [...EXAMPLES.keys()]
      .filter((known) => path.startsWith(known + '.'))
      .sort((one, other) => other.length - one.length)[0]
    const shown = at(EXAMPLES.get(name ?? ''), path.slice((name ?? '').length + 1).split('.'))
    if (value === FROM_SCHEMA) return shown === null || shown === undefined ? [path] : []
    return JSON.stringify(shown) === JSON.stringify(value) ? [] : [path + ' is ' + shown]
  })
  t.same(absent, [])
  t.end()
})

/** The state after a call, by the first word of its name. */
const STATES: { readonly [verb: string]: string } = {
  suspend: 'suspended',
  terminate: 'terminated',
  revoke: 'revoked',
  archive: 'archived',
  disable: 'disabled',
  deactivate: 'deactivated',
  retire: 'retired',
  submit: 'submitted',
  close: 'closed',
  void: 'voided',
  accept: 'accepted',
  withdraw: 'withdrawn',
}

test('a call or event that names a state shows it', (t) => {
  const calls = [...EXAMPLES].filter(([name]) => !name.startsWith('revokeOldSecret'))
  const wrong = calls.flatMap(([name, example]) => {
    const shown = example['status'] ?? example['state']
    const word = name.includes('.')
      ? name.split('.').at(-1)
      : STATES[/^[a-z]+/.exec(name)?.[0] ?? '']
    const isState =
      Object.values(STATES).includes(word ?? '') ||
      /^(captured|reversed|refunded|declined|expired|failed)$/.test(word ?? '')
    return shown === undefined || !isState || shown === word ? [] : [name + ' shows ' + shown]
  })
  t.same(wrong, [])
  t.end()
})

test('a resource that nothing happened to shows no reason and no end', (t) => {
  const calm: { readonly [type: string]: Example } = {
    'payment.authorized': { void_cause: null, decline_reason: null, failure: null },
    'cardholder.created': { erased_at: null, frozen: false },
    'billing.plan_changed': { status_reason: null, overdue_since: null },
    'billing.enterprise_quote_requested': { accepted_at: null, accepted_by: null },
    'card.created': { suspended_by: null, suspend_reason: null, terminate_reason: null },
  }
  for (const [type, fields] of Object.entries(calm)) t.match(EXAMPLES.get(type), fields, type)
  t.end()
})

test('a purchase is a debit that its tenant approved, in events too', (t) => {
  t.match(EXAMPLES.get('card.transaction.authorized'), {
    direction: 'debit',
    status: 'authorized',
    decision: { approved: true, decided_by: 'tenant' },
  })
  t.end()
})

test('values that the service makes begin in examples as it begins them', (t) => {
  for (const [operation, path, prefix] of [
    ['getCard', ['token'], 'ctok_'],
    ['getCardholder', ['kyc', 'verification_id'], 'idv_'],
    ['createWebhookEndpoint', ['signing_secrets', '0', 'id'], 'wsec_'],
  ] as const)
    t.match(at(EXAMPLES.get(operation), path), new RegExp('^' + prefix))
  t.end()
})
