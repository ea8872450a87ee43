// A route as a declaration: its callers, its input, its handler. Each module lists its routes as a
// table; the server registers them. The declaration contains all accepted input; anything else is
// refused.
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { KeyScope } from '../../shared/api-key.ts'
import { Type } from '../../shared/schema-builders.ts'
import type { Context, OperatorContext } from '../context.ts'
import type { SqlTag } from '../database/pool.ts'

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Rate limit buckets. Spec 8; the last four are additions. */
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

/**
 * `always`: no status of billing refuses the call. Reads, tightening, ending, money that moves back
 * and everything about billing itself are never refused.
 */
export type Needed = 'always' | 'issuing' | 'realtime' | 'identity_checks' | 'physical_cards'

/** Optional parts of a declaration; the summary is required. */
interface RouteTraits {
  /** Summary in one sentence, for the reference. */
  summary: string
  /**
   * A tenant with its key, or an operator of the installation. For the other caller the route does
   * not exist (404).
   */
  caller: 'tenant' | 'operator'
  /** Family of narrower OAuth scopes that may call the route as well; null: none. */
  family: 'pass' | 'card' | 'settlement' | null
  /** Publishable keys may call the route too. Spec 5.1. */
  publishable: boolean
  /** The route does not exist in live (404). */
  sandboxOnly: boolean
  /** A read without an id may find nothing (404): the resource is made by another call. */
  absent: boolean
  /**
   * By default a GET is read, an admin route is admin_write, and every other route is cards_write.
   */
  bucket: Bucket
  /**
   * Requires a fresh second factor (Spec 5.1): the sentence that a person approves. Null: not
   * required.
   */
  factor: string | null
  /**
   * The same for a signed-in person alone, on calls for which a key needs no factor. Null: not
   * required.
   */
  personFactor: string | null
  /**
   * For an operator's call: the sentence that a second operator approves, by the body; null, and a
   * null result, need none. Only an installation that serves live asks for it.
   */
  secondOperator: ((body: unknown) => string | null) | null
  /**
   * For an operator's call by a credential alone: throws 403 `factor_required` where a person has
   * to prove this call, before a second operator is asked. The handler checks it again. Null:
   * never.
   */
  requireProof: RequireProof | null
  /**
   * Returns true for an answer that means “not yet”: the server sends it as 202 with Retry-After.
   * Null if the route has no such answer.
   */
  pending: ((answer: unknown) => boolean) | null
  /**
   * The right that the call needs of the tenant's plan and status (403). Each write of a tenant
   * names it; null: a read, or an operator's call.
   */
  entitled: Needed | ((body: unknown) => Needed) | null
  /** 201 if the call creates a resource; 202 if the work on the resource goes on afterwards. */
  status: 200 | 201 | 202
  /**
   * Returns false for a body that creates no resource: the answer is 200. Null if every call
   * creates one, or none does.
   */
  makes: ((body: unknown) => boolean) | null
  /**
   * Media type of a route that answers with a file; `run` returns a `FileAnswer`, for a stream of
   * events a `StreamAnswer`. Null: the route answers JSON.
   */
  media: 'image/png' | 'text/html' | 'text/event-stream' | null
  /**
   * For the reference only: the full shape of an answer that is a stored text, or is reduced for
   * some callers.
   */
  shape: TSchema | null
  /**
   * For the reference only: the body's shape on a route that checks the parts of its body itself.
   */
  bodyShape: TSchema | null
}

/** `pagesUrl` is the address where people open the pages, without a slash at the end. */
type RequireProof = (
  sql: SqlTag,
  input: { params: unknown; body: unknown },
  pagesUrl: string,
) => Promise<void>

/** An answer other than JSON. */
export interface FileAnswer {
  body: Buffer | string
  headers: { readonly [name: string]: string }
}

export interface RouteInput<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
}

/**
 * A route in the server's form: types erased, schemas kept. `Ports` names the parts of the process
 * that the handler asks for beside its context; the server supplies them.
 */
export type Route<Ports = unknown> = TenantRoute<Ports> | OperatorRoute<Ports>

/** A declaration, whichever ports its handler asks for: enough to read, not to run. */
export type AnyRoute = Route<never>

type Run<CallContext, Input, Ports> = (
  context: CallContext,
  input: Input,
  ports: Ports,
) => Promise<unknown>
type AnyInput = RouteInput<unknown, unknown, unknown>

export interface TenantRoute<Ports = unknown> extends RouteShape {
  caller: 'tenant'
  run: Run<Context, AnyInput, Ports>
}

export interface OperatorRoute<Ports = unknown> extends RouteShape {
  caller: 'operator'
  operatorScope: 'rates' | null
  run: Run<OperatorContext, AnyInput, Ports>
}

interface RouteShape extends RouteTraits {
  method: RouteMethod
  /** All paths of the route. */
  paths: readonly string[]
  /** The narrowest scope that may call the route. Spec 5.1. */
  scope: KeyScope
  params: TSchema
  query: TSchema
  /** Null if the method has no body. */
  body: TSchema | null
  /** Shape of the answer; null if the stored text is the answer. */
  answer: TSchema | null
  /**
   * Refuses a body by rules beyond its schema, before a person is asked to approve the call; null
   * if no such rule exists.
   */
  check: ((body: unknown) => void) | null
}

interface Declaration<Params extends TSchema, Query extends TSchema, Body extends TSchema>
  extends Partial<
    Omit<RouteTraits, 'caller' | 'makes' | 'entitled' | 'secondOperator' | 'requireProof'>
  > {
  summary: string
  method: RouteMethod
  paths: readonly string[]
  params?: Params
  query?: Query
  body?: Body
  answer: TSchema | null
  check?(body: Static<Body>): void
  makes?(body: Static<Body>): boolean
  entitled?: Needed
  /** Instead of `entitled`, where the body decides. */
  entitledBy?(body: Static<Body>): Needed
  secondOperator?: string
  /** Instead of `secondOperator`, where the body decides. */
  secondOperatorBy?(body: Static<Body>): string | null
  requireProof?(
    sql: SqlTag,
    input: { params: Static<Params>; body: Static<Body> },
    pagesUrl: string,
  ): Promise<void>
}

interface RouteDeclaration<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Ports,
> extends Declaration<Params, Query, Body> {
  scope: KeyScope
  run: Run<Context, RouteInput<Static<Params>, Static<Query>, Static<Body>>, Ports>
}

interface OperatorDeclaration<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Ports,
> extends Declaration<Params, Query, Body> {
  /** The narrow scope of operators that may make the call too. */
  operatorScope?: 'rates'
  run: Run<OperatorContext, RouteInput<Static<Params>, Static<Query>, Static<Body>>, Ports>
}

/** An object that accepts these fields and no others. */
export function closed<Fields extends TProperties>(
  fields: Fields,
  options: { minProperties?: number } = {},
): TObject<Fields> {
  return Type.Object(fields, { additionalProperties: false, ...options })
}

const NOTHING = closed({})

/** An id in a path. Text that cannot be an id reads like an unknown id. */
export const IdParams = closed({ id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }) })

/** An id or another identifier in a filter. */
export const IdFilter = Type.Optional(Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }))

/** A reason in free text. A text column accepts no control characters. */
export const Reason = Type.Optional(
  Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
)

/** Declares a tenant route. Checks the handler against the schemas, then erases the types. */
export function route<
  Params extends TSchema = typeof NOTHING,
  Query extends TSchema = typeof NOTHING,
  Body extends TSchema = typeof NOTHING,
  Ports = unknown,
>(declared: RouteDeclaration<Params, Query, Body, Ports>): TenantRoute<Ports> {
  return {
    ...shapeOf(declared, declared.scope),
    caller: 'tenant',
    // The validators checked the input against the schemas.
    run: declared.run as TenantRoute<Ports>['run'],
  }
}

/** Declares an operator route; for all other callers it does not exist (404). */
export function operatorRoute<
  Params extends TSchema = typeof NOTHING,
  Query extends TSchema = typeof NOTHING,
  Body extends TSchema = typeof NOTHING,
  Ports = unknown,
>(declared: OperatorDeclaration<Params, Query, Body, Ports>): OperatorRoute<Ports> {
  return {
    ...shapeOf(declared, 'admin'),
    caller: 'operator',
    operatorScope: declared.operatorScope ?? null,
    run: declared.run as OperatorRoute<Ports>['run'],
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
    entitled: declared.entitledBy ?? declared.entitled ?? null,
    status: declared.status ?? 200,
    media: declared.media ?? null,
    shape: declared.shape ?? null,
    bodyShape: declared.bodyShape ?? null,
    summary: declared.summary,
    family: declared.family ?? null,
    publishable: declared.publishable ?? false,
    sandboxOnly: declared.sandboxOnly ?? false,
    absent: declared.absent ?? false,
    bucket: declared.bucket ?? bucketOf(declared.method, scope),
    factor: declared.factor ?? null,
    personFactor: declared.personFactor ?? null,
    secondOperator: declared.secondOperatorBy ?? always(declared.secondOperator),
    // The validators checked the input against the schemas.
    requireProof: (declared.requireProof as RequireProof | undefined) ?? null,
    pending: declared.pending ?? null,
  }
}

function always(sentence: string | undefined): (() => string) | null {
  return sentence === undefined ? null : () => sentence
}

function bucketOf(method: RouteMethod, scope: KeyScope): Bucket {
  if (method === 'GET') return 'read'
  return scope === 'admin' ? 'admin_write' : 'cards_write'
}
