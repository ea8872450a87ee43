// The smallest wrong changes for the stories that bring an engine of their own: see mutations.ts.
import type { Mutation } from './mutations.ts'

export const OWN_MUTATIONS: { readonly [number: number]: Mutation } = {}
