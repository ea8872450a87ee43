// The comparison of the API with the last release: each kind of difference that breaks a client is
// found, and nothing else. The present API breaks no client unseen.
import { test } from 'tap'
import { additionsTo, breaksBetween } from '../../api/documents/breaks.ts'
import type { OpenApiDocument, Operation, Schema } from '../../api/documents/document.ts'
import { acceptedBreaks, changesSinceRelease } from '../../api/documents/released.ts'
import { ROUTES } from '../../api/routes.ts'
import { newestSection, releaseNotes, releaseProblems } from '../../scripts/release/notes.ts'

const CARD: Schema = {
  type: 'object',
  required: ['id', 'status'],
  properties: {
    id: { type: 'string' },
    status: { enum: ['active', 'ended'] },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    parent: { $ref: '#/components/schemas/Card' },
  },
}
const INPUT: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['program_id'],
  properties: {
    program_id: { type: 'string', maxLength: 64 },
    kind: { enum: ['virtual', 'physical'] },
    limit: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
  },
}

interface Parts {
  operation?: Partial<Operation>
  input?: Schema
  card?: Schema
  event?: Schema
}

function documentOf({ operation = {}, input = INPUT, card = CARD, event }: Parts = {}) {
  const json = (schema: Schema) => ({ content: { 'application/json': { schema } } })
  const post: Operation = {
    ...{ operationId: 'createCard', tags: [], summary: '', description: '', security: [] },
    parameters: [{ name: 'limit', in: 'query', required: false, schema: { type: 'integer' } }],
    requestBody: { required: true, ...json(input) },
    responses: {
      201: { headers: { 'Svc-Version': {} }, ...json({ $ref: '#/components/schemas/Card' }) },
    },
    'x-svc-scope': 'write',
    ...operation,
  }
  const body = event ?? { $ref: '#/components/schemas/Card' }
  const document: OpenApiDocument = {
    ...{ openapi: '3.1.0', info: { title: '', version: '' }, servers: [], tags: [] },
    paths: { '/v1/cards': { post } },
    webhooks: { 'card.created': { post: { requestBody: json(body), responses: {} } } },
    components: { schemas: { Card: card } },
  }
  return document
}

function breaks(present: Parts, released: Parts = {}): string[] {
  return breaksBetween({ released: documentOf(released), present: documentOf(present) })
}

/** The object schema with other properties. */
function having(schema: Schema, properties: { [name: string]: Schema | undefined }): Schema {
  const all = Object.entries({ ...schema.properties, ...properties })
  const kept = all.filter((entry): entry is [string, Schema] => entry[1] !== undefined)
  return { ...schema, properties: Object.fromEntries(kept) }
}

test('the same document breaks nothing', (t) => {
  t.same(breaks({}), [])
  t.end()
})

test('additions that the document announces break nothing', (t) => {
  const more: Schema = { type: 'string' }
  t.same(breaks({ card: having(CARD, { added: more, status: { enum: ['active', 'lost'] } }) }), [])
  t.same(breaks({ input: having(INPUT, { added: more, program_id: more }) }), [])
  t.same(breaks({ card: { ...CARD, required: ['id', 'status', 'note'] } }), [])
  t.end()
})

const POST = 'POST /v1/cards'
const ROWS: readonly (readonly [name: string, present: Parts, sentence: string])[] = [
  ['a field of an answer that is gone', { card: having(CARD, { id: undefined }) }, '.id is gone'],
  ['a field that may be absent', { card: { ...CARD, required: ['id'] } }, '.status may be absent'],
  [
    'another type of an answer',
    { card: having(CARD, { id: { type: 'integer' } }) },
    '.id was string and is integer',
  ],
  [
    'another form of an answer',
    { card: having(CARD, { note: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }) },
    '.note may now be integer',
  ],
  [
    'an answer that may be null',
    { card: having(CARD, { id: { anyOf: [{ type: 'string' }, { type: 'null' }] } }) },
    '.id may now be null',
  ],
  [
    'a field that is taken no longer',
    { input: having(INPUT, { kind: undefined }) },
    '.kind is gone',
  ],
  [
    'a field that is required',
    { input: { ...INPUT, required: ['program_id', 'kind'] } },
    'body.kind is required',
  ],
  [
    'a value that is taken no longer',
    { input: having(INPUT, { kind: { enum: ['virtual'] } }) },
    'body.kind takes no longer "physical"',
  ],
  [
    'a form that is taken no longer',
    { input: having(INPUT, { limit: { type: 'integer', minimum: 0 } }) },
    'body.limit takes no longer null',
  ],
  [
    'a tighter bound',
    { input: having(INPUT, { program_id: { type: 'string', maxLength: 32 } }) },
    'body.program_id has maxLength 32 now',
  ],
  [
    'a new pattern',
    { input: having(INPUT, { program_id: { type: 'string', maxLength: 64, pattern: '^p' } }) },
    'body.program_id has another pattern',
  ],
  ['a parameter that is gone', { operation: { parameters: [] } }, POST + ' query limit is gone'],
  [
    'a parameter that is required',
    {
      operation: {
        parameters: [{ name: 'limit', in: 'query', required: true, schema: { type: 'integer' } }],
      },
    },
    POST + ' query limit is required',
  ],
  ['a status that is gone', { operation: { responses: {} } }, POST + ' 201 is gone'],
  ['a higher scope', { operation: { 'x-svc-scope': 'admin' } }, POST + ' needs the scope admin'],
  ['a second factor', { operation: { 'x-svc-factor': 'x' } }, POST + ' needs a second factor'],
  ['another name', { operation: { operationId: 'makeCard' } }, POST + ' has another operationId'],
]

for (const [name, present, sentence] of ROWS)
  test('a break is found: ' + name, (t) => {
    const found = breaks(present)
    t.ok(
      found.some((one) => one.endsWith(sentence)),
      sentence,
      { found },
    )
    t.end()
  })

test('parts that all hold are compared as one schema, and every refusal by its one body', (t) => {
  const event = (data: Schema): Schema => ({
    allOf: [{ $ref: '#/components/schemas/Card' }, { type: 'object', properties: { data } }],
  })
  const text: Schema = { type: 'string' }
  t.same(breaks({ event: event(text) }, { event: event(text) }), [])
  t.same(breaks({ event: event({ type: 'integer' }) }, { event: event(text) }), [
    'POST card.created body.data was string and is integer',
  ])
  const [released, present] = [documentOf(), documentOf()]
  released.components.schemas['Error'] = having(INPUT, { doc_url: text })
  present.components.schemas['Error'] = INPUT
  t.same(breaksBetween({ released, present }), ['Error.doc_url is gone'])
  t.end()
})

test('a webhook is compared as an answer, and an operation that is gone is named', (t) => {
  const event: Schema = having(CARD, { id: undefined })
  t.same(breaks({ event }), ['POST card.created body.id is gone'])
  const released = documentOf()
  const present = { ...documentOf(), paths: {}, webhooks: {} }
  t.same(breaksBetween({ released, present }), [
    'POST /v1/cards is gone',
    'POST card.created is gone',
  ])
  t.same(additionsTo({ released: present, present: released }), ['POST /v1/cards', 'card.created'])
  t.end()
})

test('the API breaks no client of the last release unseen', (t) => {
  const changes = changesSinceRelease(ROUTES)
  t.ok(changes.length >= 3, 'operators, and tenants in each version')
  const changelog = '## Now\n- an entry\n'
  t.same(releaseProblems({ changelog, changes, accepted: acceptedBreaks() }), [])
  t.end()
})

test('notes of a release have the newest section, the breaks with reasons and the additions', (t) => {
  const changelog = '# Changelog\n\n## 2, May\n\n- Cards end.\n\n## 1, April\n\n- Cards.\n'
  t.equal(newestSection(changelog), '## 2, May\n\n- Cards end.')
  t.equal(newestSection('# Changelog\n\n## 2, May\n'), null)
  const change = { document: 'tenant', breaks: ['a is gone'], additions: ['GET /v1/b'] }
  const release = { changelog, changes: [change], accepted: { 'a is gone': 'nobody used it' } }
  t.same(releaseProblems(release), [])
  const notes = releaseNotes(release)
  for (const text of ['- Cards end.', '- a is gone: nobody used it', '- GET /v1/b'])
    t.ok(notes.includes(text), text)
  t.notOk(notes.includes('April'))
  t.same(releaseProblems({ ...release, accepted: {} }), ['breaks clients: a is gone'])
  t.same(releaseProblems({ ...release, accepted: { 'a is gone': ' ' } }), [
    'accepted without a reason: a is gone',
  ])
  t.same(releaseProblems({ ...release, changes: [] }), ['accepted, and breaks nothing: a is gone'])
  t.same(releaseProblems({ ...release, changelog: '# Changelog\n' }), [
    'the changelog has no entry',
  ])
  t.end()
})
