// Processes of a test share compiled code: each would otherwise compile the same hundreds of files.

const directory = process.env['NODE_COMPILE_CACHE']

/** For the environment of a process of ours; empty where the tests run without a cache. */
export const COMPILED: { readonly [name: string]: string } =
  directory === undefined ? {} : { NODE_COMPILE_CACHE: directory }
