// The contract of a page: its path, its operations of the API, and its view of their answers.
import type { OPERATIONS, Operations } from '../../client/generated.ts'
import type { EpochMs } from '../../shared/clock.ts'
import type { Html } from '../../shared/html.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import type { Member, Visitor } from './port.ts'

export type OperationName = keyof typeof OPERATIONS
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer']
export type InputOf<Name extends OperationName> = Operations[Name]['input']

/** One call of the API. */
export interface Call<Name extends OperationName = OperationName> {
  operation: Name
  input: object
}

/** A link to a page, for a visitor who may make the call of its purpose. */
export interface Way {
  path: string
  label: string
  operation: OperationName
}

/** Names one call of the API with its input. */
export function call<Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
): Call<Name> {
  return { operation, input }
}

/** Why a call has no answer. */
export interface Problem {
  /** HTTP status; 0 without an answer in time. */
  status: number
  code: string
  message: string
  param: string | null
  requestId: string | null
  detail: { readonly [field: string]: unknown }
  /** The page that mends it, where there is one. */
  cure?: { href: string; label: string }
}

/** The problem of a call or page that the visitor's role does not include. */
export const NOT_YOURS: Problem = {
  ...{ status: 403, code: 'insufficient_scope', param: null, requestId: null, detail: {} },
  message: 'Your role does not include this.',
}

export type Outcome<Value> = { ok: true; value: Value } | { ok: false; problem: Problem }

export type Answers<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends Call<infer Operation>
    ? Outcome<AnswerOf<Operation>>
    : never
}

/** A page that ends the visit: the API refused the resource that the page is about. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.code)
    this.problem = problem
  }
}

/** One request for a page, and everything the page may know. */
export interface Visit {
  params: { readonly [name: string]: string }
  query: URLSearchParams
  visitor: Visitor
  member: Member
  environment: Environment
  /** By the installation's clock. */
  now: EpochMs
  apiUrl: string
  docsUrl: string
  /** The address of this page in the other environments of the tenant. */
  others: readonly { environment: Environment; address: string }[]
  /** The address of a page of this tenant and environment. */
  to(path: string): string
  /** Whether the API lets the visitor make the call. */
  may(operation: OperationName): boolean
  /**
   * Makes the calls at once; a late or failed one is a problem of its panel alone. A call that the
   * role may not make is not made.
   */
  ask<Calls extends { [name: string]: Call }>(calls: Calls): Promise<Answers<Calls>>
  /** Makes the call that the page is about; throws `Refused` without an answer. */
  need<Name extends OperationName>(of: Call<Name>): Promise<AnswerOf<Name>>
}

/** Content of a page inside the frame. */
export interface Shown {
  title: string
  content: Html
  status?: number
  /** Browser modules beside the common one, by file name. */
  scripts?: readonly string[]
}

export type MenuGroup = 'Now' | 'Issuing' | 'Passes' | 'Money' | 'Developers' | 'Settings'

export interface PageDefinition {
  kind: 'page'
  /** Below the tenant and environment: `/cards/:id`. */
  path: string
  title: string
  /** Absent: the page is in every environment. */
  only?: Environment
  /** Place in the menu; absent for pages that others lead to. */
  menu?: { group: MenuGroup; label: string }
  /** A role that may not call the first one has no such page, and no line in the menu. */
  operations: readonly OperationName[]
  view(visit: Visit): Promise<Shown> | Shown
  /** The whole list as rows of text, for a file; absent where the page has none. */
  rows?(visit: Visit): AsyncGenerator<readonly string[]>
}

/** Returns true where the environment of the visit has the page. */
export function isIn({ only }: PageDefinition, { environment }: Visit): boolean {
  return only === undefined || only === environment
}

/** A page that stands in a frame of another one, with a policy of its own. */
export interface FileDefinition {
  /** POST: a form of the page opens it, and its fields stand in no address. */
  method: 'GET' | 'POST'
  path: string
  /** Absent: a page. */
  type?: 'image/png'
  view(visit: Visit, form: Form): Promise<{ policy: string; text: string | Buffer }>
}

/** Declares a page. */
export function page(definition: Omit<PageDefinition, 'kind'>): PageDefinition {
  return { kind: 'page', ...definition }
}

/** Fields of a sent form, trimmed. */
export type Form = (name: string) => string

export interface ActionDefinition {
  kind: 'action'
  /** Below the tenant and environment: `/cards/:id/suspend`. */
  path: string
  /** The effect in a short sentence, for the page that asks for a second factor. */
  label: string
  operation: OperationName
  /** Throws `FieldProblem` for a field that cannot be sent. */
  input(form: Form, visit: Visit): object | Promise<object>
  /** Further inputs: each is a call of its own, under a key that follows from the form. */
  more?(form: Form, visit: Visit): readonly object[]
  /** Fields that no page repeats: beside the second factor, the person types them again. */
  secrets?: readonly { name: string; label: string }[]
  /** The sentence after it worked. */
  done: string
  /** The page that follows; by default the one above the action. */
  next?(answer: unknown, visit: Visit): string
  /** A page instead of the redirect, for an answer that is shown only once. */
  shown?(answer: unknown, visit: Visit, isRepeat: boolean, form: Form): Shown
  /** The form again, with the values and the problem. */
  again?(visit: Visit, form: Form, problem: Problem): Promise<Shown>
}

interface TypedAction<Name extends OperationName>
  extends Omit<ActionDefinition, 'kind' | 'operation' | 'input' | 'more' | 'next' | 'shown'> {
  operation: Name
  input(form: Form, visit: Visit): InputOf<Name> | Promise<InputOf<Name>>
  more?(form: Form, visit: Visit): readonly InputOf<Name>[]
  next?(answer: AnswerOf<Name>, visit: Visit): string
  shown?(answer: AnswerOf<Name>, visit: Visit, isRepeat: boolean, form: Form): Shown
}

/** Declares the effect of a form. */
export function action<Name extends OperationName>(
  definition: TypedAction<Name>,
): ActionDefinition {
  return { kind: 'action', ...(definition as object) } as ActionDefinition
}

/** A field of a form that is not sent to the API: its text has no meaning there. */
export class FieldProblem extends Error {
  override readonly name = 'FieldProblem'
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** Ends the visit at another page of the same tenant and environment. */
export class Redirect extends Error {
  override readonly name = 'Redirect'
  readonly path: string

  constructor(path: string) {
    super(path)
    this.path = path
  }
}
