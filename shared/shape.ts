// Compares what another party said with a schema.
import { Ajv, type ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { OWN_SCHEMAS } from './ajv-options.ts'

/** Formats and keywords that only describe say nothing about a value. */
const ajv = new Ajv({ ...OWN_SCHEMAS, strict: false, validateFormats: false })
const compiled = new WeakMap<TSchema, ValidateFunction>()

/** The first call for a schema compiles it, in about a millisecond. */
export function hasShape<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
): value is Static<Schema> {
  return validatorOf(schema)(value)
}

/** The first fault of the value, such as `/amount must be integer`; null: it has the shape. */
export function shapeFault(schema: TSchema, value: unknown): string | null {
  const validate = validatorOf(schema)
  if (validate(value)) return null
  const [fault] = validate.errors ?? []
  return ((fault?.instancePath ?? '') + ' ' + (fault?.message ?? '')).trim()
}

function validatorOf(schema: TSchema): ValidateFunction {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const validate = ajv.compile(schema)
  compiled.set(schema, validate)
  return validate
}
