// The fields that a change changed: both sides are compared as the event's version shows them, so
// that it names no field the event lacks.
import { isDeepStrictEqual } from 'node:util'

type Data = { readonly [name: string]: unknown }

/**
 * Fields of the resource in `data` that were otherwise, as they were. Chosen: one that was not
 * shown before is null. Spec 2.7.
 */
export function previousAttributes(before: Data, after: Data): { [field: string]: unknown } {
  const [was, is] = [resourceIn(before), resourceIn(after)]
  const fields = new Set([...Object.keys(is), ...Object.keys(was)])
  return Object.fromEntries(
    [...fields]
      .filter((field) => !isDeepStrictEqual(was[field], is[field]))
      .map((field) => [field, was[field] ?? null]),
  )
}

/** An event of a change is about one resource. */
function resourceIn(data: Data): Data {
  const [resource] = Object.values(data)
  return resource as Data
}
