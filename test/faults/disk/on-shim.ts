// A stack whose engine writes its journal through the library that makes the disk slow, failing or
// watched.
import type { Teardown } from '../../harness/postgres.ts'
import { type Stack, startStack } from '../stack.ts'
import { buildShim, type Shim } from './shim.ts'

export interface OnShim {
  shim: Shim
  stack: Stack
}

/** Null if nothing can be compiled here. */
export async function onShim(
  t: Teardown,
  options: { watched?: boolean } = {},
): Promise<OnShim | null> {
  const shim = buildShim(t, options)
  if (shim === null) return null
  const stack = await startStack(t, {
    engineEnvironment: (directory) => shim.environment(directory + '/journal'),
    environment: { SVC_SNAPSHOT_ENTRIES: '300' },
  })
  return { shim, stack }
}
