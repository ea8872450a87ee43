// A table of checks describes a record: the names and types of its fields, their order in a stored
// row, and the values that the border lets in.

export type Check<Value> = (value: unknown) => value is Value
export interface Fields {
  readonly [field: string]: Check<unknown>
}
/** The record that a table of checks describes. */
export type RecordOf<Table extends Fields> = {
  [Field in keyof Table]: Table[Field] extends Check<infer Value> ? Value : never
}

/** LMDB keys end at 1978 bytes, so no part of a key may be longer than this. */
const KEY_CHARS_MAX = 256

export const text: Check<string> = (value) => typeof value === 'string'
/** A text that may be part of a key. */
export const keyText: Check<string> = (value): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= KEY_CHARS_MAX
export const flag: Check<boolean> = (value) => typeof value === 'boolean'
/** A whole number that is not negative. */
export const whole: Check<number> = (value): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0

/** A value that passes the check, or null. */
export function orNull<Value>(check: Check<Value>): Check<Value | null> {
  return (value) => value === null || check(value)
}

/** A list, also an empty one, of values that pass the check. */
export function listOf<Value>(check: Check<Value>): Check<readonly Value[]> {
  return (value): value is readonly Value[] => Array.isArray(value) && value.every(check)
}

/** One of these words; null is one of them where it is named. */
export function oneOf<const Word extends string | null>(...words: readonly Word[]): Check<Word> {
  return (value): value is Word => words.some((word) => word === value)
}

/** A value with at least these fields. */
export function shape<Table extends Fields>(table: Table): Check<RecordOf<Table>> {
  return (value): value is RecordOf<Table> =>
    isObject(value) && Object.entries(table).every(([field, check]) => check(value[field]))
}

/** True for an object that is neither null nor a list. */
export function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
