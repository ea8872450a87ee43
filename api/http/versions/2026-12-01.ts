// The changes of version 2026-12-01: fields of cards and cardholders that were left out without a
// value are always there.
import type { Change, KindChange, Shown, ShownSchema } from './change.ts'

/** The shapes of version 2026-11-20. */
export const NULL_INSTEAD_OF_ABSENT: Change = {
  card: absentInsteadOfNull(['replaces', 'suspended_by', 'suspend_reason', 'terminate_reason']),
  cardholder: absentInsteadOfNull(['frozen_reason']),
}

function absentInsteadOfNull(names: readonly string[]): KindChange {
  return {
    value: (shown) => withoutNulls(shown, names),
    schema: (schema) => withoutNull(schema, names),
    about:
      names.join(', ') + ' are always there and null without a value; before, they were left out.',
  }
}

function withoutNulls(shown: Shown, names: readonly string[]): { [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(shown).filter(([name, value]) => value !== null || !names.includes(name)),
  )
}

function withoutNull(schema: ShownSchema, names: readonly string[]): ShownSchema {
  const { properties = {}, required = [] } = schema
  return {
    ...schema,
    required: required.filter((name) => !names.includes(name)),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [
        name,
        names.includes(name) ? neverNull(field) : field,
      ]),
    ),
  }
}

function neverNull(field: ShownSchema): ShownSchema {
  const { anyOf, type, enum: values, ...rest } = field
  const others = anyOf?.filter((option) => option.type !== 'null')
  const [only] = others ?? []
  if (others?.length === 1 && only !== undefined) return { ...rest, ...only }
  const types = [type].flat().filter((one) => one !== undefined && one !== 'null')
  return {
    ...rest,
    ...(others !== undefined && { anyOf: others }),
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : (types as string[]) }),
    ...(values !== undefined && { enum: values.filter((value) => value !== null) }),
  } as ShownSchema
}
