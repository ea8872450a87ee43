// The versions of the API, and every shape in each of them. Answers and events use the same path:
// modules know the newest shape only, and one chain of changes leads back from it. Spec 9.
import { API_VERSION } from '../../../shared/event-catalog.ts'
import { NULL_INSTEAD_OF_ABSENT } from './2026-12-01.ts'
import type { Change, Shown, ShownSchema } from './change.ts'

/** Newest first. `back` turns its shapes into those of the version below. */
const CHAIN: readonly { version: string; back: Change }[] = [
  { version: API_VERSION, back: NULL_INSTEAD_OF_ABSENT },
  { version: '2026-11-20', back: {} },
]

/** Every version that a caller may pin or request, newest first. */
export const API_VERSIONS: readonly string[] = CHAIN.map(({ version }) => version)

/** The changes between the newest version and this one, in the order in which they are undone. */
const WAY_BACK: ReadonlyMap<string, readonly Change[]> = new Map(
  CHAIN.map(({ version }, index) => [version, CHAIN.slice(0, index).map(({ back }) => back)]),
)

/**
 * Returns the version for a tenant pinned to `pinned`. Chosen: an unknown version is one of a later
 * release that ran here before; its tenant reads the newest shapes.
 */
export function spokenVersion(pinned: string): string {
  return WAY_BACK.has(pinned) ? pinned : API_VERSION
}

/**
 * Returns `value` in that version: every resource in it, at the top, in a list, or under a name of
 * its own. The walk ends at a resource: the changes of that resource handle its content. Returns
 * `value` itself for the newest version, and untouched parts as they are.
 */
export function inVersion<Value>(value: Value, version: string): Value {
  const changes = WAY_BACK.get(version) ?? []
  return (changes.length === 0 ? value : wentBack(value, changes)) as Value
}

function wentBack(value: unknown, changes: readonly Change[]): unknown {
  if (Array.isArray(value)) return value.map((item) => wentBack(item, changes))
  if (typeof value !== 'object' || value === null) return value
  if ('object' in value) return resourceBack(value as Shown, changes)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, wentBack(inner, changes)]),
  )
}

function resourceBack(resource: Shown, changes: readonly Change[]): Shown {
  let shown = resource
  for (const change of changes) {
    const kind = String(shown['object'])
    if (Object.hasOwn(change, kind)) shown = change[kind]?.value(shown) ?? shown
  }
  return shown
}

/**
 * The schema of a kind of resource in that version; `schema` itself where the version does not
 * change it.
 */
export function schemaInVersion(kind: string, schema: ShownSchema, version: string): ShownSchema {
  let shown = schema
  for (const change of WAY_BACK.get(version) ?? [])
    if (Object.hasOwn(change, kind)) shown = change[kind]?.schema(shown) ?? shown
  return shown
}

/** The changes of each version, newest first: by kind of resource, one sentence each. */
export const VERSION_CHANGES: readonly {
  version: string
  changes: [kind: string, about: string][]
}[] = CHAIN.map(({ version, back }) => ({
  version,
  changes: Object.entries(back).map(([kind, { about }]) => [kind, about]),
}))
