// The identity of an erased cardholder, which the law keeps for years, as an operator sees it.
import { type Static, Type } from 'typebox'
import { Address } from './cardholder.ts'

const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const KeptIdentity = Type.Object({
  /** Id of the cardholder. */
  id: Type.String(),
  object: Type.Literal('kept_identity'),
  /** Unix seconds of the erasure. */
  erased_at: Type.Integer(),
  /** The whole name. */
  name: Type.String(),
  /** The given name; null where only the whole name was known. */
  first_name: TextOrNull,
  /** The family name; null where only the whole name was known. */
  last_name: TextOrNull,
  /** The last known address of mail; null where it was not known. */
  email: TextOrNull,
  /** E.164. */
  phone: TextOrNull,
  /** YYYY-MM-DD. */
  date_of_birth: TextOrNull,
  /** Where they lived; null where it was not known. */
  address: Type.Union([Address, Type.Null()]),
})
export type KeptIdentity = Static<typeof KeptIdentity>
