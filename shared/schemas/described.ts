// The meaning of a field, beside its schema: the API's reference prints it.
import type { TSchema } from 'typebox'

/**
 * Returns the schema with a description for readers of the API's reference. A copy: schemas that
 * several fields share mean something else in each. The library keeps a schema's kind and whether
 * it is optional in properties that a spread leaves out.
 */
export function described<T extends TSchema>(schema: T, description: string): T {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as T
  return Object.assign(copy, { description })
}
