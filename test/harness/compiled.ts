// Processes of a test share what they strip and compile: each would otherwise do so with the same
// hundreds of files.

/** For the environment of a process of ours; empty where the tests are run without a cache. */
export const COMPILED: { readonly [name: string]: string } = given(
  'NODE_COMPILE_CACHE',
  'NODE_OPTIONS',
)

function given(...names: string[]): { [name: string]: string } {
  const values = names.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(values)
}
