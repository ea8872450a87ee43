// Processes of a test share a compile cache: each would otherwise strip and compile the same
// hundreds of files.

/** Variable for the environment of a child process; empty if the tests run without a cache. */
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
