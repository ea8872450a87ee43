// The list envelope of Spec 2.1.
import type { TSchema } from 'typebox'
import { Type } from '../schema-builders.ts'

export interface Page<Item> {
  data: Item[]
  has_more: boolean
  next_cursor: string | null
}

/** The schema of a list of such items. */
export function PageOf(item: TSchema) {
  return Type.Object({
    data: Type.Array(item),
    has_more: Type.Boolean(),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  })
}
