// Moments as text in answers: RFC 3339, in UTC.
import { Type } from '../schema-builders.ts'

export const MOMENT = Type.String({ format: 'date-time' })
export const MOMENT_OR_NULL = Type.Union([MOMENT, Type.Null()])
