// For each of the sixty the smallest wrong change that must turn it red: one line of our source, before and after.

export interface Mutation {
  /** Of the source file, from the root. */
  path: string
  /** Occurs exactly once in it. */
  before: string
  after: string
}

export const MUTATIONS: { readonly [number: number]: Mutation } = {}
