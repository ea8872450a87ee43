// The shape of an OpenAPI document and of its parts, as plain data.

/** A JSON Schema as plain data. */
export interface Schema {
  type?: string | string[]
  properties?: { [field: string]: Schema }
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  readonly enum?: unknown[]
  const?: unknown
  $ref?: string
  title?: string
  description?: string
  additionalProperties?: Schema | boolean
  patternProperties?: { [pattern: string]: Schema }
  propertyNames?: Schema
  [keyword: string]: unknown
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: { [scheme: string]: string[] }[]
  parameters: (Parameter | { $ref: string })[]
  requestBody?: {
    required: boolean
    content: { 'application/json': { schema: Schema; example?: unknown } }
  }
  responses: { [status: string]: unknown }
  /** Absent on routes without a key, like the bucket. */
  'x-svc-scope'?: string
  'x-svc-bucket'?: string
  'x-svc-family'?: string
  'x-svc-publishable'?: true
  'x-svc-sandbox-only'?: true
  'x-svc-factor'?: string
  /** This path is an alias of that operation's. */
  'x-svc-alias-of'?: string
}

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: { [field: string]: unknown; title: string; version: string }
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: { [path: string]: { [method: string]: Operation } }
  webhooks: { [name: string]: unknown }
  components: { schemas: { [name: string]: Schema }; [kind: string]: { [name: string]: unknown } }
}

export function pascal(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
