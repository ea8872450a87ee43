// Converts the document's schemas and operations to TypeScript: an interface per resource, and the
// input and answer of each operation.
import type { OpenApiDocument, Operation, Parameter, Schema } from '../../api/documents/document.ts'

const HEAD = `// Written by \`npm run client\` from the API's document; changes are lost.
`

/** Returns the whole file. Pure: the same document makes the same text. */
export function clientTypes(document: OpenApiDocument): string {
  const operations = operationsOf(document)
  return [
    HEAD,
    '/** The version that these types are of. */',
    'export const API_VERSION = ' + quoted(document.info.version) + '\n',
    ...Object.entries(document.components.schemas).map(([name, schema]) => component(name, schema)),
    ...eventTypes(document),
    '/** What every operation takes and answers. */',
    'export interface Operations {',
    ...operations.map((one) => indented(operationType(one))),
    '}\n',
    'export const OPERATIONS: {',
    '  readonly [Name in keyof Operations]: {',
    "    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'",
    '    path: string',
    "    file?: 'text' | 'bytes' | 'stream'",
    '  }',
    '} = {',
    ...operations.map(
      ({ operation, method, path }) =>
        '  ' +
        operation.operationId +
        ': { method: ' +
        quoted(method.toUpperCase()) +
        ', path: ' +
        quoted(path) +
        fileOf(operation) +
        ' },',
    ),
    '}',
    '',
  ].join('\n')
}

interface Named {
  path: string
  method: string
  operation: Operation
}

function operationsOf({ paths }: OpenApiDocument): Named[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation['x-svc-alias-of'] === undefined)
      .map(([method, operation]) => ({ path, method, operation })),
  )
}

function component(name: string, schema: Schema): string {
  return schema.properties === undefined
    ? 'export type ' + name + ' = ' + typeOf(schema) + '\n'
    : 'export interface ' + name + ' ' + objectType(schema) + '\n'
}

function operationType({ operation }: Named): string {
  const own = operation.parameters.filter((one): one is Parameter => 'name' in one)
  const body = operation.requestBody?.content['application/json'].schema
  const fields = own.map(({ name, required, schema, description }) =>
    field(name, required, description === undefined ? schema : { ...schema, description }),
  )
  const sent = Object.entries(body?.properties ?? {}).map(([name, schema]) =>
    field(name, (body?.required ?? []).includes(name), schema),
  )
  const taken = new Set(own.map(({ name }) => name))
  const twice = Object.keys(body?.properties ?? {}).filter((name) => taken.has(name))
  if (twice.length > 0) throw new Error(operation.operationId + ' takes ' + twice + ' twice')
  const input = [...fields, ...sent]
  return [
    '/** ' + operation.summary + '. ' + needs(operation) + '. */',
    operation.operationId + ': {',
    '  input: ' +
      (input.length === 0 ? 'object' : '{\n' + indented(indented(input.join('\n'))) + '\n  }'),
    '  answer: ' + indented(answerType(operation)).trimStart(),
    '}',
  ].join('\n')
}

function needs({ 'x-svc-scope': scope }: Operation): string {
  return scope === undefined ? 'Needs no key' : 'Scope ' + scope
}

/** Types of an operation that answers with a file instead of JSON. */
const FILES: { readonly [type: string]: { kind: string; type: string } } = {
  'text/html': { kind: 'text', type: 'string' },
  'image/png': { kind: 'bytes', type: 'Uint8Array' },
  'text/event-stream': { kind: 'stream', type: 'ReadableStream<Uint8Array>' },
}

function fileIn(operation: Operation): (typeof FILES)[string] | undefined {
  const answers = Object.values(operation.responses) as { content?: { [type: string]: unknown } }[]
  const types = answers.flatMap(({ content }) => Object.keys(content ?? {}))
  return types.map((type) => FILES[type]).find((file) => file !== undefined)
}

function fileOf(operation: Operation): string {
  const file = fileIn(operation)
  return file === undefined ? '' : ', file: ' + quoted(file.kind)
}

function answerType(operation: Operation): string {
  const file = fileIn(operation)
  if (file !== undefined) return file.type
  const status = Object.keys(operation.responses).find((one) => one.startsWith('2')) ?? ''
  const answer = operation.responses[status] as {
    content?: { 'application/json'?: { schema: Schema } }
  }
  const schema = answer?.content?.['application/json']?.schema
  return schema === undefined ? 'unknown' : typeOf(schema)
}

interface Webhook {
  post: { requestBody: { content: { 'application/json': { schema: { allOf: Schema[] } } } } }
}

function eventTypes({ webhooks }: OpenApiDocument): string[] {
  const rows = Object.entries(webhooks as { [type: string]: Webhook }).map(([type, { post }]) => {
    const [, own] = post.requestBody.content['application/json'].schema.allOf
    return indented(quoted(type) + ': ' + typeOf(own?.properties?.['data'] ?? {}))
  })
  return [
    '/** The data of every event, by its type. */',
    'export interface EventData {',
    ...rows,
    '}\n',
    '/** An event of any type: its `type` tells what is in its `data`. */',
    'export type WebhookEvent = {',
    '  [Type in keyof EventData]: Event & { type: Type; data: EventData[Type] }',
    '}[keyof EventData]\n',
  ]
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if (schema.enum !== undefined) return schema.enum.map((value) => quoted(value)).join(' | ')
  if (schema.const !== undefined) return quoted(schema.const)
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ')
  const types = [schema.type ?? 'unknown'].flat()
  return types.map((type) => plainType(type, schema)).join(' | ')
}

function plainType(type: string, schema: Schema): string {
  if (type === 'array') return listType(schema.items ?? {})
  if (type === 'object') return objectType(schema)
  return type === 'integer' ? 'number' : type
}

function listType(items: Schema): string {
  const item = typeOf(items)
  return item.includes(' | ') ? '(' + item + ')[]' : item + '[]'
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const fields = Object.entries(properties).map(([name, part]) =>
      indented(field(name, required.includes(name), part)),
    )
    return '{\n' + fields.join('\n') + '\n}'
  }
  const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'
  return '{ [key: string]: ' + value + ' }'
}

function field(name: string, required: boolean, schema: Schema): string {
  const key = /^\w+$/.test(name) ? name : quoted(name)
  const text = key + (required ? ': ' : '?: ') + typeOf(schema)
  const { description } = schema
  return description === undefined
    ? text
    : '/** ' + description.replaceAll('*/', '* /') + ' */\n' + text
}

function quoted(value: unknown): string {
  return typeof value === 'string'
    ? "'" + JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'") + "'"
    : JSON.stringify(value)
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
