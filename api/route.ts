// A route as a declaration: who may call it, what it takes, what it runs. Rooms list theirs as a table; the server makes
// them real. Everything a caller may send is in the declaration, and nothing else is accepted.
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { KeyScope } from '../shared/api-key.ts'
import type { Context, OperatorContext } from './context.ts'

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Rate-limit buckets. Spec 8; the last four are ours (API.md 5). */
export type Bucket =
  | 'read'
  | 'passes_write'
  | 'cards_write'
  | 'settlements_write'
  | 'templates_write'
  | 'payments_write'
  | 'admin_write'
  | 'count'
  | 'auth'

/** What a declaration may leave out, all but the summary. */
interface RouteTraits {
  /** What it does, in one sentence, for the reference. */
  summary: string
  /** A tenant with its key, or an operator of the installation. For the other one there is nothing here (404). */
  caller: 'tenant' | 'operator'
  /** The family of narrower OAuth scopes that may call it as well; null: none. */
  family: 'pass' | 'card' | 'settlement' | null
  /** Publishable keys may call it too. Spec 5.1. */
  publishable: boolean
  /** In live there is nothing here (404). */
  sandboxOnly: boolean
  /** A GET reads; what is for admins is admin_write; everything else cards_write. */
  bucket: Bucket
  /** Needs a fresh second factor (Spec 5.1): what a person is asked to approve, in one sentence. Null: needs none. */
  factor: string | null
  /** True of an answer that says “not yet”: it is sent as 202 with Retry-After. Null where there is none. */
  pending: ((answer: unknown) => boolean) | null
  /** 201 where the call makes something. */
  status: 200 | 201
  /** False of a body that asks for nothing to be made: it is answered with 200. Null where every call makes something, or none. */
  makes: ((body: unknown) => boolean) | null
  /** Of a route that answers with a file: its media type; `run` returns a `FileAnswer`. Null: it answers JSON. */
  media: 'image/png' | 'text/html' | null
  /** For the reference only: of a route whose answer is a stored text, or is less for some callers, the shape of all of it. */
  shape: TSchema | null
  /** Of a route that looks at the parts of its body itself: the body's shape, for the reference only. */
  bodyShape: TSchema | null
}

/** What is answered instead of JSON. */
export interface FileAnswer {
  body: Buffer | string
  headers: { readonly [name: string]: string }
}

export interface RouteInput<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
}

/** A route as the server sees it: types forgotten, schemas kept. */
export type Route = TenantRoute | OperatorRoute

export interface TenantRoute extends RouteShape {
  caller: 'tenant'
  run(context: Context, input: RouteInput<unknown, unknown, unknown>): Promise<unknown>
}

export interface OperatorRoute extends RouteShape {
  caller: 'operator'
  run(context: OperatorContext, input: RouteInput<unknown, unknown, unknown>): Promise<unknown>
}

interface RouteShape extends RouteTraits {
  method: RouteMethod
  /** Every spelling it answers under. */
  paths: readonly string[]
  /** The narrowest scope that may call it. Spec 5.1. */
  scope: KeyScope
  params: TSchema
  query: TSchema
  /** Null where the method has no body. */
  body: TSchema | null
  /** Shape of the answer; null where the stored text is the answer. */
  answer: TSchema | null
  /** Refuses a body for what its schema cannot say, before a person is asked to approve the call; null where there is nothing. */
  check: ((body: unknown) => void) | null
}

interface Declaration<Params extends TSchema, Query extends TSchema, Body extends TSchema>
  extends Partial<Omit<RouteTraits, 'caller' | 'makes'>> {
  summary: string
  method: RouteMethod
  paths: readonly string[]
  params?: Params
  query?: Query
  body?: Body
  answer: TSchema | null
  check?(body: Static<Body>): void
  makes?(body: Static<Body>): boolean
}

interface RouteDeclaration<Params extends TSchema, Query extends TSchema, Body extends TSchema>
  extends Declaration<Params, Query, Body> {
  scope: KeyScope
  run(
    context: Context,
    input: RouteInput<Static<Params>, Static<Query>, Static<Body>>,
  ): Promise<unknown>
}

interface OperatorDeclaration<Params extends TSchema, Query extends TSchema, Body extends TSchema>
  extends Declaration<Params, Query, Body> {
  run(
    context: OperatorContext,
    input: RouteInput<Static<Params>, Static<Query>, Static<Body>>,
  ): Promise<unknown>
}

/** An object that takes these fields and no others. */
export function closed<Fields extends TProperties>(
  fields: Fields,
  options: { minProperties?: number } = {},
): TObject<Fields> {
  return Type.Object(fields, { additionalProperties: false, ...options })
}

const NOTHING = closed({})

/** An id in a path. Text that cannot be an id reads like an id that nobody has. */
export const IdParams = closed({ id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }) })

/** An id or another identifier in a filter. */
export const IdFilter = Type.Optional(Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }))

/** Why someone did something, in their words. Control characters have no place in a text column. */
export const Reason = Type.Optional(
  Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
)

/** What a tenant calls. Checks a declaration's handler against its schemas, then forgets the types. */
export function route<
  Params extends TSchema = typeof NOTHING,
  Query extends TSchema = typeof NOTHING,
  Body extends TSchema = typeof NOTHING,
>(declared: RouteDeclaration<Params, Query, Body>): TenantRoute {
  return {
    ...shapeOf(declared, declared.scope),
    caller: 'tenant',
    // The validators that ran made the input what the schemas say.
    run: declared.run as TenantRoute['run'],
  }
}

/** What an operator calls; to everybody else there is nothing here (404). */
export function operatorRoute<
  Params extends TSchema = typeof NOTHING,
  Query extends TSchema = typeof NOTHING,
  Body extends TSchema = typeof NOTHING,
>(declared: OperatorDeclaration<Params, Query, Body>): OperatorRoute {
  return {
    ...shapeOf(declared, 'admin'),
    caller: 'operator',
    run: declared.run as OperatorRoute['run'],
  }
}

function shapeOf(
  declared: Declaration<TSchema, TSchema, TSchema>,
  scope: KeyScope,
): Omit<RouteShape, 'caller'> {
  const takesBody = declared.method !== 'GET' && declared.method !== 'DELETE'
  return {
    method: declared.method,
    paths: declared.paths,
    scope,
    params: declared.params ?? NOTHING,
    query: declared.query ?? NOTHING,
    body: takesBody ? (declared.body ?? NOTHING) : null,
    answer: declared.answer,
    check: declared.check ?? null,
    makes: declared.makes ?? null,
    status: declared.status ?? 200,
    media: declared.media ?? null,
    shape: declared.shape ?? null,
    bodyShape: declared.bodyShape ?? null,
    summary: declared.summary,
    family: declared.family ?? null,
    publishable: declared.publishable ?? false,
    sandboxOnly: declared.sandboxOnly ?? false,
    bucket: declared.bucket ?? bucketOf(declared.method, scope),
    factor: declared.factor ?? null,
    pending: declared.pending ?? null,
  }
}

function bucketOf(method: RouteMethod, scope: KeyScope): Bucket {
  if (method === 'GET') return 'read'
  return scope === 'admin' ? 'admin_write' : 'cards_write'
}
