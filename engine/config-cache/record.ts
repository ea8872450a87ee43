// Records of the control socket, checked by their tables, and their stored rows.
import {
  CONFIG_FIELDS,
  CONTROL,
  type ConfigChange,
  type ConfigRecord,
  type ConfigType,
  type ControlConfig,
  EARLIER,
  LIMIT,
  type LimitConfig,
  OPEN_CONTROL,
} from '../../shared/wire/config-records.ts'
import { type Fields, isObject, keyText, whole } from '../../shared/wire/fields.ts'
import { type Row, recordOf, rowOf } from '../../shared/wire/rows.ts'

/**
 * A change as it came over the socket, or null if a field is missing or wrong. Unknown fields are
 * dropped, and fields that an earlier release did not write are added.
 */
export function configChangeOf(value: unknown): ConfigChange | null {
  if (!isObject(value)) return null
  const type = value['type']
  if (!isConfigType(type)) return null
  const { id, version } = value
  if (value['removed'] === true)
    return keyText(id) && whole(version) ? { type, id, version, removed: true } : null
  const given = completed(type, value)
  const fields: Fields = CONFIG_FIELDS[type]
  for (const field in fields) if (fields[field]?.(given[field]) !== true) return null
  return configOf(type, configRow(given as unknown as ConfigRecord))
}

type Given = { readonly [field: string]: unknown }

function completed(type: ConfigType, given: Given): Given {
  const { controls } = given
  if (type !== 'controls' || !Array.isArray(controls)) return { ...EARLIER[type], ...given }
  return {
    ...given,
    controls: controls.map((one) => (isObject(one) ? { ...OPEN_CONTROL, ...one } : one)),
  }
}

/** The fields of a stored row: the type, then those of the record in their order. */
const ROWS = Object.fromEntries(
  Object.entries(CONFIG_FIELDS).map(([type, fields]) => [type, ['type', ...Object.keys(fields)]]),
) as unknown as { readonly [Type in ConfigType]: readonly (keyof ConfigRecord)[] }

const CONTROL_ROW = Object.keys(CONTROL) as (keyof ControlConfig)[]
const LIMIT_ROW = Object.keys(LIMIT) as (keyof LimitConfig)[]

/** The row of a config record; `configOf` reverses it. Controls and their limits are rows too. */
export function configRow(configRecord: ConfigRecord): Row {
  const { type } = configRecord
  if (type !== 'controls') return rowOf(ROWS[type], configRecord)
  const controls = configRecord.controls.map((control) => {
    const limits = control.limits.map((limit) => rowOf(LIMIT_ROW, limit))
    return rowOf<object>(CONTROL_ROW as never[], { ...control, limits })
  })
  return rowOf<object>(ROWS[type] as never[], { ...configRecord, controls })
}

/** The config record of a row that begins with its type. */
export function configOf(type: ConfigType, row: Row): ConfigRecord {
  const configRecord = recordOf<ConfigRecord>(ROWS[type], row, EARLIER[type] ?? {})
  return configRecord.type === 'controls'
    ? { ...configRecord, controls: rowsTo(controlOf, configRecord.controls) }
    : configRecord
}

function controlOf(row: Row): ControlConfig {
  const control = recordOf<ControlConfig>(CONTROL_ROW, row, OPEN_CONTROL)
  return { ...control, limits: rowsTo(limitOf, control.limits) }
}

function limitOf(row: Row): LimitConfig {
  return recordOf<LimitConfig>(LIMIT_ROW, row, {})
}

/** A list of rows in place of a list of `Part`. */
function rowsTo<Part>(partOf: (row: Row) => Part, rows: readonly unknown[]): Part[] {
  return rows.map((row) => partOf(row as Row))
}

/** True for the name of a record that this engine keeps. */
export function isConfigType(value: unknown): value is ConfigType {
  return typeof value === 'string' && Object.hasOwn(CONFIG_FIELDS, value)
}
