// The client: one method for every operation of the API, named and typed by its document.

import { type Caller, type CallOptions, type ClientOptions, createCaller } from './call.ts'
import { OPERATIONS, type Operations } from './generated.ts'

export type { CallOptions, ClientOptions } from './call.ts'

type Input<Name extends keyof Operations> = Operations[Name]['input']

/** An input whose fields are all optional may be left out. */
type Given<Of extends object> = object extends Of ? [input?: Of] : [input: Of]

type Item<Answer> = Answer extends { data: readonly (infer One)[]; has_more: boolean } ? One : never

type Method<Name extends keyof Operations> = ((
  ...given: [...Given<Input<Name>>, options?: CallOptions]
) => Promise<Operations[Name]['answer']>) &
  ([Item<Operations[Name]['answer']>] extends [never]
    ? unknown
    : {
        /**
         * Yields every resource of the list, page by page; with `ending_before` backward, nearest
         * first.
         */
        each(
          ...given: [...Given<Input<Name>>, options?: CallOptions]
        ): AsyncGenerator<Item<Operations[Name]['answer']>, void, undefined>
      })

export type Client = { readonly [Name in keyof Operations]: Method<Name> }

/** Creates a client of one installation and key. It keeps no connection open. */
export function createClient(options: ClientOptions): Client {
  const call = createCaller(options)
  const methods = Object.entries(OPERATIONS).map(([name, operation]) => {
    const method = (input: object = {}, own: CallOptions = {}) => call(operation, input, own)
    const each = (input: object = {}, own: CallOptions = {}) =>
      eachOf(call, operation, input as ListInput, own)
    return [name, Object.assign(method, { each })]
  })
  return Object.fromEntries(methods) as Client
}

interface ListInput {
  starting_after?: string
  ending_before?: string
}

interface ListPage {
  data: readonly unknown[]
  has_more: boolean
  next_cursor: string | null
}

async function* eachOf(
  call: Caller,
  operation: (typeof OPERATIONS)[keyof typeof OPERATIONS],
  input: ListInput,
  options: CallOptions,
): AsyncGenerator<unknown, void, undefined> {
  const backward = input.ending_before !== undefined
  let next: ListInput = input
  for (;;) {
    const page = (await call(operation, next, options)) as ListPage
    yield* backward ? page.data.toReversed() : page.data
    if (!page.has_more || page.next_cursor === null) return
    const cursor = page.next_cursor
    next = backward ? { ...input, ending_before: cursor } : { ...input, starting_after: cursor }
  }
}
