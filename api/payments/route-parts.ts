// Parts that the routes of payments, mandates and payment accounts share.
import { Type } from '../../shared/schema-builders.ts'

export const WRITE = {
  family: 'settlement',
  scope: 'write',
  entitled: 'always',
  bucket: 'payments_write',
} as const
export const READ = { family: 'settlement', scope: 'read' } as const

/** Id of a resource in a body. */
export const Id = Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })
export const Cents = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
/** A description in one line. */
export const Words = Type.String({
  minLength: 1,
  maxLength: 140,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
})

export const HOUR_S = 3600
export const DAY_S = 24 * HOUR_S
/** Seconds in which a holder confirms, unless the call names others. */
export const CONFIRMATION_S = 15 * 60
