// Processes of a test share what they compile: each would otherwise strip and compile the same hundreds of files.

/** For the environment of a process of ours; empty where the tests are run without a cache. */
export const COMPILED: { readonly [name: string]: string } = cacheOf(
  process.env['NODE_COMPILE_CACHE'],
)

function cacheOf(directory: string | undefined): { [name: string]: string } {
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory }
}
